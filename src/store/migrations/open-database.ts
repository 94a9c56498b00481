import { Kysely } from 'kysely'
import { onceReachable } from '../engine/database-away.ts'
import type { Engine } from '../engine/engine.ts'
import { refusePooledSessions } from '../engine/pooled-sessions.ts'
import { openRemoteReader, openRemoteSqlite } from '../engine/remote-sqlite.ts'
import type { Database } from '../engine/schema.ts'
import { sqliteDialect } from '../engine/sqlite-dialect.ts'
import { errorText, StoreError, type StoreLog } from '../engine/store-error.ts'
import { refuseUnfinishedMove } from '../engine/unfinished-move.ts'
import { migrate } from './migrations.ts'

export interface DatabaseOptions {
  /** Of the embedded SQLite. */
  path: string
  /** `postgres://…`, or null for the embedded one. */
  url: string | null
  synchronousFull: boolean
  log: StoreLog
  /** Waits for a PostgreSQL that is down until it is there or the signal aborts; otherwise that is an error. */
  waits?: { signal?: AbortSignal | undefined } | undefined
}

export interface OpenedDatabase extends AsyncDisposable {
  engine: Engine
  db: Kysely<Database>
  /** The same data for slow reads of the log, which do not delay users of `db`. */
  reads: Kysely<Database>
  /** How often `db` has been written to; null: not only by this process. */
  writes(): number | null
}

const CONNECTIONS = 10
const READ_CONNECTIONS = 4
/** Control data is small: the longest change, an import of all prices, takes a second. */
const QUERY_MS = 10_000
/** Sums over a year of a busy workspace take seconds. */
const READ_MS = 60_000
const READ = /^\s*(select|begin|commit|rollback)\b/i

/** Opens the database and brings it up to this version. */
export async function openDatabase(options: DatabaseOptions): Promise<OpenedDatabase> {
  return options.url === null ? openEmbedded(options) : openServer(options, options.url)
}

async function openEmbedded({ path, synchronousFull }: DatabaseOptions): Promise<OpenedDatabase> {
  await using opened = new AsyncDisposableStack()
  const connection = openRemoteSqlite({ path, readOnly: false, synchronousFull })
  let writes = 0
  const execute: typeof connection.execute = (query) => {
    if (!READ.test(query.sql)) writes += 1
    return connection.execute(query)
  }
  const db = new Kysely<Database>({ dialect: sqliteDialect({ ...connection, execute }) })
  opened.defer(() => db.destroy())
  await orExplain(migrate(db, 'sqlite', Date.now()), 'sqlite')
  const reads = new Kysely<Database>({ dialect: sqliteDialect(openRemoteReader(path)) })
  opened.defer(() => reads.destroy())
  return kept(opened, { engine: 'sqlite', db, reads, writes: () => writes })
}

async function openServer({ log, waits }: DatabaseOptions, url: string): Promise<OpenedDatabase> {
  await using opened = new AsyncDisposableStack()
  // The client is loaded only where it is used: it costs the embedded set-up a tenth of its start.
  const { postgresDialect } = await import('../engine/postgres-pool.ts')
  const onIdleError = (error: Error) => log.warn({ error: error.message }, 'a connection to PostgreSQL broke')
  const open = (pool: { connections: number; queryTimeoutMs: number | null; forReads?: boolean }) =>
    new Kysely<Database>({ dialect: postgresDialect({ url, onIdleError, ...pool }) })

  async function migrateServer(): Promise<void> {
    await refusePooledSessions(url)
    // One step may rewrite a table, and other nodes that start wait for it: no timeout.
    const migrating = open({ connections: 1, queryTimeoutMs: null })
    try {
      await migrate(migrating, 'postgres', Date.now())
      await refuseUnfinishedMove(migrating)
    } finally {
      await migrating.destroy()
    }
  }
  await orExplain(waits === undefined ? migrateServer() : onceReachable(migrateServer, { log, ...waits }), 'postgres')

  const db = open({ connections: CONNECTIONS, queryTimeoutMs: QUERY_MS })
  opened.defer(() => db.destroy())
  const reads = open({ connections: READ_CONNECTIONS, queryTimeoutMs: READ_MS, forReads: true })
  opened.defer(() => reads.destroy())
  return kept(opened, { engine: 'postgres', db, reads, writes: () => null })
}

function kept(opened: AsyncDisposableStack, parts: Omit<OpenedDatabase, keyof AsyncDisposable>): OpenedDatabase {
  const moved = opened.move()
  return { ...parts, [Symbol.asyncDispose]: () => moved.disposeAsync() }
}

async function orExplain(migrated: Promise<void>, engine: Engine): Promise<void> {
  try {
    await migrated
  } catch (error) {
    if (error instanceof StoreError) throw error
    throw new StoreError(`cannot open the ${engine} database: ${errorText(error)}`, { cause: error })
  }
}
