import { existsSync } from 'node:fs'
import type { Kysely } from 'kysely'
import { createFolder, readPosition } from '../store/fold.ts'
import type { Database } from '../store/schema.ts'
import { batchReader } from '../store/spool-batch.ts'
import { openSpoolFile } from '../store/spool-file.ts'

/** Folds what a gateway that is gone has left in its spool. Returns how many records that were. */
export async function foldSpool(path: string, db: Kysely<Database>): Promise<number> {
  if (!existsSync(path)) return 0
  const spool = openSpoolFile(path, 0)
  try {
    const node = String(spool.prepare(`select value from meta where name = 'node'`).get()?.['value'])
    const nextBatch = batchReader(spool)
    const folder = createFolder(db, node)
    const begin = await readPosition(db, node)
    let position = begin
    for (let batch = nextBatch(position); batch.length > 0; batch = nextBatch(position)) {
      position = await folder.fold(position, batch)
    }
    return position - begin
  } finally {
    spool.close()
  }
}
