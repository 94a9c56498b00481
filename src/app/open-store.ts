import { mkdirSync } from 'node:fs'
import { hostname } from 'node:os'
import { basename, join } from 'node:path'
import type { Kysely } from 'kysely'
import { type Claim, claimSpool, refuseSuperseded } from '../request-log/fold/claim-spool.ts'
import type { Position } from '../request-log/fold/position.ts'
import { DATABASE_FILE, openSpool, type RequestLog, targetOf } from '../request-log/open-spool.ts'
import { type PastSpool, pastSpools, readPast } from '../request-log/past/read-past.ts'
import { type StorePast, storePast } from '../request-log/past/store-past.ts'
import { makeSpoolFolder, spoolNode, threadSpool, threadSpools } from '../request-log/spool/segments.ts'
import { readTail } from '../request-log/spool/tail.ts'
import { type PresenceOptions, startPresence } from '../store/control/node-presence.ts'
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
  /** Waits for a PostgreSQL that is down until it is there or the signal aborts; otherwise that is an error. */
  waits?: { signal?: AbortSignal | undefined }
  /** That serve calls; 1, the default: the main thread does. */
  threads?: number
  /** So many records may wait in the spool for the database; beyond that the log is full. */
  maxSpoolRows?: number
  /** So long the row of a running call is not written: most calls are then one row, written once. */
  openAfterMs?: number
  /** For tests: so long records gather, instead of a second. */
  gatherMs?: number
  /** Shared counters receive every end: the spool keeps it until they have it. */
  isReported?: boolean
  /** Earlier spools are processed only after `begin` and this promise; without it, before the store is open. */
  foldsAfter?: Promise<void>
}

export interface OtherSpools {
  /** The database has everything of the past of one of them up to here. */
  pastFolded(spool: string, seq: number): void
  lagRows(): number
  /** Not a single record is there alone. */
  isDelivered(): boolean
}

export interface Store {
  db: Kysely<Database>
  /** The same data for slow reads of the log, which do not delay users of `db`. */
  reads: Kysely<Database>
  /** How often `db` has been written to; null: not only by this process. */
  writes(): number | null
  engine: Engine
  /** This process's data folder, by a random id. */
  node: string
  nodeName(): string
  secrets: Secrets
  requestLog: RequestLog
  /** For the shared counters, which receive every end in addition to the database. */
  spool: {
    /** How far the database had come at the start with a spool of this gateway. */
    positionOf(spool: string): Position
    claim: Claim | null
    lastSeq(): number
    reported(seq: number): void
    tail(after: number, upTo: number): ReturnType<typeof readTail>
  }
  past: StorePast
  valueUses: ValueUses
  /** This gateway has other spools as well. */
  besides(others: OtherSpools): void
  close(): Promise<void>
}

/** About a gigabyte. */
const MAX_SPOOL_ROWS = 2_000_000
/** Few calls take longer. */
const OPEN_AFTER_MS = 10_000

