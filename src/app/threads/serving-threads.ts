import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { StopNews } from '../../calls/loops/loop-watch.ts'
import type { CatalogModel } from '../../domain/provider.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import type { SlotBook } from '../../limits/slots/slot-book.ts'
import type { Position } from '../../request-log/fold/position.ts'
import type { RequestLogStatus } from '../../request-log/open-spool.ts'
import { threadSpool } from '../../request-log/spool/segments.ts'
import { joinMetrics } from '../../telemetry/join-metrics.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import { Conversation, workerProgram } from '../../threads/conversation.ts'
import type {
  CircuitNews,
  Control,
  MainTasks,
  ThreadData,
  ThreadReport,
  ThreadStatus,
  ThreadTasks,
} from './thread-protocol.ts'

interface Thread {
  number: number
  worker: Worker
  conversation: Conversation<ThreadTasks>
  log: RequestLogStatus | null
  isDelivered: boolean
}

export interface ThreadsOptions {
  count: number
  dataDir: string
  book: SlotBook
  /** Unix milliseconds, of the ledger. */
  now(): number
  noteUse(valueId: string, at: number): void
  /** How far the database has come with a spool. */
  positionOf(spool: string): Position
  /** A thread ended unexpectedly. */
  onDeath(thread: number, error: Error): void
  tasks: MainTasks
}

/** Often enough for /readyz, which reports when a thread's disk is full. */
const REPORT_MS = 250

/**
 * The threads that serve calls, as the main thread sees them. None of them dies alone: one that ends may hold a lock of
 * the ledger, so the whole gateway ends, and the next start puts the log in order.
 */
export class ServingThreads {
  readonly count: number
  /** Where threads serve each other; others must not get there. */
  readonly #folder: string
  readonly #options: ThreadsOptions
  readonly #threads: Thread[] = []
  /** What the threads know of the book; they all know the same. */
  #known = { chunks: 0, slots: 0 }
  #reports: NodeJS.Timeout | null = null
  /** From then on the end of one is the end of all; before, the start fails. */
  #isServing = false
  #isEnding = false

  constructor(options: ThreadsOptions) {
    this.count = options.count
    this.#options = options
    this.#folder = makeFolder(options.dataDir)
  }

