import { useEffect, useState } from 'react'
import type { Input } from '../../api/client.ts'
import { usePages } from '../../api/hooks.ts'

const PAGE = 500
const REFRESH_MS = 10_000
/** A list longer than this is not read again by itself: it would be many questions, over and over. */
const LONG = 2_000

/** A whole list that can be used from its first page on; the others follow by themselves. */
export function useGrowingList<Name extends 'keys.list' | 'budgets.list'>(name: Name, workspace: string) {
  const input = { query: { workspace, limit: PAGE } } as Input<Name>
  const [isLong, setLong] = useState(false)
  const pages = usePages(name, input, { refetchEvery: isLong ? undefined : REFRESH_MS })
  const { hasNextPage, isFetching, isError, fetchNextPage } = pages
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError) void fetchNextPage()
  }, [hasNextPage, isFetching, isError, fetchNextPage])
  const count = pages.rows?.length ?? 0
  useEffect(() => setLong(count > LONG), [count])
  return pages
}
