import type { Kysely } from 'kysely'
import type { Database } from '../../store/engine/schema.ts'
import { type Damage, SpoolReader } from '../spool/reader.ts'
import { checkFormat, spoolNode, threadSpools } from '../spool/segments.ts'
import type { Claim } from './claim-spool.ts'
import { createFold } from './fold.ts'

export interface FoldFolderOptions {
  onDamage(damage: Damage): void
  /** Records of this spool that were folded, of those that were not yet. */
  onProgress?(folded: number, total: number): void
  /** Everything up to here is in the log. */
  onFolded?(seq: number): void
  /** What comes after this record is left alone. */
  upTo?: number
  claim?: Claim | null
}

/** Folds one spool of a dead process. Returns the number of records. */
export async function foldFolder(db: Kysely<Database>, folder: string, options: FoldFolderOptions): Promise<number> {
  const spool = spoolNode(folder)
  if (spool === null) return 0
  checkFormat(folder)
  const reader = new SpoolReader(folder, options.onDamage)
  try {
    const { upTo = Number.POSITIVE_INFINITY, claim = null } = options
    const fold = createFold(db, spool, { claim })
    const read = (after: number) => reader.read(after).filter(({ seq }) => seq <= upTo)
    const begin = await fold.resume(read)
    const last = reader.end()?.seq ?? begin
    let position = begin
    for (let batch = read(position); batch.length > 0; batch = read(position)) {
      position = await fold.fold(position, batch)
      options.onProgress?.(position - begin, last - begin)
      options.onFolded?.(position)
    }
    return position - begin
  } finally {
    reader.close()
  }
}

/** The same for the spools of its serving threads, however many it had. */
export async function foldThreadSpools(
  db: Kysely<Database>,
  folder: string,
  options: FoldFolderOptions,
): Promise<number> {
  let folded = 0
  for (const spool of threadSpools(folder)) folded += await foldFolder(db, spool, options)
  return folded
}