  /** Of the main thread's socket first. */
  get sockets(): string[] {
    return Array.from({ length: this.count + 1 }, (_, number) => join(this.#folder, `${number}.sock`))
  }

  /** Resolves when all of them could serve. */
  async start(
    data: Omit<ThreadData, 'thread' | 'threads' | 'control' | 'sockets' | 'connections' | 'position'>,
    snapshot: Snapshot,
  ) {
    const connections = new SharedArrayBuffer(this.count * Int32Array.BYTES_PER_ELEMENT)
    const shared = {
      ...data,
      threads: this.count,
      control: this.#controlOf(snapshot),
      sockets: this.sockets,
      connections,
    }
    for (let thread = 1; thread <= this.count; thread++) {
      const position = this.#options.positionOf(threadSpool(data.node, thread))
      this.#threads.push(this.#begin({ ...shared, thread, position }))
    }
    await this.#askAll('ready', null)
    this.#reports = setInterval(() => void this.pull().catch(() => {}), REPORT_MS).unref()
  }

  /** All on one port, which the first of them finds if any will do. Resolves with the URL. */
  async listen(port: number): Promise<string> {
    const [first, ...others] = this.#threads
    const url = (await first?.conversation.ask('listen', { port })) ?? ''
    for (const { conversation } of others) await conversation.ask('listen', { port: Number(new URL(url).port) })
    this.#isServing = true
    return url
  }

  /** Resolves when every thread serves with it. */
  async control(snapshot: Snapshot): Promise<void> {
    await this.#askAll('control', this.#controlOf(snapshot))
  }

  pastFolded(spool: string, seq: number): void {
    const thread = this.#threads.find(({ number }) => spool.endsWith(`/${number}`))
    thread?.conversation.tell('pastFolded', { seq })
  }

  /** From now on their rows are moved into the database as well. */
  async beginFold(): Promise<void> {
    await this.#askAll('beginFold', null)
  }

  async models(models: readonly CatalogModel[]): Promise<void> {
    await this.#askAll('models', models)
  }

  circuit(news: CircuitNews, from: number): void {
    for (const { number, conversation } of this.#threads) {
      if (number !== from) conversation.tell('circuit', news)
    }
  }

  loopStop(news: StopNews, from: number): void {
    for (const { number, conversation } of this.#threads) {
      if (number !== from) conversation.tell('loopStop', news)
    }
  }

  /** Their logs, with the gateway's own. */
  joinedLog(own: RequestLogStatus): RequestLogStatus {
    return joinLogs([own, ...this.#threads.flatMap(({ log }) => log ?? [])])
  }

  lagRows(): number {
    return this.#threads.reduce((sum, { log }) => sum + (log?.lagRows ?? 0), 0)
  }

  isDelivered(): boolean {
    return this.#threads.every(({ isDelivered }) => isDelivered)
  }

  async caughtUp(): Promise<void> {
    await this.#askAll('caughtUp', null)
  }

  async contentWritten(): Promise<void> {
    await this.#askAll('contentWritten', null)
  }

  /** What they have noted until now is known here. */
  async pull(): Promise<void> {
    const reports = await this.#askAll('report', null)
    for (const [place, report] of reports.entries()) this.#take(this.#threads[place], report)
  }

  statuses(): Promise<ThreadStatus[]> {
    return this.#askAll('status', null)
  }

  async metricsText(own: Metrics): Promise<string> {
    const [main, ...others] = await Promise.all([
      own.read(),
      ...this.#threads.map((each) => each.conversation.ask('metrics', null)),
    ])
    const threads = others.map((figures, place) => ({ thread: String(place + 1), figures }))
    return joinMetrics([{ thread: 'main', figures: main }, ...threads])
  }

  async drain(idleGraceMs: number): Promise<void> {
    await this.#askAll('drain', { idleGraceMs })
  }

  /** Their logs are flushed; a thread that has nothing more to do is ended. */
  async close(): Promise<void> {
    if (this.#reports !== null) clearInterval(this.#reports)
    const reports = await this.#askAll('close', null)
    for (const [place, report] of reports.entries()) this.#take(this.#threads[place], report)
    await this.end()
  }

  async end(): Promise<void> {
    this.#isEnding = true
    if (this.#reports !== null) clearInterval(this.#reports)
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()))
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #begin(data: ThreadData): Thread {
    const worker = new Worker(workerProgram(import.meta.url, 'serving-worker'), { workerData: data })
    const { tasks } = this.#options
    const circuit = (news: CircuitNews) => {
      tasks.circuit(news)
      this.circuit(news, data.thread)
    }
    const loopStop = (news: StopNews) => {
      tasks.loopStop(news)
      this.loopStop(news, data.thread)
    }
    const onEnd = (error: unknown) => {
      if (this.#isEnding || !this.#isServing) return
      this.#isEnding = true
      this.#options.onDeath(data.thread, error as Error)
    }
    const conversation = new Conversation<ThreadTasks>(worker, { ...tasks, circuit, loopStop }, { onEnd })
    return { number: data.thread, worker, conversation, log: null, isDelivered: false }
  }

  /** New keys and workspaces get their slots before a call can use them. */
  #controlOf(snapshot: Snapshot): Control {
    const { book, now } = this.#options
    const at = now()
    for (const id of snapshot.keys.keys()) book.ensure({ kind: 'key', id }, at)
    for (const id of snapshot.workspaces.keys()) book.ensure({ kind: 'workspace', id }, at)
    const slots = book.since(this.#known)
    this.#known = book.size
    return { snapshot, slots }
  }

  #take(thread: Thread | undefined, { uses, ...report }: ThreadReport): void {
    if (thread !== undefined) Object.assign(thread, report)
    for (const [value, at] of uses) this.#options.noteUse(value, at)
  }

  #askAll<K extends keyof ThreadTasks>(task: K, input: Parameters<ThreadTasks[K]>[0]) {
    return Promise.all(this.#threads.map(({ conversation }) => conversation.ask(task, input)))
  }
}

/** The system allows no longer names of sockets. */
const LONGEST_PATH = 100

/** The data folder is locked, so existing files belong to a dead process. */
function makeFolder(dataDir: string): string {
  const folder = join(dataDir, 'sockets')
  if (Buffer.byteLength(join(folder, '1000.sock')) > LONGEST_PATH) return mkdtempSync(join(tmpdir(), 'switchyard-'))
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { mode: 0o700 })
  return folder
}

/** As one log: rows add up, the oldest row is the oldest of all, and any trouble is trouble. */
function joinLogs(logs: readonly RequestLogStatus[]): RequestLogStatus {
  const sum = (of: (log: RequestLogStatus) => number) => logs.reduce((total, log) => total + of(log), 0)
  const firstOf = (of: (log: RequestLogStatus) => string | null) => logs.map(of).find((text) => text !== null) ?? null
  return {
    spoolRows: sum(({ spoolRows }) => spoolRows),
    lagRows: sum(({ lagRows }) => lagRows),
    lagSeconds: Math.max(...logs.map(({ lagSeconds }) => lagSeconds)),
    maxRows: sum(({ maxRows }) => maxRows),
    diskError: firstOf(({ diskError }) => diskError),
    lastError: firstOf(({ lastError }) => lastError),
  }
}
