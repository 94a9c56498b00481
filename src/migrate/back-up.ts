import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Kysely, sql } from 'kysely'
import { foldFolder, foldThreadSpools } from '../request-log/fold/fold-folder.ts'
import type { Damage } from '../request-log/spool/reader.ts'
import { listSegments, makeSpoolFolder, spoolNode, syncPath, threadSpools } from '../request-log/spool/segments.ts'
import { makePrivateFile } from '../store/engine/private-files.ts'
import type { Database } from '../store/engine/schema.ts'
import { openSqlite, openSqliteReader } from '../store/engine/sqlite-connection.ts'
import { sqliteDialect } from '../store/engine/sqlite-dialect.ts'
import { StoreError } from '../store/engine/store-error.ts'
import { schemaOf } from '../store/migrations/inspect.ts'
import { KNOWN_SCHEMA } from '../store/migrations/migrations.ts'
import { namingDisk } from './disk-problem.ts'

export interface BackUpOptions {
  dataDir: string
  /** Written as a whole or not at all. */
  file: string
  onDamage(damage: Damage): void
}

export interface BackedUp {
  requests: number
  /** Records that only the spool had. */
  folded: number
  bytes: number
}

const DATABASE = 'switchyard.db'

/**
 * Everything an embedded gateway knows, as one file, while it runs. The spool is copied first, then the database: what
 * the gateway folds in between is in both, and the fold of the copy skips it. So no call that was answered before is missing.
 */
export async function backUp({ dataDir, file, onDamage }: BackUpOptions): Promise<BackedUp> {
  const [source, target] = [join(dataDir, DATABASE), resolve(file)]
  if (!existsSync(source)) {
    throw new StoreError(`there is no ${DATABASE} in ${dataDir}: set DATA_DIR to that of an embedded gateway`)
  }
  if (existsSync(target)) throw new StoreError(`${file} exists: a backup never replaces a file`)
  if (!existsSync(dirname(target))) throw new StoreError(`there is no folder ${dirname(target)}`)
  await checkSchema(source)
  return namingDisk(file, 'written', () => write(dataDir, target, onDamage))
}

async function write(dataDir: string, target: string, onDamage: BackUpOptions['onDamage']): Promise<BackedUp> {
  const folder = mkdtempSync(`${target}.part-`)
  try {
    const spool = join(folder, 'spool')
    copySpools(join(dataDir, 'spool'), spool)
    const copy = join(folder, DATABASE)
    copyDatabase(join(dataDir, DATABASE), copy)
    const { requests, folded } = await foldInto(copy, spool, onDamage)
    syncPath(copy)
    renameSync(copy, target)
    syncPath(dirname(target))
    return { requests, folded, bytes: statSync(target).size }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function checkSchema(path: string): Promise<void> {
  const db = new Kysely<Database>({ dialect: sqliteDialect(openSqliteReader(path)) })
  try {
    const schema = await schemaOf(db, false)
    if (schema === KNOWN_SCHEMA) return
    throw new StoreError(
      `${basename(path)} has schema version ${schema}, this program knows ${KNOWN_SCHEMA}: use the version that the gateway runs`,
    )
  } finally {
    await db.destroy()
  }
}

/** A gateway may be writing: of its newest file this is the beginning, and the reader stops at the last whole record. */
function copySpools(from: string, to: string): void {
  const node = spoolNode(from)
  if (node === null) return
  mkdirSync(to, { mode: 0o700 })
  for (const spool of [from, ...threadSpools(from)]) {
    const copy = spool === from ? to : join(to, basename(spool))
    makeSpoolFolder(copy, spoolNode(spool) ?? node)
    for (const { path } of listSegments(spool)) copyUnlessFolded(path, join(copy, basename(path)))
  }
}

/** A file that has just been removed is in the database, which is copied after it. */
function copyUnlessFolded(from: string, to: string): void {
  try {
    copyFileSync(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

/** One moment of the database, which goes on being written meanwhile. */
function copyDatabase(from: string, to: string): void {
  makePrivateFile(to)
  const database = new DatabaseSync(from, { readOnly: true })
  try {
    database.prepare('vacuum into ?').run(to)
  } finally {
    database.close()
  }
}

async function foldInto(path: string, spool: string, onDamage: BackUpOptions['onDamage']) {
  const db = new Kysely<Database>({ dialect: sqliteDialect(openSqlite(path, true)) })
  try {
    const options = { onDamage }
    const folded = (await foldFolder(db, spool, options)) + (await foldThreadSpools(db, spool, options))
    const counted = await db
      .selectFrom('requests')
      .select(({ fn }) => fn.countAll<number>().as('rows'))
      .executeTakeFirstOrThrow()
    // So that the file needs no others beside it, and can be read from a disk that cannot be written.
    await sql`pragma journal_mode = delete`.execute(db)
    return { requests: Number(counted.rows), folded }
  } finally {
    await db.destroy()
  }
}
