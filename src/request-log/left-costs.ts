import { type Kysely, sql } from 'kysely'
import { INTERRUPTED } from '../domain/errors.ts'
import type { Database } from '../store/engine/schema.ts'

/** A stream that its process left with content sent: all that was held is its cost, and no spool has its end. */
export interface LeftCost {
  id: string
  keyId: string
  workspace: string
  startedAt: number
  cost: bigint
}

/** Of this node, or of all; those that began in the last two days. */
export async function readLeftCosts(db: Kysely<Database>, node: string | null, now: number): Promise<LeftCost[]> {
  let rows = db
    .selectFrom('requests')
    .select(['id', 'key_id', 'workspace', 'started_at', 'cost_picodollars'])
    // A literal, not a parameter: only so is the partial index of these rows used.
    .where('code', '=', sql.lit(INTERRUPTED.code))
    .where('started_at', '>=', now - KEPT_MS)
    .where('cost_picodollars', '>', 0)
  if (node !== null) rows = rows.where('node', '=', node)
  return (await rows.execute()).map((row) => ({
    id: row.id,
    keyId: row.key_id,
    workspace: row.workspace,
    startedAt: row.started_at,
    cost: BigInt(row.cost_picodollars ?? 0),
  }))
}

/** Shorter than the counters remember which of them they have booked. */
const KEPT_MS = 2 * 86_400_000
