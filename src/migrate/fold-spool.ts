import { join } from 'node:path'
import type { Kysely } from 'kysely'
import { createFolder, readPosition } from '../store/fold.ts'
import { takeOverOldSpool } from '../store/old-spool.ts'
import type { Database } from '../store/schema.ts'
import { refuseLoss, SpoolReader } from '../store/spool-reader.ts'
import { spoolNode } from '../store/spool-segments.ts'

/** Folds what a gateway that is gone has left in its spool. Returns how many records that were. */
export async function foldSpool(dataDir: string, db: Kysely<Database>): Promise<number> {
  takeOverOldSpool(dataDir)
  const folder = join(dataDir, 'spool')
  const node = spoolNode(folder)
  if (node === null) return 0
  const spool = new SpoolReader(folder, refuseLoss)
  try {
    const ledger = createFolder(db, node)
    const begin = await readPosition(db, node)
    let position = begin
    for (let batch = spool.read(position); batch.length > 0; batch = spool.read(position)) {
      position = await ledger.fold(position, batch)
    }
    return position - begin
  } finally {
    spool.close()
  }
}
