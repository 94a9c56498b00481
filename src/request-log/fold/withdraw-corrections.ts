import type { Transaction } from 'kysely'
import { newId } from '../../domain/new-id.ts'
import { advanceControl } from '../../store/engine/control-version.ts'
import { exactInteger } from '../../store/engine/exact-integer.ts'
import type { Database } from '../../store/engine/schema.ts'
import type { FullRow } from '../row.ts'

const AMOUNTS = ['cost_picodollars', 'unconfirmed_most_picodollars', 'unconfirmed_counted_picodollars'] as const

/**
 * A call that was closed as interrupted has ended in another way, as the log now learns. What was confirmed or
 * released of the interruption is not true of that end: an entry of its own takes it back, or budgets would be short of the call's
 * cost. Nothing is taken back where the end has the same amounts.
 */
export async function withdrawCorrections(
  db: Transaction<Database>,
  before: readonly FullRow[],
  after: readonly FullRow[],
): Promise<void> {
  const ends = new Map(after.map((row) => [row.id, row]))
  const isOther = (row: FullRow) => AMOUNTS.some((name) => amountOf(row, name) !== amountOf(ends.get(row.id), name))
  const changed = before.filter((row) => row.unconfirmed_most_picodollars !== null && isOther(row))
  if (changed.length === 0) return
  // Before the look: a correction that is being made is seen, or sees the true end.
  await advanceControl(db)
  const ids = changed.map(({ id }) => id)
  const made = await db.selectFrom('corrections').selectAll().where('request_id', 'in', ids).execute()
  if (made.length === 0) return
  const now = Date.now()
  const entries = made.map((correction) => ({
    ...correction,
    id: newId(now),
    created_at: now,
    actor: 'gateway',
    kind: 'withdrawn' as const,
    reason: `Request ${correction.request_id} ended otherwise, as its gateway reported later`,
    // A call is confirmed or released once; this is neither.
    request_id: null,
    picodollars: exactInteger(-BigInt(correction.picodollars)),
    counted_picodollars: exactInteger(-BigInt(correction.counted_picodollars)),
    source: `correction ${correction.id}`,
  }))
  await db.insertInto('corrections').values(entries).execute()
}

/** Nothing is like none; engines give whole numbers in different types. */
function amountOf(row: FullRow | undefined, name: (typeof AMOUNTS)[number]): string {
  return String(row?.[name] ?? 0)
}
