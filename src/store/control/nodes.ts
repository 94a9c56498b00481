import { type Kysely, sql } from 'kysely'
import type { Database, NodeRow } from '../engine/schema.ts'
import { StoreError } from '../engine/store-error.ts'

/** A gateway of this database, as the others see it. Times are Unix milliseconds of the database's clock. */
export interface Node {
  node: string
  name: string
  version: string
  /** `running` until it has delivered its whole spool: a dead node may have calls that only its spool knows. */
  state: 'running' | 'stopped'
  startedAt: number
  seenAt: number
  /** Rows of its spool that the database did not have when it was seen. */
  lagRows: number
  /** It was seen a moment ago. */
  isAlive: boolean
}

export interface NodeIdentity {
  node: string
  name: string
  version: string
  /** Of this process: the same folder started again is another one. */
  instance: string
  /** Of the data folder: a copy of it is elsewhere. */
  place: string
}

export const RENEW_MS = 5_000
/** Two renewals may fail, or one be late. */
export const ALIVE_MS = 15_000

/** The clock of the database: the nodes' own need not agree. */
const databaseNow = sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`

/** From now on this process is the node. */
export async function registerNode(db: Kysely<Database>, identity: NodeIdentity): Promise<void> {
  const row = { ...identity, started_at: databaseNow, seen_at: databaseNow, state: 'running' as const, lag_rows: 0 }
  const { node: _node, ...renewed } = row
  await db
    .insertInto('nodes')
    .values(row)
    .onConflict((conflict) => conflict.column('node').doUpdateSet(renewed))
    .execute()
}

/** False when it is no longer this process's: it was forgotten, or another process has registered as this node. */
export async function renewNode(
  db: Kysely<Database>,
  { node, instance, name }: Pick<NodeIdentity, 'node' | 'instance' | 'name'>,
  lagRows: number,
): Promise<boolean> {
  const renewed = await db
    .updateTable('nodes')
    .set({ name, lag_rows: lagRows, seen_at: databaseNow })
    .where('node', '=', node)
    .where('instance', '=', instance)
    .executeTakeFirst()
  return renewed.numUpdatedRows === 1n
}

/** Its spool has been delivered to the last row. */
export async function markNodeStopped(db: Kysely<Database>, node: string): Promise<void> {
  await db.updateTable('nodes').set({ state: 'stopped', lag_rows: 0 }).where('node', '=', node).execute()
}

/** All that are known, by name. */
export async function listNodes(db: Kysely<Database>): Promise<Node[]> {
  const rows = await db
    .selectFrom('nodes')
    .selectAll()
    .select(sql<boolean>`seen_at > ${databaseNow} - ${sql.lit(ALIVE_MS)}`.as('was_seen'))
    .orderBy('name')
    .orderBy('node')
    .execute()
  return rows.map(toNode)
}

/** Those whose spool may hold rows that the database does not have, alive or not. */
export async function runningNodes(db: Kysely<Database>): Promise<Node[]> {
  return (await listNodes(db)).filter(({ state }) => state === 'running')
}

function toNode({ was_seen, ...row }: NodeRow & { was_seen: boolean }): Node {
  const { node, name, version, state, started_at, seen_at, lag_rows } = row
  const isAlive = state === 'running' && was_seen
  return { node, name, version, state, startedAt: started_at, seenAt: seen_at, lagRows: lag_rows, isAlive }
}

/**
 * For a node that is dead for good. What it has delivered stays, with the position in its spool: should the folder
 * turn up again, nothing of it is delivered twice. False when there is none.
 */
export async function forgetNode(db: Kysely<Database>, node: string): Promise<boolean> {
  const deleted = await db.deleteFrom('nodes').where('node', '=', node).executeTakeFirst()
  return deleted.numDeletedRows === 1n
}

export interface ClaimOptions {
  /** A fresh sign of life may be the last one of a process that was killed: only a second one proves that it lives. */
  pause(ms: number): Promise<void>
}

/**
 * Refuses a folder whose node lives elsewhere: two processes with one position in the spool would lose rows. The
 * folder's own lock is held by now, so a process that ran in this very place is dead.
 */
export async function refuseCopies(
  db: Kysely<Database>,
  { node, place }: Pick<NodeIdentity, 'node' | 'place'>,
  { pause }: ClaimOptions,
): Promise<void> {
  const first = await findNode(db, node)
  if (first === null || first.place === place) return
  for (let seen = await stateOf(db, node); seen?.isAlive; seen = await stateOf(db, node)) {
    if (seen.seenAt > first.seen_at) {
      throw new StoreError(
        `the node ${node} of this data folder is running as ${seen.name}: a folder and its copy cannot both be used; ` +
          'remove the folder spool from the copy',
      )
    }
    await pause(500)
  }
}

export async function findNode(db: Kysely<Database>, node: string): Promise<NodeRow | null> {
  return (await db.selectFrom('nodes').selectAll().where('node', '=', node).executeTakeFirst()) ?? null
}

async function stateOf(db: Kysely<Database>, node: string): Promise<Node | undefined> {
  return (await listNodes(db)).find((candidate) => candidate.node === node)
}
