import { join } from 'node:path'
import type { StoreLog } from '../store/engine/store-error.ts'
import type { Claim } from './fold/claim-spool.ts'
import type { FoldTarget } from './fold/fold-protocol.ts'
import { FoldThread, tellDamage } from './fold/fold-thread.ts'
import type { Position } from './fold/position.ts'
import type { LogFullReason } from './log-full.ts'
import type { PastSpool } from './past/read-past.ts'
import type { CloseRecord, CommitRecord, OpenRecord } from './record.ts'
import { Backlog } from './spool/backlog.ts'
import type { Damage } from './spool/reader.ts'
import { closeLine, commitLine, openLine } from './spool/record-lines.ts'
import { Spool } from './spool/spool.ts'

export interface RequestLog {
  /**
   * Resolves, to its place in the spool, when the row is durable: only then may the call be dispatched. Rejects with
   * `log_full` when the disk does not take it. `text`: the record as `openText` writes it, which `close` takes over.
   */
  open(record: OpenRecord, text?: string): Promise<number>
  /** The same for a stream: only then may the caller see its first content. Waits for a disk that takes nothing now. */
  commit(record: CommitRecord): Promise<number>
  /** The same: only then may the caller see the answer. Waits for a disk that takes nothing now. */
  close(record: CloseRecord, opening?: string): Promise<number>
  /** Resolves when everything appended before is in the database, so that a query finds it. */
  caughtUp(): Promise<void>
  /** Why no further call may begin; usually null. Costs next to nothing to ask. */
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

export interface SpoolOptions {
  /** The id of a new folder; random by default. */
  node?: string
  synchronousFull: boolean
  /** So many records may wait for the database; beyond that the log is full. */
  maxRows: number
  /** Shared counters receive every end: files are kept until they have it. */
  isReported?: boolean
  log: StoreLog
}

export interface FoldOptions {
  target: FoldTarget
  retentionDays: number | null
  /** So long the row of a running call is not written: most calls are then one row, written once. */
  openAfterMs: number
  /** For tests: so long records gather, instead of a second. */
  gatherMs?: number | undefined
  /** No other process can have calls in this database. */
  onlyProcess: boolean
  /** How far the database has come with this spool. */
  position: Position
  /** Of the gateway's folder; null for SQLite. */
  claim: Claim | null
  /**
   * For one of the gateway's spools, whose worker puts the past in order and keeps house: what earlier processes have
   * left in all of them. Null for the others.
   */
  past: readonly PastSpool[] | null
  /** Of the past of another spool everything up to here is in the database. */
  onPast?(spool: string, seq: number): void
}

export interface OpenedSpool extends AsyncDisposable {
  node: string
  /** The newest record. */
  lastSeq(): number
  /** Shared counters have everything up to here. */
  reported(seq: number): void
  lagRows(): number
  /** Not a single record is here alone. */
  isDelivered(): boolean
  /** What moves its rows into the database. */
  fold(options: FoldOptions): OpenedFold
}

export interface OpenedFold extends AsyncDisposable {
  /** Nothing is moved before. */
  begin(): void
  /** The past is in order; rejects when its worker fails before. */
  ready: Promise<void>
  /** The same, but never rejects. */
  inOrder: Promise<void>
  /** The database has everything up to here, by another's work. */
  advance(position: Position): void
  requestLog: RequestLog
}

const CLOSE_MS = 10_000
export const DATABASE_FILE = 'switchyard.db'

/** Where the log is folded into. */
export function targetOf(dataDir: string, databaseUrl: string | null): FoldTarget {
  return databaseUrl === null
    ? { kind: 'sqlite', path: join(dataDir, DATABASE_FILE) }
    : { kind: 'postgres', url: databaseUrl }
}

/** One durable queue in front of the database: that of the gateway, or of one of its serving threads. */
export function openSpool(folder: string, options: SpoolOptions): OpenedSpool {
  const { node, synchronousFull, maxRows, isReported = false, log } = options
  let parts: { foldThread: FoldThread; backlog: Backlog } | null = null
  const onCommit = () => {
    parts?.backlog.committed()
    parts?.foldThread.wake()
  }
  const onDamage = (damage: Damage) => tellDamage(log, damage)
  const spool = new Spool(folder, {
    ...(node !== undefined && { node }),
    synchronousFull,
    isReported,
    onCommit,
    onDamage,
    log,
  })
  spool.reserveRoom()
  return {
    node: spool.node,
    lastSeq: () => spool.lastSeq,
    reported: (seq) => spool.reported(seq),
    lagRows: () => parts?.foldThread.lagRows ?? 0,
    isDelivered: () => parts?.foldThread.isDelivered ?? false,
    fold({ onPast = () => {}, position, ...options }) {
      const where = { spoolFolder: folder, node: spool.node, synchronousFull }
      const settings = { ...options, ...where, runsHousekeeping: options.past !== null }
      spool.startAfter(position.ends)
      const foldThread = new FoldThread(spool, settings, log, onPast)
      foldThread.advance(position)
      const backlog = new Backlog({ maxRows, log }, spool, foldThread)
      parts = { foldThread, backlog }
      return {
        begin: () => foldThread.begin(),
        ready: foldThread.ready,
        inOrder: foldThread.inOrder,
        advance: (reached) => foldThread.advance(reached),
        requestLog: requestLog(spool, foldThread, backlog),
        async [Symbol.asyncDispose]() {
          await spool.settled()
          await foldThread.close(CLOSE_MS)
        },
      }
    },
    [Symbol.asyncDispose]: () => spool.close(),
  }
}

function requestLog(spool: Spool, foldThread: FoldThread, backlog: Backlog): RequestLog {
  return {
    open(record, text) {
      const durable = spool.append(openLine(record, text))
      // Another node that gets the same key learns of this call from the database.
      if (record.idempotencyKey !== null) void durable.then(() => foldThread.tellOthers()).catch(() => {})
      return durable
    },
    commit: (record) => spool.appendEnd(commitLine(record)),
    close: (record, opening) => spool.appendEnd(closeLine(record, opening)),
    async caughtUp() {
      await spool.settled()
      await foldThread.caughtUp()
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
