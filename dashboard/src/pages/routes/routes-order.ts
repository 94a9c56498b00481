import type { Sort } from '../../components/data-table.tsx'
import { entriesAt, type Route } from './route-draft.ts'
import type { Traffic } from './route-traffic.tsx'

export interface ListedRoute {
  route: Route
  /** Undefined: no call in the last 24 hours, or not known yet. */
  traffic: Traffic | undefined
}

const VALUES: Record<string, (row: ListedRoute) => number | string> = {
  alias: ({ route }) => route.alias,
  calls: ({ traffic }) => traffic?.requests ?? 0,
  errors: ({ traffic }) => share(traffic, 'errors'),
  fallbacks: ({ traffic }) => share(traffic, 'fallbacks'),
  spend: ({ traffic }) => Number(traffic?.cost_usd ?? 0),
  updated: ({ route }) => route.updated_at,
}

function share(traffic: Traffic | undefined, of: 'errors' | 'fallbacks'): number {
  return traffic === undefined || traffic.requests === 0 ? -1 : traffic[of] / traffic.requests
}

/** The routes that have every word of the search, with what they did, in the order that was asked for. */
export function listed(
  routes: readonly Route[],
  traffic: ReadonlyMap<string | null, Traffic> | undefined,
  search: string,
  sort: Sort,
): ListedRoute[] {
  const words = search.toLowerCase().split(/\s+/)
  const rows = routes
    .filter((route) => words.every((word) => textOf(route).includes(word)))
    .map((route) => ({ route, traffic: traffic?.get(route.alias) }))
  const read = VALUES[sort.by]
  if (read === undefined) return rows
  const direction = sort.descending ? -1 : 1
  return rows.sort((a, b) => {
    const [one, other] = [read(a), read(b)]
    const order = typeof one === 'number' && typeof other === 'number' ? one - other : compareText(one, other)
    return order * direction
  })
}

function compareText(a: number | string, b: number | string): number {
  return String(a).localeCompare(String(b), 'en', { numeric: true })
}

function textOf({ alias, description, chain }: Route): string {
  const entries = chain.flatMap(entriesAt).map(({ provider, model }) => `${provider}/${model}`)
  return [alias, description ?? '', ...entries].join('\n').toLowerCase()
}
