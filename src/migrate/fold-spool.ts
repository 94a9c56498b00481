import { existsSync } from 'node:fs'
import type { StatementSync } from 'node:sqlite'
import type { Kysely } from 'kysely'
import { createFolder, readPosition } from '../store/fold.ts'
import { BATCH_RECORDS } from '../store/ledger.ts'
import type { Database } from '../store/schema.ts'
import { openSpoolFile } from '../store/spool-file.ts'
import type { SpoolRow } from '../store/spool-lines.ts'

/** Folds what a gateway that is gone has left in its spool. Returns how many records that were. */
export async function foldSpool(path: string, db: Kysely<Database>): Promise<number> {
  if (!existsSync(path)) return 0
  const spool = openSpoolFile(path, 0)
  try {
    const node = String(spool.prepare(`select value from meta where name = 'node'`).get()?.['value'])
    const nextRows = spool.prepare('select seq, kind, payload from spool where seq > ? order by seq')
    const folder = createFolder(db, node)
    const begin = await readPosition(db, node)
    let position = begin
    for (let batch = nextBatch(nextRows, position); batch.length > 0; batch = nextBatch(nextRows, position)) {
      position = await folder.fold(position, batch)
    }
    return position - begin
  } finally {
    spool.close()
  }
}

function nextBatch(nextRows: StatementSync, after: number): SpoolRow[] {
  const batch: SpoolRow[] = []
  for (const row of nextRows.iterate(after) as Iterable<unknown> as Iterable<SpoolRow>) {
    batch.push(row)
    if (row.seq - after >= BATCH_RECORDS) break
  }
  return batch
}
