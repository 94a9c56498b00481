import type { ManagementDeps } from '../deps.ts'

export const NO_NAMES: ReadonlyMap<string, string> = new Map()

export async function keyNames(
  deps: Pick<ManagementDeps, 'reads'>,
  of: { workspace: string } | { ids: readonly string[] },
) {
  const keys = deps.reads.selectFrom('keys').select(['id', 'name'])
  if ('ids' in of && of.ids.length === 0) return NO_NAMES
  const found = 'ids' in of ? keys.where('id', 'in', [...new Set(of.ids)]) : keys.where('workspace', '=', of.workspace)
  return new Map((await found.execute()).map((key) => [key.id, key.name]))
}
