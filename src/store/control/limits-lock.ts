import type { Kysely } from 'kysely'
import { openSession } from '../engine/postgres-session.ts'
import type { Database } from '../engine/schema.ts'
import { findNode } from './nodes.ts'

/** The right to enforce limits alone: one node of a database has it at a time. */
export interface LimitsLock {
  /** False for good once the connection that held it has broken: another node may have it. */
  held(): boolean
  release(): Promise<void>
}

/** Any number, but the same for every node of one database, and another one than those of migrations and partitions. */
const ADVISORY_LOCK = 7_201_944_320
const ASK_MS = 1_000

/**
 * Null when another node has it; throws when PostgreSQL does not answer. It lives as long as its own connection: the
 * end of that (process, server or network) frees it for the next node that asks.
 */
export async function tryLimitsLock(url: string, onLost: () => void = () => {}): Promise<LimitsLock | null> {
  const onBroken = () => {
    clearInterval(asking)
    onLost()
  }
  const session = await openSession({ url, onBroken })
  let isAnswered = true
  const asking = setInterval(async () => {
    if (!isAnswered) return
    isAnswered = false
    await session.query('select 1').catch(() => {})
    isAnswered = true
  }, ASK_MS).unref()
  async function release(): Promise<void> {
    clearInterval(asking)
    await session.close()
  }
  try {
    const [row] = await session.query('select pg_try_advisory_lock($1) as held', [ADVISORY_LOCK])
    if (row?.['held'] === true) return { held: session.isOpen, release }
  } catch (error) {
    await release()
    throw error
  }
  await release()
  return null
}

/** In the settings: the node that enforced limits last. */
const ENFORCER = 'limits_enforcer'

export type Claim = { kind: 'granted'; wasOurs: boolean } | { kind: 'waiting'; for: string }

/**
 * Call it while holding the lock. The previous enforcer may have spent what is not in the log yet, or still have calls
 * in flight: while it counts as running no other node may enforce, or a hard budget could be exceeded.
 */
export async function claimLimits(db: Kysely<Database>, node: string): Promise<Claim> {
  const found = await db.selectFrom('settings').select('value').where('name', '=', ENFORCER).executeTakeFirst()
  if (found?.value === node) return { kind: 'granted', wasOurs: true }
  const last = found === undefined ? null : await findNode(db, found.value)
  if (last?.state === 'running') return { kind: 'waiting', for: last.name }
  await db
    .insertInto('settings')
    .values({ name: ENFORCER, value: node })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: node }))
    .execute()
  return { kind: 'granted', wasOurs: false }
}
