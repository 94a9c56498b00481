import { randomUUID } from 'node:crypto'
import type { Connection } from './connection.ts'
import { releaseDeadNodes } from './dead-nodes.ts'
import { AnothersCountersError, enter } from './installation.ts'
import { Jobs } from './jobs.ts'
import { rebuildStep } from './rebuild.ts'
import type { Reports } from './reports.ts'
import type { RequestLogView } from './request-log.ts'
import { JOIN, LEAVE, LOOK } from './scripts/node.ts'
import { FORGET, IDENTIFY } from './scripts/rebuild.ts'
import { ServerClock } from './server-clock.ts'
import type { Syncs } from './syncs.ts'

export interface CountersLog {
  info(details: object, message: string): void
  warn(details: object, message: string): void
}

export interface MembershipOptions {
  connection(): Connection
  requestLog: RequestLogView
  reports: Reports
  syncs(): Syncs
  node: string
  /** The id of the database that all nodes share, and the prefix of the keys. */
  installation: string
  prefix: string
  /** How long a node counts as alive after its last message. */
  leaseMs: number
  log: CountersLog
  /** Unix milliseconds of this machine. */
  now(): number
}

/** Looks per lease: several in a row may fail. */
const LOOKS = 5
/** Wait before others use what a silent node has leased of the minute; the observer must have been connected throughout. */
const DEAD_AFTER_LEASES = 1.5
const REBUILD_MS = 200

/** Joins the ledger, watches the other nodes, and rebuilds the ledger when there is none. */
export class Membership {
  readonly #options: MembershipOptions
  readonly #ready = Promise.withResolvers<void>()
  /** Generation of the ledger that this process has joined; 0: none. */
  #generation = 0
  /** The newest sequence that the server has confirmed. */
  #seen = { generation: 0, sequence: 0 }
  #contact = 0
  /** The contact in which the server was found to be the one that kept the ledger. */
  #identified = -1
  /** The contact in which the counters were found to be those of this installation. */
  #entered = -1
  #upSince = 0
  #timer: NodeJS.Timeout | null = null
  #isStopped = false
  #waitingFor = ''
  #problem: string | null = null
  readonly #clock: ServerClock
  readonly #jobs: Jobs

  constructor(options: MembershipOptions) {
    this.#options = options
    this.#clock = new ServerClock(options.now)
    this.#jobs = new Jobs((job, error) => options.log.warn({ job, error }, 'Shared counters: job failed, retrying.'))
    // The promise may have no consumer left.
    this.#ready.promise.catch(() => {})
  }

  /** The ledger is joined, and what an earlier process of this node had spent is reported. */
  get ready(): Promise<void> {
    return this.#ready.promise
  }

  isUsable(): boolean {
    return this.#generation !== 0 && this.#options.connection().isUp() && this.#options.syncs().problem === null
  }

  /** Of the ledger that this process has joined; 0: none. */
  get generation(): number {
    return this.#generation
  }

  /** The server's error. */
  get problem(): string | null {
    return this.#problem ?? this.#options.syncs().problem
  }

  now(): number {
    return this.#clock.now()
  }

  onUp(): void {
    this.#contact++
    this.#upSince = performance.now()
    this.#soon(0)
  }

  onDown(): void {
    this.#options.syncs().pause(false)
  }

  onLost(isBehind: boolean): void {
    const generation = this.#generation
    this.#lose()
    if (isBehind) this.#jobs.start('forget', () => this.#forget(generation))
    this.#soon(0)
  }

