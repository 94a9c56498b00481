import type { Kysely, Transaction } from 'kysely'
import { periodBounds } from '../../domain/budgets/budget-period.ts'
import { kindOfEach } from '../../domain/budgets/each.ts'
import type { Limits } from '../../domain/limits.ts'
import type { Database } from '../../store/engine/schema.ts'
import { isPartitioned } from '../retention/partitions.ts'
import { DAY_MS } from '../usage/rollup.ts'
import { createValueSums, VALUE_KEY, type ValueSums } from './value-days.ts'

export interface ExpiringValues {
  /** As of the log's rows (Unix milliseconds). */
  before: number
  now: number
  /** Awaited between steps. */
  pause(): Promise<void>
  stepRows?: number
}

const STEP_ROWS = 500
/** Clocks of gateways differ, and a budget must never be looser for it. */
const MARGIN_MS = DAY_MS

/** The day of what is older than every row: only budgets without an end look back so far. */
const BEFORE_ALL = 0

/**
 * What values have spent on days that no open period contains, as far as retention has deleted the log of them. Where a
 * budget in total counts them they become one sum for each value, which it needs for ever; others are deleted.
 */
export async function expireValues(db: Kysely<Database>, expiring: ExpiringValues): Promise<number> {
  const { before, now, pause, stepRows = STEP_ROWS } = expiring
  const open = Math.min(...(['week', 'month'] as const).map((per) => periodBounds(per, now).startsAt))
  const until = Math.min(before - (before % DAY_MS), open - MARGIN_MS)
  const addSums = createValueSums()
  for (let gone = 0; ; ) {
    // Read again in each step: a budget may have been set since.
    const rows = await db.transaction().execute((transaction) => expireStep(transaction, { until, stepRows, addSums }))
    gone += rows
    if (rows < stepRows) return gone
    await pause()
  }
}

interface Step {
  until: number
  stepRows: number
  addSums: ReturnType<typeof createValueSums>
}

async function expireStep(db: Transaction<Database>, { until, stepRows, addSums }: Step): Promise<number> {
  const inTotal = await countedInTotal(db)
  let some = db
    .selectFrom('value_days')
    .selectAll()
    .where('day', '>', BEFORE_ALL)
    .where('day', '<', until)
    .orderBy('day')
    .limit(stepRows)
  // Of several gateways each takes its own; a late record that adds to one waits, and then makes a row of its own.
  if (isPartitioned(db)) some = some.forUpdate().skipLocked()
  const rows = await some.execute()
  if (rows.length === 0) return 0
  const kept = rows.filter(({ workspace, kind }) => inTotal.has(`${workspace}\n${kind}`))
  const sums: ValueSums = new Map()
  for (const row of kept) {
    const key = VALUE_KEY.map((column) => (column === 'day' ? BEFORE_ALL : row[column]))
    const name = key.join('\n')
    const known = sums.get(name) ?? { key, sum: 0n }
    sums.set(name, { key, sum: known.sum + BigInt(row.counted_picodollars) })
  }
  await addSums(db, sums)
  for (const row of rows) {
    let one = db.deleteFrom('value_days')
    for (const column of VALUE_KEY) one = one.where(column, '=', row[column])
    await one.execute()
  }
  return rows.length
}

/** The workspaces and kinds of values that have a budget without an end, of the workspace or any of its keys. */
async function countedInTotal(db: Kysely<Database>): Promise<ReadonlySet<string>> {
  const MAY_HAVE = '%"total"%'
  const ofKeys = db.selectFrom('keys').select(['workspace', 'limits']).where('limits', 'like', MAY_HAVE)
  const ofWorkspaces = db.selectFrom('workspaces').select(['name as workspace', 'limits'])
  const rows = await ofKeys.unionAll(ofWorkspaces.where('limits', 'like', MAY_HAVE)).execute()
  const found = new Set<string>()
  for (const { workspace, limits } of rows) {
    for (const { each, per } of (JSON.parse(limits ?? '{}') as Limits).budgets ?? []) {
      if (per === 'total') found.add(`${workspace}\n${kindOfEach(each).kind}`)
    }
  }
  return found
}
