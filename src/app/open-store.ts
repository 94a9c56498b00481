import { mkdirSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import { FoldThread, tellDamage } from '../request-log/fold/fold-thread.ts'
import type { LogFullReason } from '../request-log/log-full.ts'
import type { CloseRecord, CommitRecord, OpenRecord } from '../request-log/record.ts'
import { Backlog } from '../request-log/spool/backlog.ts'
import type { Damage } from '../request-log/spool/reader.ts'
import { closeLine, commitLine, openLine } from '../request-log/spool/record-lines.ts'
import { Spool } from '../request-log/spool/spool.ts'
import { startPresence } from '../store/control/node-presence.ts'
import { keepValueUses, type ValueUses } from '../store/control/value-uses.ts'
import { lockDataDir } from '../store/engine/data-lock.ts'
import { DatabaseAwayError, onceReachable } from '../store/engine/database-away.ts'
import type { Engine } from '../store/engine/engine.ts'
import { closeToOthers } from '../store/engine/private-files.ts'
import type { Database } from '../store/engine/schema.ts'
import { openSecrets, type Secrets } from '../store/engine/secrets.ts'
import { errorText, StoreError, type StoreLog } from '../store/engine/store-error.ts'
import { openDatabase } from '../store/migrations/open-database.ts'

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
  /** Of this gateway among the others of its PostgreSQL. */
  nodeName?: () => string
  version?: string
  /** Waits for a PostgreSQL that is away until it is there or the signal aborts; otherwise that is an error. */
  waits?: { signal?: AbortSignal | undefined }
  /** So many records may wait in the spool for the database; beyond that the log is full. */
  maxSpoolRows?: number
  /** So long the row of a running call is not written: most calls are then one row, written once. */
  openAfterMs?: number
}

export interface RequestLog {
  /**
   * Resolves, to its place in the spool, when the row is durable: only then may the call be dispatched. Rejects with
   * `log_full` when the disk does not take it.
   */
  open(record: OpenRecord): Promise<number>
  /** The same for a stream: only then may the caller see its first content. Waits for a disk that takes nothing now. */
  commit(record: CommitRecord): Promise<number>
  /** The same: only then may the caller see the answer. Waits for a disk that takes nothing now. */
  close(record: CloseRecord): Promise<number>
  /**
   * Resolves when everything appended before is in the database, so that a query finds it. With `andStays` running calls
   * are in it for the next minute as soon as they begin.
   */
  caughtUp(andStays?: boolean): Promise<void>
  /** Why no further call may begin; null as a rule. Costs next to nothing to ask. */
  fullBecause(): LogFullReason | null
  status(): RequestLogStatus
}

export interface RequestLogStatus {
  /** Rows in the files of the spool, folded or not. */
  spoolRows: number
  /** Rows that the database does not have yet. */
  lagRows: number
  /** Age of the oldest of them. */
  lagSeconds: number
  /** So many may wait. */
  maxRows: number
  /** Why the spool cannot be written; null when it can. */
  diskError: string | null
  /** That, or why the database is behind; null when nothing is wrong. */
  lastError: string | null
}

export interface Store {
  db: Kysely<Database>
  /** The same data for reads of the log, which may take their time: they keep nobody waiting who uses `db`. */
  reads: Kysely<Database>
  engine: Engine
  /** This process's data folder, by a random id. */
  node: string
  nodeName(): string
  secrets: Secrets
  requestLog: RequestLog
  valueUses: ValueUses
  close(): Promise<void>
}

const CLOSE_MS = 10_000
/** About a gigabyte. */
const MAX_SPOOL_ROWS = 2_000_000
/** Few calls take longer. */
const OPEN_AFTER_MS = 10_000

/** Opens everything the gateway keeps, in order: when it resolves, the past is in order and calls may be taken. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { dataDir, databaseUrl, synchronousFull = false, log, nodeName = hostname, version = '' } = options
  makeDataDir(dataDir)
  closeToOthers(dataDir, log)
  const path = join(dataDir, 'switchyard.db')
  const spoolFolder = join(dataDir, 'spool')
  await using opened = new AsyncDisposableStack()
  const lock = lockDataDir(join(dataDir, 'lock.db'), dataDir)
  opened.defer(() => lock.release())

  const secrets = openSecrets(dataDir, options.secretsKeys)
  const database = await openDatabase({ path, url: databaseUrl, synchronousFull, log, waits: options.waits })
  opened.use(database)
  const { engine, db, reads } = database
  const valueUses = keepValueUses(db)
  opened.defer(() => valueUses.stop())

  const onCommit = () => {
    backlog.committed()
    foldThread.wake()
  }
  const onDamage = (damage: Damage) => tellDamage(log, damage)
  const spool = new Spool(spoolFolder, { synchronousFull, onCommit, onDamage, log })
  opened.defer(() => spool.close())
  spool.reserveRoom()
  const lagRows = () => foldThread.lagRows
  if (engine === 'postgres') {
    const identity = { node: spool.node, dataDir, version, name: nodeName, lagRows, log }
    const presence = await patiently(() => startPresence(db, identity), options)
    opened.defer(() => presence.stop(foldThread.isDelivered))
  }
  const settings = {
    spoolFolder,
    node: spool.node,
    target: databaseUrl === null ? { kind: 'sqlite' as const, path } : { kind: 'postgres' as const, url: databaseUrl },
    synchronousFull,
    retentionDays: options.retentionDays,
    onlyProcess: databaseUrl === null,
    openAfterMs: options.openAfterMs ?? OPEN_AFTER_MS,
    closesInterrupted: true,
  }
  const foldThread = new FoldThread(spool, settings, log)
  const backlog = new Backlog({ maxRows: options.maxSpoolRows ?? MAX_SPOOL_ROWS, log }, spool, foldThread)
  opened.defer(() => foldThread.close(CLOSE_MS))
  opened.defer(() => spool.settled())
  await orAborted(foldThread.ready, options.waits?.signal)

  const kept = opened.move()
  return {
    db,
    reads,
    engine,
    node: spool.node,
    nodeName,
    secrets,
    requestLog: requestLog(spool, foldThread, backlog),
    valueUses,
    close: () => kept.disposeAsync(),
  }
}

function patiently<T>(work: () => Promise<T>, { log, waits }: StoreOptions): Promise<T> {
  return waits === undefined ? work() : onceReachable(work, { log, ...waits })
}

/** The fold waits for ever for a database that goes away at the wrong moment. */
function orAborted(ready: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  signal?.addEventListener('abort', () => reject(new DatabaseAwayError('stopped while waiting for the database')))
  return Promise.race([ready, aborted])
}

function makeDataDir(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new StoreError(`cannot create the data folder ${dataDir}: ${errorText(error)}`, { cause: error })
  }
}

function requestLog(spool: Spool, foldThread: FoldThread, backlog: Backlog): RequestLog {
  return {
    open: (record) => spool.append(openLine(record)),
    commit: (record) => spool.appendEnd(commitLine(record)),
    close: (record) => spool.appendEnd(closeLine(record)),
    async caughtUp(andStays) {
      await spool.settled()
      await foldThread.caughtUp(andStays)
    },
    fullBecause: () => (spool.problem !== null ? 'disk' : backlog.isFull() ? 'database' : null),
    status: () => ({
      spoolRows: spool.rows,
      lagRows: foldThread.lagRows,
      lagSeconds: backlog.lagSeconds(),
      maxRows: backlog.maxRows,
      diskError: spool.problem,
      lastError: spool.problem ?? foldThread.lastError,
    }),
  }
}
