import type { Reply } from '../api/client.ts'
import { addExact } from '../format/exact.ts'

type Usage = Reply<'usage.get'>
type UsageRow = Usage['data'][number]
export type GroupBy = NonNullable<Usage['group_by']>
export type Measure = 'cost' | 'requests' | 'tokens'

const NONE: Record<GroupBy, string> = {
  model: 'no provider asked',
  provider: 'no provider asked',
  route: 'direct model ids',
  key: 'no key',
  code: 'no error',
}

/** What a group is called; null in the API is a group too. */
export function groupName(groupBy: GroupBy, row: { group: string | null; name: string | null }): string {
  return row.name ?? row.group ?? NONE[groupBy]
}

/** The filters of the request list that show a group's requests. A model stands as PROVIDER/MODEL. */
export function groupFilters(groupBy: GroupBy, group: string): Record<string, string> {
  if (groupBy !== 'model') return { [groupBy]: group }
  const slash = group.indexOf('/')
  return { provider: group.slice(0, slash), model: group.slice(slash + 1) }
}

/** What is measured of a row, exact. */
export function measured(
  row: Pick<UsageRow, 'cost_usd' | 'requests' | 'prompt_tokens' | 'completion_tokens'>,
  measure: Measure,
): string {
  if (measure === 'cost') return row.cost_usd
  if (measure === 'requests') return String(row.requests)
  return addExact([String(row.prompt_tokens), String(row.completion_tokens)])
}
