import { useEffect, useState } from 'react'
import type { Input } from '../../api/client.ts'
import { usePages } from '../../api/hooks.ts'

const REFRESH_MS = 10_000
/** A list longer than this is not polled: it would be many requests, over and over. */
const LONG = 2_000

/** A list that can be used from its first page on; if it is wanted whole, the other pages follow. */
export function useGrowingList<Name extends 'keys.list' | 'budgets.list'>(
  name: Name,
  query: Input<Name>['query'],
  isWanted: 'whole' | 'as far as asked for',
) {
  const input = { query } as Input<Name>
  const [isLong, setLong] = useState(false)
  const pages = usePages(name, input, { refetchEvery: isLong ? undefined : REFRESH_MS })
  const { hasNextPage, isFetching, isError, fetchNextPage } = pages
  useEffect(() => {
    if (isWanted === 'whole' && hasNextPage && !isFetching && !isError) void fetchNextPage()
  }, [isWanted, hasNextPage, isFetching, isError, fetchNextPage])
  const count = pages.rows?.length ?? 0
  useEffect(() => setLong(count > LONG), [count])
  return pages
}
