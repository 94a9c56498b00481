import type { Reply } from '../api/client.ts'

type Usage = Reply<'usage.get'>
type GroupBy = NonNullable<Usage['group_by']>

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
