import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Database } from '../../store/engine/schema.ts'
import { StoreError } from '../../store/engine/store-error.ts'
import { addIncarnation, incarnationsOf } from '../spool/incarnations.ts'
import { readPositions } from './position.ts'

/**
 * From now on only this folder delivers as its node. A folder that the database has not seen last is a copy, or was
 * copied: its records reuse numbers of other records, and would be skipped.
 */
export async function claimSpool(db: Kysely<Database>, node: string, folder: string): Promise<Claim | null> {
  const stored = await refuseSuperseded(db, node, folder)
  const fresh = randomUUID()
  try {
    // First in the folder: should this process end in between, the database's is still known there.
    addIncarnation(folder, fresh)
  } catch {
    // A full disk does not keep a gateway from starting: it continues as the previous incarnation.
    return stored === null ? null : { folder, incarnation: stored }
  }
  const claimed = await db
    .updateTable('spool_positions')
    .set({ incarnation: fresh })
    .where('node', '=', node)
    .where('incarnation', 'is not distinct from', stored)
    .executeTakeFirst()
  if (claimed.numUpdatedRows !== 1n) throw superseded(folder)
  return { folder, incarnation: fresh }
}

/** The folder that delivers, as it was claimed. */
export interface Claim {
  folder: string
  incarnation: string
}

/** A copy of the folder has claimed the node since: nothing of this one is delivered or skipped. */
export async function checkClaim(db: Kysely<Database>, node: string, { folder, incarnation }: Claim): Promise<void> {
  const own = db.selectFrom('spool_positions').select('incarnation').where('node', '=', node)
  if ((await own.executeTakeFirst())?.incarnation !== incarnation) throw superseded(folder)
}

/** What the database knows of the folder; null: nothing yet. */
export async function refuseSuperseded(db: Kysely<Database>, node: string, folder: string): Promise<string | null> {
  await readPositions(db, node)
  const { incarnation } = await db
    .selectFrom('spool_positions')
    .select('incarnation')
    .where('node', '=', node)
    .executeTakeFirstOrThrow()
  if (incarnation !== null && !incarnationsOf(folder).includes(incarnation)) throw superseded(folder)
  return incarnation
}

function superseded(folder: string): StoreError {
  return new StoreError(
    `the spool ${folder} is a copy or an old backup of one that another gateway has used since: delivering it would lose ` +
      'rows. Start the folder that was used last; to use this one as a new gateway, move its folder spool away and keep ' +
      'it: calls that only it has stay in there',
  )
}
