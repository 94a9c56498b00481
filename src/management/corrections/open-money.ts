import type { Kysely } from 'kysely'
import { PERIODS, type Period, periodBounds } from '../../domain/budgets/budget-period.ts'
import type { Scope } from '../../limits/ledger.ts'
import { readUnconfirmedDays } from '../../request-log/usage/unconfirmed-sums.ts'
import { correctedDays, correctedOf } from '../../store/control/books/corrections.ts'
import type { Database } from '../../store/engine/schema.ts'
import { scopeName } from '../budget-state.ts'

/** Of one scope, by period, in picodollars. */
export type OpenMoney = Record<Period, { unconfirmed: bigint; corrected: bigint }>

const none = { unconfirmed: 0n, corrected: 0n }
export const NOTHING_OPEN: OpenMoney = { day: none, week: none, month: none, total: none }

const DAY_MS = 86_400_000

/**
 * What counts in budgets without being confirmed, and by how much corrections have changed what counts. A corrected call is
 * no longer unconfirmed: what it cost is part of what was spent.
 */
export async function readOpenMoney(
  db: Kysely<Database>,
  asked: readonly (readonly [{ scope: Scope; workspace: string }, ...unknown[]])[],
  now: number,
): Promise<ReadonlyMap<string, OpenMoney>> {
  const workspaces = [...new Set(asked.map(([{ workspace }]) => workspace))]
  const [rows, corrections] = [await readUnconfirmedDays(db, workspaces), correctedOf(await correctedDays(db))]
  const found = new Map<string, OpenMoney>()
  if (rows.length === 0 && corrections.key.size === 0) return found
  const add = (name: string, day: number, unconfirmed: bigint, corrected: bigint) => {
    const before = found.get(name) ?? NOTHING_OPEN
    const entries = PERIODS.map((period) => {
      const sums = before[period]
      const isIn = day * DAY_MS >= periodBounds(period, now).startsAt
      const after = { unconfirmed: sums.unconfirmed + unconfirmed, corrected: sums.corrected + corrected }
      return [period, isIn ? after : sums] as const
    })
    found.set(name, Object.fromEntries(entries) as OpenMoney)
  }
  for (const { workspace, keyId, day, picodollars } of rows) {
    add(scopeName({ kind: 'key', id: keyId }), day, picodollars, 0n)
    add(scopeName({ kind: 'workspace', id: workspace }), day, picodollars, 0n)
  }
  for (const kind of ['key', 'workspace'] as const) {
    for (const [id, days] of corrections[kind]) {
      for (const { day, charged, released, cost } of days) {
        const counted = charged - released
        add(scopeName({ kind, id }), day, counted - cost, counted)
      }
    }
  }
  return found
}
