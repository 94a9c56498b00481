import { addExact } from '../format/exact.ts'

export type GroupBy = 'model' | 'route' | 'key' | 'provider' | 'code'
export type Measure = 'cost' | 'requests' | 'tokens'

/** What a chart needs of a row of the usage. */
export interface UsageRow {
  start: string | null
  group: string | null
  name: string | null
  cost_usd: string
  requests: number
  prompt_tokens: number
  completion_tokens: number
}

const NONE: Record<GroupBy, string> = {
  model: 'no provider asked',
  provider: 'no provider asked',
  route: 'direct model ids',
  key: 'no key',
  code: 'no error',
}

/** What a group is called; null in the API is a group too. */
export function groupName(groupBy: GroupBy, row: Pick<UsageRow, 'group' | 'name'>): string {
  return row.name ?? row.group ?? NONE[groupBy]
}

/** The filters of the request list that show a group's requests. A model stands as PROVIDER/MODEL. */
export function groupFilters(groupBy: GroupBy, group: string): Record<string, string> {
  if (groupBy !== 'model') return { [groupBy]: group }
  const slash = group.indexOf('/')
  return { provider: group.slice(0, slash), model: group.slice(slash + 1) }
}

/** What is measured of a row, exact. */
export function measured(row: Omit<UsageRow, 'start' | 'group' | 'name'>, measure: Measure): string {
  if (measure === 'cost') return row.cost_usd
  if (measure === 'requests') return String(row.requests)
  return addExact([String(row.prompt_tokens), String(row.completion_tokens)])
}
