import { type Kysely, sql, type Transaction } from 'kysely'
import { INTERRUPTED } from '../../domain/errors.ts'
import { asPicodollars, type Picodollars } from '../../domain/pricing/price.ts'
import type { LoggedHold } from '../../limits/logged-ledger.ts'
import type { Database } from '../../store/engine/schema.ts'
import { BLANK_RECORD } from '../record.ts'
import { ensurePartitions } from '../retention/partitions.ts'
import { type FoldedRow, type FullRow, openRow, REQUEST_COLUMNS } from '../row.ts'
import { openValues } from '../spool/record-lines.ts'
import { HOUR_MS } from '../usage/rollup.ts'
import { interruptedRow, interruption, MAY_HAVE_MARK } from './interruption.ts'
import { lockSpool } from './position.ts'
import { createUsageAdditions } from './usage-additions.ts'

const STEP_CALLS = 500

/**
 * Closes calls whose node is gone as interrupted: those that the log has as running, and those it has not heard of yet.
 * What has ended stays as it is. True ends that arrive later replace the row; see fold.ts.
 */
export async function closeHolds(db: Kysely<Database>, holds: readonly LoggedHold[], now: number): Promise<void> {
  await ensurePartitions(
    db,
    holds.map(({ startedAt }) => startedAt),
  )
  const additions = createUsageAdditions()
  for (const [node, all] of Map.groupBy(holds, (hold) => hold.node)) {
    const calls = [...new Map(all.map((hold) => [hold.id, hold])).values()]
    for (let start = 0; start < calls.length; start += STEP_CALLS) {
      const some = calls.slice(start, start + STEP_CALLS)
      await db.transaction().execute(async (transaction) => {
        await lockSpool(transaction, node)
        const known = await readEnds(transaction, some)
        const closed = await closeOpen(
          transaction,
          some.filter(({ id }) => known.get(id) === 'open'),
          now,
        )
        const unheard = some.filter(({ id }) => !known.has(id))
        await additions.add(transaction, [...closed, ...(await insertInterrupted(transaction, unheard, now))])
      })
    }
  }
}

async function closeOpen(db: Transaction<Database>, holds: readonly LoggedHold[], now: number): Promise<FullRow[]> {
  if (holds.length === 0) return []
  const { ids, from, to } = whereabouts(holds)
  return db
    .updateTable('requests')
    .set(interruption(MAY_HAVE_MARK, now))
    .where('id', 'in', ids)
    .where('started_at', '>=', from)
    .where('started_at', '<=', to)
    .where('state', '=', 'open')
    .returningAll()
    .execute()
}

async function insertInterrupted(
  db: Transaction<Database>,
  holds: readonly LoggedHold[],
  now: number,
): Promise<FullRow[]> {
  if (holds.length === 0) return []
  const columns = sql.join(REQUEST_COLUMNS.map((column) => sql.ref(column)))
  const rows = holds.map((hold) => sql`(${sql.join(interruptedRow(openRowOf(hold), now).values)})`)
  const written = await sql<FullRow>`insert into requests (${columns}) values ${sql.join(rows)}
    on conflict do nothing returning *`.execute(db)
  return written.rows
}

function openRowOf(hold: LoggedHold): FoldedRow {
  const { id, node, workspace, keyId, startedAt, holdPicodollars, holdTokens, isStream: streamed } = hold
  const money = holdPicodollars === null ? null : String(holdPicodollars)
  const known = { id, workspace, keyId, startedAt, holdPicodollars: money, holdTokens, streamed }
  return openRow(openValues({ ...BLANK_RECORD, ...known }), node)
}

export interface CallEnd {
  costPicodollars: Picodollars
  /** Of the prompt and of the completion. */
  tokens: number
  /** It was given up: its true end may still arrive. */
  isInterrupted: boolean
}

/** How calls ended; 'open' for those that run as far as the log knows, nothing for those it has not heard of. */
export async function readEnds(
  db: Kysely<Database>,
  calls: readonly { id: string; startedAt: number }[],
): Promise<Map<string, CallEnd | 'open'>> {
  const ends = new Map<string, CallEnd | 'open'>()
  for (let start = 0; start < calls.length; start += STEP_CALLS) {
    const { ids, from, to } = whereabouts(calls.slice(start, start + STEP_CALLS))
    const rows = await db
      .selectFrom('requests')
      .select(['id', 'state', 'code', 'cost_picodollars', 'prompt_tokens', 'completion_tokens'])
      .where('id', 'in', ids)
      .where('started_at', '>=', from)
      .where('started_at', '<=', to)
      .execute()
    for (const row of rows) {
      const costPicodollars = asPicodollars(BigInt(row.cost_picodollars ?? 0))
      const tokens = (row.prompt_tokens ?? 0) + (row.completion_tokens ?? 0)
      const isInterrupted = row.code === INTERRUPTED.code
      ends.set(row.id, row.state === 'open' ? 'open' : { costPicodollars, tokens, isInterrupted })
    }
  }
  return ends
}

/**
 * Where rows of these calls can be. A node that never heard that it was admitted has taken its own clock: the row's time
 * is near that of the hold, but need not be the same.
 */
function whereabouts(calls: readonly { id: string; startedAt: number }[]) {
  const times = calls.map(({ startedAt }) => startedAt)
  return {
    ids: calls.map(({ id }) => id),
    from: Math.min(...times) - HOUR_MS,
    to: Math.max(...times) + HOUR_MS,
  }
}
