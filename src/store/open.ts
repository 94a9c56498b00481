import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Kysely } from 'kysely'
import type { CloseRecord, OpenRecord } from '../domain/request-record.ts'
import { lockDataDir } from './data-lock.ts'
import { Ledger, type StoreLog } from './ledger.ts'
import { type Engine, migrate } from './migrations.ts'
import { openRemoteReader, openRemoteSqlite } from './remote-sqlite.ts'
import type { Database } from './schema.ts'
import { openSecrets, type Secrets } from './secrets.ts'
import { Spool } from './spool.ts'
import { closeLine, openLine } from './spool-lines.ts'
import { sqliteDialect } from './sqlite-dialect.ts'
import { errorText, StoreError } from './store-error.ts'

export interface StoreOptions {
  dataDir: string
  /** `postgres://…`, or null for the embedded SQLite in `dataDir`. */
  databaseUrl: string | null
  /** Also survive a power cut, not only the death of the process. */
  synchronousFull?: boolean
  /** Null keeps the request log for ever. */
  retentionDays: number | null
  /** From SECRETS_KEY; null for a key file in `dataDir`. */
  secretsKeys: string[] | null
  log: StoreLog
}

export interface RequestLog {
  /** Resolves when the row is durable: only then may the call be dispatched. */
  open(record: OpenRecord): Promise<void>
  /** Resolves when the row is durable: only then may the caller see the answer. */
  close(record: CloseRecord): Promise<void>
  /** Resolves when everything appended before is in the database, so that a query finds it. */
  caughtUp(): Promise<void>
  status(): RequestLogStatus
}

export interface RequestLogStatus {
  /** Rows in the spool file. */
  spoolRows: number
  /** Rows that the database does not have yet. */
  lagRows: number
  /** Why the database is behind; null when nothing is wrong. */
  lastError: string | null
}

export interface Store {
  db: Kysely<Database>
  /** The same data for reads of the log, which may take their time: they keep nobody waiting who uses `db`. */
  reads: Kysely<Database>
  engine: Engine
  /** This process's data folder, by a random id. */
  node: string
  secrets: Secrets
  requestLog: RequestLog
  close(): Promise<void>
}

const CONNECTIONS = 10
const READ_CONNECTIONS = 4
const CLOSE_MS = 10_000

/** Opens everything the gateway keeps, in order: when it resolves, the past is in order and calls may be taken. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { dataDir, databaseUrl, synchronousFull = false, log } = options
  makeDataDir(dataDir)
  const path = join(dataDir, 'switchyard.db')
  const spoolPath = join(dataDir, 'spool.db')
  await using opened = new AsyncDisposableStack()
  const lock = lockDataDir(join(dataDir, 'lock.db'), dataDir)
  opened.defer(() => lock.release())

  const secrets = openSecrets(dataDir, options.secretsKeys)
  const engine: Engine = databaseUrl === null ? 'sqlite' : 'postgres'
  const db =
    databaseUrl === null
      ? openEmbedded(path, synchronousFull)
      : await openServer({ url: databaseUrl, connections: CONNECTIONS }, log)
  opened.defer(() => db.destroy())
  await migrateOrExplain(db, engine)
  const reads =
    databaseUrl === null
      ? openReader(path)
      : await openServer({ url: databaseUrl, connections: READ_CONNECTIONS, forReads: true }, log)
  opened.defer(() => reads.destroy())

  const spool = new Spool(spoolPath, { synchronousFull, onCommit: () => ledger.wake() })
  opened.defer(() => spool.close())
  const settings = {
    spoolPath,
    node: spool.node,
    target: databaseUrl === null ? { kind: 'sqlite' as const, path } : { kind: 'postgres' as const, url: databaseUrl },
    synchronousFull,
    retentionDays: options.retentionDays,
    onlyProcess: databaseUrl === null,
    closesInterrupted: true,
  }
  const ledger = new Ledger(spool, settings, log)
  opened.defer(() => ledger.close(CLOSE_MS))
  opened.defer(() => spool.settled())
  await ledger.ready

  const kept = opened.move()
  return {
    db,
    reads,
    engine,
    node: spool.node,
    secrets,
    requestLog: requestLog(spool, ledger),
    close: () => kept.disposeAsync(),
  }
}

function makeDataDir(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new StoreError(`cannot create the data folder ${dataDir}: ${errorText(error)}`, { cause: error })
  }
}

function openEmbedded(path: string, synchronousFull: boolean): Kysely<Database> {
  return new Kysely<Database>({ dialect: sqliteDialect(openRemoteSqlite({ path, readOnly: false, synchronousFull })) })
}

function openReader(path: string): Kysely<Database> {
  return new Kysely<Database>({ dialect: sqliteDialect(openRemoteReader(path)) })
}

/** The client is loaded only where it is used: it costs the embedded set-up a tenth of its start. */
async function openServer(
  server: { url: string; connections: number; forReads?: boolean },
  log: StoreLog,
): Promise<Kysely<Database>> {
  const { postgresDialect } = await import('./postgres-pool.ts')
  const onIdleError = (error: Error) => log.warn({ error: error.message }, 'a connection to PostgreSQL broke')
  return new Kysely<Database>({ dialect: postgresDialect({ ...server, onIdleError }) })
}

async function migrateOrExplain(db: Kysely<Database>, engine: Engine): Promise<void> {
  try {
    await migrate(db, engine, Date.now())
  } catch (error) {
    if (error instanceof StoreError) throw error
    throw new StoreError(`cannot open the ${engine} database: ${errorText(error)}`, { cause: error })
  }
}

function requestLog(spool: Spool, ledger: Ledger): RequestLog {
  return {
    open: (record) => spool.append(openLine(record)),
    close: (record) => spool.append(closeLine(record)),
    async caughtUp() {
      await spool.settled()
      await ledger.caughtUp()
    },
    status: () => ({
      spoolRows: spool.rows,
      lagRows: spool.lastSeq - ledger.foldedSeq,
      lastError: ledger.lastError,
    }),
  }
}
