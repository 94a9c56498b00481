import { mkdirSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import { foldThreadSpools } from '../request-log/fold/fold-folder.ts'
import { tellDamage } from '../request-log/fold/fold-thread.ts'
import type { Damage } from '../request-log/spool/reader.ts'
import { readTail } from '../request-log/spool/tail.ts'
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
import { DATABASE_FILE, openSpool, type RequestLog, targetOf } from './open-spool.ts'

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
  /** Shared counters hear of every end: the spool keeps it until they have. */
  isReported?: boolean
}

export interface OtherSpools {
  lagRows(): number
  /** Not a single record is there alone. */
  isDelivered(): boolean
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
  /** For the shared counters, which hear of every end besides the database. */
  spool: {
    lastSeq(): number
    reported(seq: number): void
    tail(after: number, upTo: number): ReturnType<typeof readTail>
  }
  valueUses: ValueUses
  /** This gateway has other spools as well. */
  besides(others: OtherSpools): void
  close(): Promise<void>
}

/** About a gigabyte. */
const MAX_SPOOL_ROWS = 2_000_000
/** Few calls take longer. */
const OPEN_AFTER_MS = 10_000

/** Opens everything the gateway keeps, in order: when it resolves, the past is in order and calls may be taken. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { dataDir, databaseUrl, synchronousFull = false, log, nodeName = hostname, version = '' } = options
  makeDataDir(dataDir)
  closeToOthers(dataDir, log)
  const path = join(dataDir, DATABASE_FILE)
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

  const maxRows = options.maxSpoolRows ?? MAX_SPOOL_ROWS
  const isReported = options.isReported === true
  const spooled = openSpool(spoolFolder, { synchronousFull, maxRows, isReported, log })
  opened.use(spooled)
  const { node } = spooled
  let others: OtherSpools = { lagRows: () => 0, isDelivered: () => true }
  const lagRows = () => spooled.lagRows() + others.lagRows()
  if (engine === 'postgres') {
    const identity = { node, dataDir, version, name: nodeName, lagRows, log }
    const presence = await patiently(() => startPresence(db, identity), options)
    opened.defer(() => presence.stop(spooled.isDelivered() && others.isDelivered()))
  }
  const onDamage = (damage: Damage) => tellDamage(log, damage)
  await patiently(() => foldThreadSpools(db, spoolFolder, { onDamage }), options)
  const fold = spooled.fold({
    target: targetOf(dataDir, databaseUrl),
    retentionDays: options.retentionDays,
    onlyProcess: databaseUrl === null,
    openAfterMs: options.openAfterMs ?? OPEN_AFTER_MS,
    isFirst: true,
  })
  opened.use(fold)
  await orAborted(fold.ready, options.waits?.signal)

  const kept = opened.move()
  return {
    db,
    reads,
    engine,
    node,
    nodeName,
    secrets,
    requestLog: fold.requestLog,
    spool: {
      lastSeq: spooled.lastSeq,
      reported: spooled.reported,
      tail: (after, upTo) => readTail(spoolFolder, after, upTo),
    },
    valueUses,
    besides(more) {
      others = more
    },
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