/** Opens everything the gateway keeps, in order. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { dataDir, databaseUrl, synchronousFull = false, log, nodeName = hostname, version = '' } = options
  makeDataDir(dataDir)
  closeToOthers(dataDir, log)
  const [path, spoolFolder] = [join(dataDir, DATABASE_FILE), join(dataDir, 'spool')]
  await using opened = new AsyncDisposableStack()
  const lock = lockDataDir(join(dataDir, 'lock.db'), dataDir)
  opened.defer(() => lock.release())

  const secrets = openSecrets(dataDir, options.secretsKeys)
  const database = await openDatabase({ path, url: databaseUrl, synchronousFull, log, waits: options.waits })
  opened.use(database)
  const { engine, db, reads, writes } = database
  const valueUses = keepValueUses(db)
  opened.defer(() => valueUses.stop())

  const { maxSpoolRows: maxRows = MAX_SPOOL_ROWS, isReported = false } = options
  const spooled = openSpool(spoolFolder, { synchronousFull, maxRows, isReported, log })
  opened.use(spooled)
  const { node } = spooled
  let others: OtherSpools = { pastFolded() {}, lagRows: () => 0, isDelivered: () => true }
  const lagRows = () => spooled.lagRows() + others.lagRows()
  const identity = { node, dataDir, version, name: nodeName, lagRows, log }
  const joining = { db, identity, isDelivered: () => spooled.isDelivered() && others.isDelivered() }
  const claim = engine === 'postgres' ? await joinNodes(joining, options, opened) : null
  const spools = await patiently(() => pastSpools(db, spoolsOf(spoolFolder, node, options.threads ?? 1)), options)
  const positionOf = (spool: string) => spools.find((each) => each.spool === spool)?.position ?? { seq: 0, ends: 0 }
  const onlyProcess = databaseUrl === null
  const fold = spooled.fold({
    target: targetOf(dataDir, databaseUrl),
    retentionDays: options.retentionDays,
    onlyProcess,
    ...{ openAfterMs: options.openAfterMs ?? OPEN_AFTER_MS, gatherMs: options.gatherMs },
    position: positionOf(node),
    past: spools,
    claim,
    onPast: (spool, seq) => others.pastFolded(spool, seq),
  })
  opened.use(fold)
  const readAll = (now: number) => readPast(reads, spools, { node: onlyProcess ? null : node, now })
  const past = storePast(fold, (now) => patiently(() => readAll(now), options), options.foldsAfter ?? Promise.resolve())
  if (options.foldsAfter === undefined) {
    fold.begin()
    await orAborted(fold.ready, options.waits?.signal)
  }

  const kept = opened.move()
  return {
    ...{ db, reads, writes },
    engine,
    node,
    nodeName,
    secrets,
    requestLog: past.before(fold.requestLog),
    spool: {
      positionOf,
      claim,
      lastSeq: spooled.lastSeq,
      reported: spooled.reported,
      tail: (after, upTo) => readTail(spoolFolder, after, upTo),
    },
    past,
    valueUses,
    besides(more) {
      others = more
    },
    close: () => kept.disposeAsync(),
  }
}

interface Joining {
  db: Kysely<Database>
  identity: PresenceOptions
  isDelivered(): boolean
}

/** This process becomes the node of its folder, unless a copy of the folder is that. */
async function joinNodes(
  { db, identity, isDelivered }: Joining,
  options: StoreOptions,
  opened: AsyncDisposableStack,
): Promise<Claim | null> {
  const [node, folder] = [identity.node, join(options.dataDir, 'spool')]
  await patiently(() => refuseSuperseded(db, node, folder), options)
  const presence = await patiently(() => startPresence(db, identity), options)
  opened.defer(() => presence.stop(isDelivered()))
  return patiently(() => claimSpool(db, node, folder), options)
}

/**
 * The spools of its serving threads, however many it had, and last its own. A missing spool is created here: its
 * position is still in the database even if the files were removed, and its numbers must continue from there.
 */
function spoolsOf(folder: string, node: string, threads: number): Pick<PastSpool, 'folder' | 'spool' | 'isGone'>[] {
  const serving = threads === 1 ? 0 : threads
  for (let thread = 1; thread <= serving; thread++)
    makeSpoolFolder(join(folder, String(thread)), threadSpool(node, thread))
  const ofThreads = threadSpools(folder).map((each) => ({ folder: each, isGone: Number(basename(each)) > serving }))
  return [...ofThreads, { folder, isGone: false }].map((each) => ({ ...each, spool: spoolNode(each.folder) ?? '' }))
}

function patiently<T>(work: () => Promise<T>, { log, waits }: StoreOptions): Promise<T> {
  return waits === undefined ? work() : onceReachable(work, { log, ...waits })
}

/** The fold waits for ever for a database that goes down at the wrong moment. */
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
