import { addExact } from '../format/exact.ts'

export type GroupBy = 'model' | 'route' | 'key' | 'provider' | 'code' | 'endpoint' | 'user' | 'session'
export type Measure = 'cost' | 'requests' | 'tokens'

/** What a chart needs of a row of the usage. */
export interface UsageRow {
  start: string | null
  group: string | null
  name: string | null
  /** All groups but the costliest. */
  is_rest: boolean
  cost_usd: string
  requests: number
  prompt_tokens: number
  completion_tokens: number
}

const NONE: Record<GroupBy, string> = {
  model: 'rejected before any provider',
  provider: 'rejected before any provider',
  route: 'direct model ids',
  key: 'no key',
  code: 'no error',
  endpoint: 'before endpoints were recorded',
  user: 'no user',
  session: 'no session',
}

/** What a group is called; null in the API is a group too. */
export function groupName(groupBy: GroupBy, row: Pick<UsageRow, 'group' | 'name' | 'is_rest'>): string {
  if (row.is_rest) return 'all others'
  return row.name ?? row.group ?? NONE[groupBy]
}

/** Tells the groups of one answer apart. */
export function groupKey({ group, is_rest: isRest }: Pick<UsageRow, 'group' | 'is_rest'>): string {
  return isRest ? REST : (group ?? '')
}

/** No caller can name a group so: names have no line breaks. */
export const REST = '\n'

/** The filters of the request list that show a group's requests. A model stands as PROVIDER/MODEL. */
export function groupFilters(groupBy: GroupBy, group: string): Record<string, string> {
  if (groupBy !== 'model') return { [groupBy]: group }
  const slash = group.indexOf('/')
  return { provider: group.slice(0, slash), model: group.slice(slash + 1) }
}

/** What is measured of a row, exact. */
export function measured(row: Omit<UsageRow, 'start' | 'group' | 'name' | 'is_rest'>, measure: Measure): string {
  if (measure === 'cost') return row.cost_usd
  if (measure === 'requests') return String(row.requests)
  return addExact([String(row.prompt_tokens), String(row.completion_tokens)])
}
