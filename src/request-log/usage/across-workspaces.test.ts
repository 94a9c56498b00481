import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { UsageGroup } from '../../domain/log/usage-dimensions.ts'
import { acrossWorkspaces, type WorkspaceUsageRow } from './across-workspaces.ts'
import { NO_SUMS } from './sums.ts'

const row = (workspace: string, name: string, cost: bigint, more: Partial<WorkspaceUsageRow> = {}) => ({
  ...{ ...NO_SUMS, workspace, start: null, group: [name], isRest: false, requests: 1, costPicodollars: cost },
  ...more,
})
const shown = (rows: WorkspaceUsageRow[], groupBy: UsageGroup | null, most = 10) =>
  acrossWorkspaces(rows, groupBy, most).map((each) => [
    each.workspace,
    each.isRest ? 'REST' : each.group[0],
    each.costPicodollars,
    each.requests,
  ])

describe('usage over all workspaces', () => {
  const rows = [row('a', 'x', 1n), row('b', 'x', 2n), row('b', 'y', 9n)]

  test('adds up what means the same everywhere', () => {
    assert.deepEqual(shown(rows, 'user'), [
      [null, 'x', 3n, 2],
      [null, 'y', 9n, 1],
    ])
  })

  test('keeps apart what a workspace names for itself', () => {
    assert.deepEqual(shown(rows, 'route'), [
      ['a', 'x', 1n, 1],
      ['b', 'x', 2n, 1],
      ['b', 'y', 9n, 1],
    ])
  })

  test('names the costliest over all starts, and adds the others to the rest', () => {
    const later = rows.map((each) => ({ ...each, start: 2 }))
    const rest = row('a', '', 100n, { start: 2, isRest: true })
    assert.deepEqual(shown([...later, rest, row('a', 'x', 10n, { start: 1 })], 'key', 1), [
      ['a', 'x', 10n, 1],
      ['a', 'x', 1n, 1],
      [null, 'REST', 111n, 3],
    ])
  })

  test('without a group every workspace is a row', () => {
    assert.deepEqual(
      shown([row('a', '', 1n), row('b', '', 2n)], null).map(([workspace]) => workspace),
      ['a', 'b'],
    )
  })
})