  onAnswer({ at, sequence }: { at: number; sequence: number }): void {
    this.#clock.heard(at)
    if (sequence > this.#seen.sequence) this.#seen.sequence = sequence
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    await this.#jobs.stop()
    if (!this.isUsable()) return
    const { syncs, reports, connection, node } = this.#options
    const isReported = await syncs().flush()
    syncs().stop()
    // Other nodes find what it could not report in the log.
    if (!isReported || !reports.isFullyReported()) return
    await connection()
      .run(LEAVE, { clock: '', node, silent_ms: '', logged: '', whole: '' })
      .catch(() => {})
  }

  #lose(): void {
    if (this.#generation === 0) return
    this.#generation = 0
    this.#options.syncs().pause(true)
    this.#options.reports.forget()
  }

  #soon(ms: number): void {
    if (this.#isStopped) return
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#jobs.start('tick', () => this.#tick()), ms)
    this.#timer.unref()
  }

  async #tick(): Promise<void> {
    const { leaseMs } = this.#options
    const connection = this.#options.connection()
    const contact = this.#contact
    try {
      if (!connection.isUp()) return
      // Again after a loss: another installation may have come first.
      if (this.#generation === 0 || this.#entered !== contact) await enter(connection, this.#options)
      this.#entered = contact
      const { at, generation, sequence } = await connection.run(LOOK, {})
      if (contact !== this.#contact) return
      this.#clock.heard(Number(at))
      await this.#follow(Number(generation), Number(sequence))
      if (this.#generation === 0) this.#jobs.start('rebuild', () => this.#rebuild())
      else this.#jobs.start('watch', () => this.#watch())
      this.#problem = null
    } catch (error) {
      // A server that answers with an error (disk or memory full) is as good as none.
      const problem = error instanceof Error ? error.message : String(error)
      if (error instanceof AnothersCountersError) {
        this.#lose()
        if (this.#problem !== problem) this.#options.log.warn({}, problem)
        this.#ready.reject(error)
      }
      this.#problem = problem
    } finally {
      this.#soon(this.isUsable() ? leaseMs / LOOKS : REBUILD_MS)
    }
  }

  /** A server that knows less than it reported before has lost data and is not trusted. */
  async #follow(generation: number, sequence: number): Promise<void> {
    const isKnown = generation === this.#seen.generation
    const isBehind = generation !== 0 && isKnown && sequence < this.#seen.sequence
    const isNew = generation !== 0 && generation !== this.#generation
    const contact = this.#contact
    const isUnknown = generation !== 0 && this.#identified !== contact
    const isOlder = !isBehind && isUnknown && (await this.#isOlder(generation))
    if (contact !== this.#contact) return
    if (isBehind || isOlder) {
      this.#lose()
      return this.#forget(generation)
    }
    this.#identified = contact
    if (generation === 0) return this.#lose()
    this.#seen = { generation, sequence: isKnown ? Math.max(sequence, this.#seen.sequence) : sequence }
    if (isNew) await this.#join()
    else this.#options.syncs().start()
  }

  async #forget(generation: number): Promise<void> {
    this.#options.log.warn({}, 'the shared counters lost data: rebuilding them from the log')
    await this.#options.connection().run(FORGET, { generation: String(generation) })
  }

  /** This process becomes the node, with what earlier ones, or it itself under another ledger, have spent since. */
  async #join(): Promise<void> {
    const { connection, node, reports, requestLog, log } = this.#options
    const contact = this.#contact
    this.#lose()
    const process = randomUUID()
    const joined = await connection().run(JOIN, { clock: '', node, process })
    const { at, generation, position } = joined
    if (joined.is_joined !== 1 || contact !== this.#contact) return
    this.#clock.heard(Number(at))
    reports.forget(process)
    const upTo = reports.forgetUnreported()
    const tail = await requestLog.readTail(Number(position), upTo)
    if (tail === null) {
      log.warn({ position }, 'the spool no longer has what the counters are missing: rebuilding them from the log')
      await connection().run(FORGET, { generation: String(generation) })
      return
    }
    const left = await requestLog.readLeft(node, this.now())
    if (contact !== this.#contact) return
    reports.add({ ...tail, left }, this.now())
    this.#generation = Number(generation)
    this.#options.syncs().start()
    await this.#options.syncs().flush()
    if (!this.isUsable()) return
    log.info({}, 'the shared counters are in use')
    this.#ready.resolve()
  }

  /**
   * A process that has just started remembers no sequence. If the server restarted since the ledger was last used, it
   * is trusted only with an append-only file; a snapshot may be old.
   */
  async #isOlder(generation: number): Promise<boolean> {
    const connection = this.#options.connection()
    const { server, keepsLog } = await readServer(connection)
    const isTrusted = this.#seen.generation !== 0 || keepsLog || server === ''
    const given = { generation: String(generation), server, distrusts: isTrusted ? '0' : '1' }
    return (await connection.run(IDENTIFY, given)).is_another === 1
  }

  async #rebuild(): Promise<void> {
    const { requestLog, node, log } = this.#options
    await requestLog.caughtUp()
    const connection = this.#options.connection()
    const { server } = await readServer(connection)
    const done = await rebuildStep(connection, requestLog, { node, server })
    if (done.kind === 'waiting') this.#sayWaiting(done.for)
    if (done.kind !== 'rebuilt') return
    log.info({ scopes: done.scopes }, 'the shared counters are rebuilt from the request log')
    this.#soon(0)
  }

  #sayWaiting(nodes: readonly string[]): void {
    const text = nodes.join(', ')
    if (text === this.#waitingFor) return
    this.#waitingFor = text
    const advice = 'start them, deliver their spools (switchyard spool ship) or forget them (switchyard nodes forget)'
    this.#options.log.warn({ nodes: text, advice }, 'the counters wait for rows of other nodes')
  }

  async #watch(): Promise<void> {
    const { leaseMs, log } = this.#options
    this.#waitingFor = ''
    const silentMs = DEAD_AFTER_LEASES * leaseMs
    if (performance.now() - this.#upSince < silentMs) return
    const generation = this.#generation
    const unreported = await releaseDeadNodes({ ...this.#options, now: () => this.now() }, silentMs)
    if (unreported.length === 0) return
    log.warn({ nodes: unreported }, 'Dead nodes have unreported costs; rebuilding the counters.')
    await this.#options.connection().run(FORGET, { generation: String(generation) })
  }
}

/** The id of the server's process, '' when the server hides it, and whether its data survives a restart. */
async function readServer(connection: Connection): Promise<{ server: string; keepsLog: boolean }> {
  const ask = (section: string) => connection.info(section).catch(() => '')
  const text = `${await ask('server')}${await ask('persistence')}`.replaceAll('\r', '')
  return { server: /^run_id:(.+)$/m.exec(text)?.[1] ?? '', keepsLog: /^aof_enabled:1$/m.test(text) }
}
