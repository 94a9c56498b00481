import type { DatabaseSync } from 'node:sqlite'
import { BATCH_RECORDS } from './ledger.ts'
import type { SpoolRow } from './spool-lines.ts'

/** Reads what a spool holds after a position, as much of it as is folded in one transaction. */
export function batchReader(spool: DatabaseSync): (after: number) => SpoolRow[] {
  const nextRows = spool.prepare('select seq, kind, payload from spool where seq > ? order by seq')
  return (after) => {
    const batch: SpoolRow[] = []
    for (const row of nextRows.iterate(after) as Iterable<unknown> as Iterable<SpoolRow>) {
      batch.push(row)
      if (row.seq - after >= BATCH_RECORDS) break
    }
    return batch
  }
}
