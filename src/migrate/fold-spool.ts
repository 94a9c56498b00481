import { join } from 'node:path'
import type { Kysely } from 'kysely'
import { foldFolder, foldThreadSpools } from '../request-log/fold/fold-folder.ts'
import { refuseLoss } from '../request-log/spool/reader.ts'
import type { Database } from '../store/engine/schema.ts'

/** Folds the spools of a stopped gateway. Returns the number of records. */
export async function foldSpool(dataDir: string, db: Kysely<Database>): Promise<number> {
  const folder = join(dataDir, 'spool')
  const options = { onDamage: refuseLoss }
  return (await foldFolder(db, folder, options)) + (await foldThreadSpools(db, folder, options))
}
