import { addExact } from '../format/exact.ts'

export type GroupBy =
  | 'model'
  | 'route'
  | 'key'
  | 'provider'
  | 'code'
  | 'endpoint'
  | 'user'
  | 'session'
  | 'agent'
  | 'kind'
  | 'project'
  | 'workspace'
export type Measure = 'cost' | 'requests' | 'tokens'

/** What a chart needs of a row of the usage. */
export interface UsageRow {
  start: string | null
  group: string | null
  name: string | null
  /** All groups but the costliest. */
  is_rest: boolean
  /** Of sums over all workspaces: that of the group, or null where several are added up. */
  workspace?: string | null
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
  agent: 'main agent',
  kind: 'not known',
  project: 'no project',
  workspace: 'no workspace',
}

/** What a group is called; null in the API is a group too. */
export function groupName(groupBy: GroupBy, row: Pick<UsageRow, 'group' | 'name' | 'is_rest' | 'workspace'>): string {
  if (row.is_rest) return 'all others'
  const name = row.name ?? row.group ?? NONE[groupBy]
  const isNamed = groupBy === 'workspace' || row.workspace === undefined || row.workspace === null
  return isNamed ? name : `${name} · ${row.workspace}`
}

/** Tells the groups of one answer apart. */
export function groupKey(row: Pick<UsageRow, 'group' | 'is_rest' | 'workspace'>): string {
  if (row.is_rest) return REST
  return row.workspace === undefined || row.workspace === null
    ? (row.group ?? '')
    : `${row.workspace}${REST}${row.group ?? ''}`
}

/** No caller can name a group so: names have no line breaks. */
export const REST = '\n'

/** The filters of the request list that show a group's requests. A model stands as PROVIDER/MODEL. */
export function groupFilters(groupBy: GroupBy, group: string): Record<string, string> {
  if (groupBy === 'workspace') return {}
  if (groupBy !== 'model') return { [groupBy]: group }
  const slash = group.indexOf('/')
  return { provider: group.slice(0, slash), model: group.slice(slash + 1) }
}

/** The list with the requests of a row: of its own workspace where it says one, nowhere where several are added up. */
export function requestsOf({ workspace }: Pick<UsageRow, 'workspace'>, requests: string): string | undefined {
  if (workspace === null) return undefined
  return workspace === undefined ? requests : `/${encodeURIComponent(workspace)}/requests`
}

/** What is measured of a row, exact. */
export function measured(
  row: Omit<UsageRow, 'start' | 'group' | 'name' | 'is_rest' | 'workspace'>,
  measure: Measure,
): string {
  if (measure === 'cost') return row.cost_usd
  if (measure === 'requests') return String(row.requests)
  return addExact([String(row.prompt_tokens), String(row.completion_tokens)])
}
