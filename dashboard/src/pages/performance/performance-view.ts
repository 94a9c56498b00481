import { type Period, periodNamed } from '../../charts/periods.ts'

export const DIMENSIONS = ['model', 'provider', 'route'] as const
export type Dimension = (typeof DIMENSIONS)[number]

/** Under the names of the management API. */
export type Filters = Partial<Record<'provider' | 'model' | 'route', string>>

/** What the page shows, read from its address. */
export interface PerformanceView {
  period: Period
  by: Dimension
  filters: Filters
}

/** In the address: calls of a direct model id, here and in the list of requests; not a valid alias. */
export const DIRECT = '(direct)'

const FIELDS = ['provider', 'model', 'route'] as const

export function viewOf(search: Record<string, string>): PerformanceView {
  return {
    period: periodNamed(search['period']),
    by: DIMENSIONS.find((each) => each === search['by']) ?? 'model',
    filters: Object.fromEntries(FIELDS.flatMap((field) => (search[field] ? [[field, search[field]]] : []))),
  }
}

/** As the API takes them: a direct model id has no route. */
export function asked({ route, ...filters }: Filters): Filters {
  return route === undefined ? filters : { ...filters, route: route === DIRECT ? '' : route }
}

/** The filters but those that the dimension itself sets: its groups can still be compared. */
export function besides(by: Dimension, { provider, model, route }: Filters): Filters {
  if (by === 'route') return { ...(provider && { provider }), ...(model && { model }) }
  return route === undefined ? {} : { route }
}

/** The filters that show one group alone; null where there is nothing to filter by. */
export function filterOf(by: Dimension, group: string | null): Filters | null {
  if (by === 'route') return { route: group ?? DIRECT }
  if (group === null) return null
  if (by === 'provider') return { provider: group }
  const slash = group.indexOf('/')
  return { provider: group.slice(0, slash), model: group.slice(slash + 1) }
}

const OWN = { model: ['provider', 'model'], provider: ['provider', 'model'], route: ['route'] } as const

/** The change of the address that shows this group of a dimension, or all of them; other dimensions stay as they are. */
export function changeTo(by: Dimension, filter: Filters): Record<string, string | null> {
  return Object.fromEntries(OWN[by].map((field) => [field, filter[field] ?? null]))
}

export function isChosen(by: Dimension, filter: Filters, { filters }: Pick<PerformanceView, 'filters'>): boolean {
  return OWN[by].every((field) => filter[field] === filters[field])
}

const NAMES = {
  model: 'rejected before any provider',
  provider: 'rejected before any provider',
  route: 'direct model ids',
} as const

/** What a group is called; null in the API is a group too. */
export function groupName(by: Dimension, group: string | null): string {
  return group ?? NAMES[by]
}

/** The filters as text, for headings and chips. */
export function filterText({ provider, model, route }: Filters): string {
  const served = provider === undefined ? model : model === undefined ? provider : `${provider}/${model}`
  const called = route === DIRECT ? NAMES.route : route
  return [called, served].filter((part) => part !== undefined).join(' → ')
}
