import { randomUUID } from 'node:crypto'
import type { Kysely, Transaction } from 'kysely'
import type { AlertEvent } from '../domain/alerts/alert.ts'
import { newId } from '../domain/new-id.ts'
import type { AlertDeliveryRow, Database } from '../store/engine/schema.ts'
import { isServer } from './database-clock.ts'

/** Longer than any attempt takes: then the node that had it is dead, and another one sends it. */
const LEASE_MS = 30_000
/** A receiver that is slow to answer does not hold up those of other channels. */
const AT_ONCE = 10

/** Wait after each failed attempt; after the last one the message has failed. About nine hours in all. */
const BACKOFF_MS = [5, 30, 120, 600, 1_800, 3_600, 7_200, 18_000].map((seconds) => 1000 * seconds)

/** Joins the message to this channel that is not due yet, or begins one. Call it in the transaction of the decision. */
export async function enqueue(
  db: Transaction<Database>,
  channelId: string,
  events: readonly AlertEvent[],
  { now, groupMs }: { now: number; groupMs: number },
): Promise<void> {
  const waiting = await db
    .selectFrom('alert_deliveries')
    .select(['id', 'events'])
    .where('channel_id', '=', channelId)
    .where('state', '=', 'pending')
    .where('attempts', '=', 0)
    .where('due_at', '>', now)
    .executeTakeFirst()
  if (waiting !== undefined) {
    const joined = [...(JSON.parse(waiting.events) as AlertEvent[]), ...events]
    const values = { events: JSON.stringify(joined) }
    await db.updateTable('alert_deliveries').set(values).where('id', '=', waiting.id).execute()
    return
  }
  const row: AlertDeliveryRow = {
    id: `msg_${newId(now)}`,
    channel_id: channelId,
    events: JSON.stringify(events),
    state: 'pending',
    attempts: 0,
    due_at: now + groupMs,
    lease: null,
    leased_until: null,
    last_error: null,
    created_at: now,
    finished_at: null,
  }
  await db.insertInto('alert_deliveries').values(row).execute()
}

export interface Claimed {
  id: string
  channelId: string
  events: AlertEvent[]
  /** This one included. */
  attempts: number
  lease: string
  createdAt: number
}

/** Due or not. */
export async function hasPending(db: Kysely<Database>): Promise<boolean> {
  const found = await db.selectFrom('alert_deliveries').select('id').where('state', '=', 'pending').executeTakeFirst()
  return found !== undefined
}

/**
 * Takes messages that are due and that no node is sending. An attempt counts when it begins: a crash does not undo it.
 */
export async function claim(db: Kysely<Database>, now: number): Promise<Claimed[]> {
  const lease = randomUUID()
  return db.transaction().execute(async (transaction) => {
    let due = transaction
      .selectFrom('alert_deliveries')
      .select('id')
      .where('state', '=', 'pending')
      .where('due_at', '<=', now)
      .where((where) => where.or([where('leased_until', 'is', null), where('leased_until', '<=', now)]))
      .orderBy('due_at')
      .limit(AT_ONCE)
    if (isServer(db)) due = due.forUpdate().skipLocked()
    const ids = (await due.execute()).map(({ id }) => id)
    if (ids.length === 0) return []
    const rows = await transaction
      .updateTable('alert_deliveries')
      .set((set) => ({ lease, leased_until: now + LEASE_MS, attempts: set('attempts', '+', 1) }))
      .where('id', 'in', ids)
      .returningAll()
      .execute()
    return rows.map((row) => ({
      id: row.id,
      channelId: row.channel_id,
      events: JSON.parse(row.events),
      attempts: row.attempts,
      lease,
      createdAt: row.created_at,
    }))
  })
}

/** `problem`: why it did not arrive; null: it did. Does nothing once the lease is lost. */
export async function finish(
  db: Kysely<Database>,
  { id, lease, attempts }: Claimed,
  problem: string | null,
  now: number,
): Promise<void> {
  const backoffMs = BACKOFF_MS[attempts - 1]
  const free = { lease: null, leased_until: null, last_error: problem }
  const again = problem !== null && backoffMs !== undefined
  const end = { ...free, state: problem === null ? ('sent' as const) : ('failed' as const), finished_at: now }
  await db
    .updateTable('alert_deliveries')
    .set(again ? { ...free, due_at: now + backoffMs } : end)
    .where('id', '=', id)
    .where('lease', '=', lease)
    .execute()
}
