import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import type { Item, Reply } from '../../api/client.ts'
import { pagesKey, useOperation, usePages } from '../../api/hooks.ts'
import type { RequestsQuery } from './filters.ts'
import { hasGap, mergeRows, newcomers } from './rows.ts'

export type ListedRequest = Item<'requests.list'>

const PAGE_ROWS = 50
/** The newest page of a live list: what arrives between two looks should fit. */
const NEWEST_ROWS = 100
const LOOK_EVERY_MS = 2_000
/** A list that follows for hours must not grow for hours: at this size it restarts with the newest page. */
const MOST_FOLLOWED = 400

/** In pixels: further down the list is being read, and rows on top would push it away. */
const NEAR_TOP = 300

interface Followed {
  query: RequestsQuery
  rows: readonly ListedRequest[]
  newIds: ReadonlySet<string>
}

const NONE: ReadonlySet<string> = new Set()

export interface Tail {
  isOn: boolean
  /** The list is being read or pointed at: nothing may move. */
  isPaused: boolean
}

/**
 * The list, page by page, and what arrives on top of it. A request that was running when it was read is updated in
 * place when it ends; new ones are added unless the tail is paused, and wait otherwise.
 */
export function useRequests(query: RequestsQuery, tail: Tail) {
  const isSlow = query.sort === 'slowest'
  const client = useQueryClient()
  const input = useMemo(() => ({ query: { ...query, limit: PAGE_ROWS } }), [query])
  const list = usePages('requests.list', input)
  const newestInput = useMemo(() => ({ query: { ...query, limit: NEWEST_ROWS } }), [query])
  const newest = useOperation('requests.list', newestInput, { enabled: tail.isOn, refetchEvery: LOOK_EVERY_MS })
  const [followed, setFollowed] = useState<Followed>({ query, rows: [], newIds: NONE })

  const base = list.isPlaceholderData ? undefined : list.data?.pages
  const page = tail.isOn && !newest.isPlaceholderData ? newest.data : undefined
  const mine = followed.query === query ? followed : null
  const rows = useMemo(() => {
    // As they came: a tail does not follow the slowest.
    if (isSlow) return base?.flatMap((each) => each.data) ?? []
    const known = mergeRows(base?.flatMap((each) => each.data) ?? [], mine?.rows ?? [])
    const ids = new Set(known.map(({ id }) => id))
    return mergeRows(known, page?.data.filter(({ id }) => ids.has(id)) ?? [])
  }, [base, mine, page, isSlow])
  const waiting = useMemo(() => (base === undefined ? [] : newcomers(rows, page?.data ?? [])), [base, rows, page])

  function admit(): void {
    if (page === undefined || waiting.length === 0) return
    const newIds = new Set(waiting.map(({ id }) => id))
    const former = mine?.rows ?? []
    if (hasGap(rows, page.data, page.next_cursor === null) || former.length + waiting.length > MOST_FOLLOWED) {
      client.setQueryData(pagesKey('requests.list', input), { pages: [page], pageParams: [null] })
      setFollowed({ query, rows: [], newIds })
    } else {
      setFollowed({ query, rows: mergeRows(former, waiting), newIds })
    }
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: what `admit` uses changes together with these.
  useEffect(() => {
    if (!tail.isPaused && window.scrollY < NEAR_TOP) admit()
  }, [waiting, tail.isPaused])

  return {
    list,
    rows: base === undefined ? list.rows : rows,
    waiting: waiting.length,
    admit,
    newIds: mine?.newIds ?? NONE,
    /** Why nothing new can be seen at the moment. */
    problem: tail.isOn ? (newest.error?.message ?? null) : null,
    searchedTo: searchedTo(base?.at(-1)),
    isSlow,
  }
}

/** How far back the list has looked; null when to the end. */
function searchedTo(page: Reply<'requests.list'> | undefined): string | null {
  return page?.searched_to ?? null
}
