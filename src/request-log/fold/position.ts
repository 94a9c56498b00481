import type { Kysely, Transaction } from 'kysely'
import type { Database } from '../../store/engine/schema.ts'
import { isPartitioned } from '../retention/partitions.ts'

/** Another process moved this node's position: read it again before continuing. */
export class PositionMoved extends Error {
  override readonly name = 'PositionMoved'
}

/** How far the node's spool has been folded: everything up to `seq`, and up to `ends` all but beginnings of calls. */
export interface Position {
  seq: number
  ends: number
}

export async function readPositions(db: Kysely<Database>, node: string): Promise<Position> {
  await db
    .insertInto('spool_positions')
    .values({ node, seq: 0, ends_seq: 0 })
    .onConflict((conflict) => conflict.column('node').doNothing())
    .execute()
  const row = await db
    .selectFrom('spool_positions')
    .select(['seq', 'ends_seq'])
    .where('node', '=', node)
    .executeTakeFirstOrThrow()
  return { seq: row.seq, ends: row.ends_seq }
}

/** Up to here every end is in the log. */
export async function readPosition(db: Kysely<Database>, node: string): Promise<number> {
  return (await readPositions(db, node)).ends
}

export async function movePosition(
  db: Transaction<Database>,
  node: string,
  after: number,
  to: Position,
): Promise<void> {
  const moved = await db
    .updateTable('spool_positions')
    .set({ seq: to.seq, ends_seq: to.ends })
    .where('node', '=', node)
    .where('ends_seq', '=', after)
    .executeTakeFirst()
  if (moved.numUpdatedRows !== 1n) throw new PositionMoved(`the spool position of ${node} is no longer ${after}`)
}

/** Closing this node's calls by their holds and its fold wait for each other. */
export async function lockSpool(db: Transaction<Database>, node: string): Promise<void> {
  if (!isPartitioned(db)) return
  await db.selectFrom('spool_positions').select('node').where('node', '=', node).forUpdate().execute()
}
