import type { UsageGroup } from '../../domain/log/usage-dimensions.ts'
import type { UsageRow } from './group-sums.ts'
import { addUsage } from './sums.ts'

export interface WorkspaceUsageRow extends UsageRow {
  /** Null: of several workspaces together. */
  workspace: string | null
}

/** What a workspace names for itself: the same name elsewhere is something else. */
const PER_WORKSPACE: ReadonlySet<string> = new Set<UsageGroup>(['key', 'route', 'session', 'agent'])

/** Rows of several workspaces as one list: the costliest groups, and all others as one. Without a group, a row per workspace. */
export function acrossWorkspaces(
  rows: readonly WorkspaceUsageRow[],
  groupBy: UsageGroup | null,
  most: number,
): WorkspaceUsageRow[] {
  if (groupBy === null) return [...rows]
  const isOwn = PER_WORKSPACE.has(groupBy)
  const placed = rows.map((row) => ({ ...row, workspace: isOwn && !row.isRest ? row.workspace : null }))
  const kept = costliest(placed, most)
  const found = new Map<string, WorkspaceUsageRow>()
  for (const row of placed) {
    const one = kept.has(nameOf(row)) ? row : { ...row, workspace: null, group: [], isRest: true }
    const place = JSON.stringify([one.start, nameOf(one)])
    const before = found.get(place)
    found.set(place, before === undefined ? one : { ...one, ...addUsage(before, one) })
  }
  return [...found.values()].sort((a, b) => (a.start ?? 0) - (b.start ?? 0))
}

function nameOf({ workspace, group, isRest }: WorkspaceUsageRow): string {
  return isRest ? 'rest' : JSON.stringify([workspace, ...group])
}

function costliest(rows: readonly WorkspaceUsageRow[], most: number): ReadonlySet<string> {
  const costs = new Map<string, bigint>()
  for (const row of rows) {
    if (!row.isRest) costs.set(nameOf(row), (costs.get(nameOf(row)) ?? 0n) + row.costPicodollars)
  }
  const names = [...costs].sort(([, a], [, b]) => (a < b ? 1 : a > b ? -1 : 0)).map(([name]) => name)
  return new Set(names.slice(0, most))
}
