import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Kysely, sql } from 'kysely'
import { closeInterrupted } from '../request-log/fold/fold.ts'
import { type DataLock, lockDataDir } from '../store/engine/data-lock.ts'
import type { Database } from '../store/engine/schema.ts'
import { openSqlite, openSqliteReader } from '../store/engine/sqlite-connection.ts'
import { sqliteDialect } from '../store/engine/sqlite-dialect.ts'
import { StoreError } from '../store/engine/store-error.ts'
import { KNOWN_SCHEMA, migrate } from '../store/migrations/migrations.ts'
import { foldSpool } from './fold-spool.ts'

export interface Source {
  /** Only reads. */
  db: Kysely<Database>
  dataDir: string
  /** Records that were in the spool only. */
  folded: number
  /** Calls that the last process was cut off in. */
  interrupted: number
  close(): Promise<void>
}

/**
 * The data folder of an embedded gateway, locked against other use. Unless it is opened read-only, it is first prepared
 * as at a start: migrated to the current schema, the spool folded, interrupted calls closed.
 */
export async function openSource(folder: string, options: { readOnly: boolean }): Promise<Source> {
  const dataDir = resolve(folder)
  const path = join(dataDir, 'switchyard.db')
  if (!existsSync(path)) {
    throw new StoreError(`there is no switchyard.db in ${dataDir}: --from names the DATA_DIR of an embedded gateway`)
  }
  await using opened = new AsyncDisposableStack()
  const lock = lockOrExplain(dataDir)
  opened.defer(() => lock.release())
  const { folded, interrupted } = options.readOnly ? NOTHING : await putInOrder(dataDir, path)
  const db = new Kysely<Database>({ dialect: sqliteDialect(openSqliteReader(path)) })
  opened.defer(() => db.destroy())
  await checkSchema(db)
  const kept = opened.move()
  return { db, dataDir, folded, interrupted, close: () => kept.disposeAsync() }
}

const NOTHING = { folded: 0, interrupted: 0 }

function lockOrExplain(dataDir: string): DataLock {
  try {
    return lockDataDir(join(dataDir, 'lock.db'), dataDir)
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    throw new StoreError(
      `a gateway is running on ${dataDir}, or another migrate: stop it first, what it writes now would stay behind`,
    )
  }
}

async function putInOrder(dataDir: string, path: string): Promise<{ folded: number; interrupted: number }> {
  const db = new Kysely<Database>({ dialect: sqliteDialect(openSqlite(path, true)) })
  try {
    const now = Date.now()
    await migrate(db, 'sqlite', now)
    const folded = await foldSpool(dataDir, db)
    return { folded, interrupted: await closeInterrupted(db, null, now) }
  } finally {
    await db.destroy()
  }
}

async function checkSchema(db: Kysely<Database>): Promise<void> {
  const found = await sql<{ version: number }>`select max(version) as version from schema_versions`.execute(db)
  const version = found.rows[0]?.version ?? 0
  if (version === KNOWN_SCHEMA) return
  throw new StoreError(`switchyard.db has schema version ${version}, this program works with ${KNOWN_SCHEMA}`)
}
