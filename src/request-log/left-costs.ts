import { type Kysely, sql } from 'kysely'
import { INTERRUPTED } from '../domain/errors.ts'
import type { ExactInteger } from '../store/engine/exact-integer.ts'
import type { Database } from '../store/engine/schema.ts'

/** A call that its process left: all that was held counts, as cost or as unconfirmed, and no spool has its end. */
export interface LeftCost {
  id: string
  keyId: string
  workspace: string
  startedAt: number
  cost: bigint
}

const COUNTED = sql<ExactInteger>`coalesce(cost_picodollars, 0) + coalesce(unconfirmed_counted_picodollars, 0)`

/** Of this node, or of all; those that began in the last two days. */
export async function readLeftCosts(db: Kysely<Database>, node: string | null, now: number): Promise<LeftCost[]> {
  let rows = db
    .selectFrom('requests')
    .select(['id', 'key_id', 'workspace', 'started_at', COUNTED.as('counted')])
    // A literal, not a parameter: only so is the partial index of these rows used.
    .where('code', '=', sql.lit(INTERRUPTED.code))
    .where('started_at', '>=', now - KEPT_MS)
    .where(COUNTED, '>', 0)
  if (node !== null) rows = rows.where('node', '=', node)
  return (await rows.execute()).map((row) => ({
    id: row.id,
    keyId: row.key_id,
    workspace: row.workspace,
    startedAt: row.started_at,
    cost: BigInt(row.counted),
  }))
}

/** Shorter than the counters remember which of them they have booked. */
const KEPT_MS = 2 * 86_400_000
