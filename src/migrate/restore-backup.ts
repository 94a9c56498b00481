import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { Kysely, sql } from 'kysely'
import { syncPath } from '../request-log/spool/segments.ts'
import { lockDataDir } from '../store/engine/data-lock.ts'
import type { Database } from '../store/engine/schema.ts'
import { SECRETS_FILE } from '../store/engine/secrets.ts'
import { openSqliteReader } from '../store/engine/sqlite-connection.ts'
import { sqliteDialect } from '../store/engine/sqlite-dialect.ts'
import { StoreError } from '../store/engine/store-error.ts'
import { schemaOf } from '../store/migrations/inspect.ts'
import { KNOWN_SCHEMA } from '../store/migrations/migrations.ts'
import { namingDisk } from './disk-problem.ts'
import { neededKeys } from './stored-secrets.ts'

export interface RestoreOptions {
  file: string
  dataDir: string
  /** From SECRETS_KEY. */
  secretsKeys: readonly string[] | null
}

export interface Restored {
  requests: number
  /** When the newest call in it began; null: there is none. */
  newest: number | null
  /** Why its stored secrets cannot be read here; null: they can. */
  secretsProblem: string | null
}

const PATH = 'switchyard.db'
const PART = `${PATH}.part`
/** What may be in an empty folder: the key, which is kept apart from the backup, and what an earlier try has left. */
const HARMLESS = new Set([SECRETS_FILE, 'lock.db', 'lock.db-journal', PART, 'lost+found'])

/** Checks the whole file first. What is in the folder already is never replaced. */
export async function restoreBackup({ file, dataDir, secretsKeys }: RestoreOptions): Promise<Restored> {
  if (!existsSync(file)) throw new StoreError(`there is no file ${file}`)
  const found = await readBackup(file)
  await namingDisk(dataDir, 'written', async () => fill(dataDir, file))
  const { requests, newest, schema } = found
  // Of an older one the gateway says so at its start, which migrates it.
  const secretsProblem = schema < KNOWN_SCHEMA ? null : await problemOfSecrets(dataDir, secretsKeys)
  return { requests, newest, secretsProblem }
}

function fill(dataDir: string, file: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  refuseUsed(dataDir)
  const lock = lockDataDir(join(dataDir, 'lock.db'), dataDir)
  try {
    refuseUsed(dataDir)
    const part = join(dataDir, PART)
    copyFileSync(file, part)
    chmodSync(part, 0o600)
    syncPath(part)
    renameSync(part, join(dataDir, PATH))
    syncPath(dataDir)
  } finally {
    lock.release()
  }
}

function refuseUsed(dataDir: string): void {
  const used = readdirSync(dataDir).filter((name) => !HARMLESS.has(name))
  if (used.length === 0) return
  throw new StoreError(
    `${dataDir} is not empty, it has ${used.slice(0, 3).join(', ')}: move them away or set DATA_DIR to a new folder`,
  )
}

async function readBackup(file: string): Promise<{ requests: number; newest: number | null; schema: number }> {
  return reading(file, async (db) => {
    const schema = await schemaOf(db, false)
    if (schema === 0) throw new StoreError(`${file} is no backup of a gateway`)
    if (schema > KNOWN_SCHEMA) {
      throw new StoreError(`${file} has schema version ${schema}, this program knows ${KNOWN_SCHEMA}: use a newer one`)
    }
    const checked = await sql<{ integrity_check: string }>`pragma integrity_check(1)`.execute(db)
    const verdict = checked.rows[0]?.integrity_check
    if (verdict !== 'ok') throw new StoreError(`${file} is damaged: ${verdict}`)
    const { rows, newest } = await db
      .selectFrom('requests')
      .select(({ fn }) => [fn.countAll<number>().as('rows'), fn.max('started_at').as('newest')])
      .executeTakeFirstOrThrow()
    return { requests: Number(rows), newest: newest === null ? null : Number(newest), schema }
  })
}

async function problemOfSecrets(dataDir: string, keys: readonly string[] | null): Promise<string | null> {
  return reading(join(dataDir, PATH), async (db) => {
    try {
      await neededKeys(db, dataDir, keys)
      return null
    } catch (error) {
      if (error instanceof StoreError) return error.message
      throw error
    }
  })
}

async function reading<T>(path: string, work: (db: Kysely<Database>) => Promise<T>): Promise<T> {
  const db = new Kysely<Database>({ dialect: sqliteDialect(openSqliteReader(path)) })
  try {
    return await namingDisk(path, 'read', () => work(db))
  } finally {
    await db.destroy()
  }
}
