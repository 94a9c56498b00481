import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Kysely, sql } from 'kysely'
import { readInstallation } from '../control/installation-id.ts'
import { type ControlRows, readControlRows } from '../control/snapshot.ts'
import { lockDataDir } from '../engine/data-lock.ts'
import { refusePooledSessions } from '../engine/pooled-sessions.ts'
import { postgresDialect } from '../engine/postgres-pool.ts'
import type { Database } from '../engine/schema.ts'
import { openSqliteReader } from '../engine/sqlite-connection.ts'
import { sqliteDialect } from '../engine/sqlite-dialect.ts'
import { StoreError } from '../engine/store-error.ts'
import { refuseUnfinishedMove } from '../engine/unfinished-move.ts'
import { KNOWN_SCHEMA } from './migrations.ts'

/** What a store holds, seen without changing anything and beside a running gateway. */
export interface Inspection {
  /** 0: nothing is there yet. */
  schema: number
  knownSchema: number
  /** Null when there is nothing, or it is of another schema than ours. */
  rows: ControlRows | null
  /** The id of the database, if it has one already. */
  installation: string | null
}

const NOTHING_YET: Inspection = { schema: 0, knownSchema: KNOWN_SCHEMA, rows: null, installation: null }

/** Throws when the database does not answer, and a StoreError when no gateway would start on it. */
export async function inspectStore(dataDir: string, databaseUrl: string | null): Promise<Inspection> {
  const path = join(dataDir, 'switchyard.db')
  if (databaseUrl === null && !existsSync(path)) return { ...NOTHING_YET }
  if (databaseUrl !== null) await refusePooledSessions(databaseUrl)
  const dialect =
    databaseUrl === null
      ? sqliteDialect(openSqliteReader(path))
      : postgresDialect({ url: databaseUrl, connections: 1, queryTimeoutMs: 10_000, onIdleError: () => {} })
  const db = new Kysely<Database>({ dialect })
  try {
    const schema = await schemaOf(db, databaseUrl !== null)
    if (schema > 0 && databaseUrl !== null) await refuseUnfinishedMove(db)
    if (schema !== KNOWN_SCHEMA) return { ...NOTHING_YET, schema }
    return {
      schema,
      knownSchema: KNOWN_SCHEMA,
      rows: await readControlRows(db),
      installation: await readInstallation(db),
    }
  } finally {
    await db.destroy()
  }
}

export async function schemaOf(db: Kysely<Database>, isServer: boolean): Promise<number> {
  const tables = isServer
    ? sql<{
        name: string
      }>`select table_name as name from information_schema.tables where table_name = 'schema_versions'`
    : sql<{ name: string }>`select name from sqlite_master where name = 'schema_versions'`
  if ((await tables.execute(db)).rows.length === 0) return 0
  const found = await sql<{ version: number | null }>`select max(version) as version from schema_versions`.execute(db)
  return Number(found.rows[0]?.version ?? 0)
}

/** Does a running gateway hold the data folder? */
export function isDataDirInUse(dataDir: string): boolean {
  const path = join(dataDir, 'lock.db')
  if (!existsSync(path)) return false
  try {
    lockDataDir(path, dataDir).release()
    return false
  } catch (error) {
    if (error instanceof StoreError) return true
    throw error
  }
}
