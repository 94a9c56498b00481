import { join } from 'node:path'
import type { Kysely } from 'kysely'
import { createFold } from '../request-log/fold/fold.ts'
import { refuseLoss, SpoolReader } from '../request-log/spool/reader.ts'
import { spoolNode } from '../request-log/spool/segments.ts'
import type { Database } from '../store/engine/schema.ts'

/** Folds what a gateway that is gone has left in its spool. Returns how many records that were. */
export async function foldSpool(dataDir: string, db: Kysely<Database>): Promise<number> {
  const folder = join(dataDir, 'spool')
  const node = spoolNode(folder)
  if (node === null) return 0
  const spool = new SpoolReader(folder, refuseLoss)
  try {
    const fold = createFold(db, node)
    const begin = await fold.resume((after) => spool.read(after))
    let position = begin
    for (let batch = spool.read(position); batch.length > 0; batch = spool.read(position)) {
      position = await fold.fold(position, batch)
    }
    return position - begin
  } finally {
    spool.close()
  }
}
