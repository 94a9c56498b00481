import type { CountedCall } from './bookings.ts'
import type { Connection, Reply } from './connection.ts'
import { reapNode, recoverHolds, retainCalls } from './holds.ts'
import { rebuildStep } from './rebuild.ts'
import type { RequestLogView } from './request-log.ts'
import { LEAVE, RENEW } from './scripts/node.ts'
import { FORGET, IDENTIFY } from './scripts/rebuild.ts'
import { bookUnbooked, type Unbooked } from './unbooked.ts'

export interface CountersLog {
  info(details: object, message: string): void
  warn(details: object, message: string): void
}

export interface UpkeepOptions {
  connection(): Connection
  requestLog: RequestLogView
  node: string
  unbooked: Unbooked
  running: ReadonlyMap<string, CountedCall>
  /** How long a node counts as alive after each renewal. */
  leaseMs: number
  log: CountersLog
  /** The ledger is usable. Called repeatedly, to retry what could not be booked the last time. */
  onUsable(): void
  /** Unix milliseconds of this machine. */
  now(): number
}

/** Renewals per lease: several in a row may fail. */
const RENEWALS = 5
/** Wait before the calls of an expired lease are closed; the observer must have been connected the whole time. */
const REAP_AFTER_LEASES = 1.5
const REBUILD_MS = 200
const SWEEP_MS = 10_000
/** Minimum age of a hold without a running call: its admission may still be on its way. */
const SWEEP_AGE_MS = 30_000

/** Renews this node's lease, watches those of other nodes, and rebuilds the ledger when there is none. */
export class LeaseKeeper {
  readonly #options: UpkeepOptions
  readonly #ready = Promise.withResolvers<void>()
  /** Generation of the ledger in use; 0: none is usable. */
  #generation = 0
  /** The newest sequence that the server has confirmed. */
  #seen = { generation: 0, sequence: 0 }
  #contact = 0
  #missingSince = new Map<string, number>()
  /** Calls were allowed without the counters; only their file and the log know of them. */
  #hasForgotten: boolean
  #isRecovered = false
  #timer: NodeJS.Timeout | null = null
  #isStopped = false
  #offsetMs = 0
  #latest = 0
  #sweptAt = 0
  #waitingFor = ''
  #problem: string | null = null
  readonly #jobs = new Map<string, Promise<void>>()
  readonly #problems = new Map<string, string>()

  constructor(options: UpkeepOptions) {
    this.#options = options
    this.#hasForgotten = !options.unbooked.isEmpty()
  }

  /** The ledger is usable, and the holds of an earlier process of this node are settled. */
  get ready(): Promise<void> {
    return this.#ready.promise
  }

  isUsable(): boolean {
    return this.#generation !== 0 && this.#options.connection().isUp()
  }

  /** The server's error. */
  get problem(): string | null {
    return this.#problem
  }

  /** The server's time as far as it is known; never goes back. */
  now(): number {
    this.#latest = Math.max(this.#latest, this.#options.now() + this.#offsetMs)
    return this.#latest
  }

  onUp(): void {
    this.#contact++
    this.#missingSince.clear()
    this.#soon(0)
  }

  onDown(): void {
    this.#generation = 0
  }

  onLost(): void {
    this.#generation = 0
    this.#soon(0)
  }

  onSequence(sequence: number): void {
    if (sequence > this.#seen.sequence) this.#seen.sequence = sequence
  }

  /** The sweep finds those with a hold, the file lists those without. */
  onOverflow(): void {
    this.#hasForgotten = true
    this.#options.log.warn({}, 'the queue of finished calls is full: they will be booked from the log')
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    await Promise.all(this.#jobs.values())
    const connection = this.#options.connection()
    if (connection.isUp()) await connection.run(LEAVE, [this.#options.node]).catch(() => {})
  }

  #soon(ms: number): void {
    if (this.#isStopped) return
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#start('tick', () => this.#tick()), ms)
    this.#timer.unref()
  }

  /** One job of a kind at a time; a later tick retries what failed. */
  #start(name: string, work: () => Promise<void>): void {
    if (this.#jobs.has(name) || this.#isStopped) return
    const job = work()
      .then(() => void this.#problems.delete(name))
      .catch((error: unknown) => {
        const problem = error instanceof Error ? error.message : String(error)
        if (this.#problems.get(name) === problem) return
        this.#problems.set(name, problem)
        this.#options.log.warn({ job: name, error: problem }, 'the shared counters: retrying')
      })
      .finally(() => this.#jobs.delete(name))
    this.#jobs.set(name, job)
  }

  async #tick(): Promise<void> {
    const { leaseMs } = this.#options
    const connection = this.#options.connection()
    const contact = this.#contact
    try {
      if (!connection.isUp()) return
      const sentAt = this.#options.now()
      const reply = await connection.run(RENEW, [this.#options.node, String(leaseMs)])
      if (contact !== this.#contact) return
      const [serverNow, generation, sequence] = reply as readonly [number, number, number]
      this.#offsetMs = Math.round(serverNow - (sentAt + this.#options.now()) / 2)
      await this.#follow(generation, sequence)
      if (this.isUsable()) this.#lookAfter(reply)
      else this.#start('rebuild', () => this.#rebuild())
      this.#problem = null
    } catch (error) {
      // A server that answers with an error (disk or memory full) is as good as none.
      this.#problem = error instanceof Error ? error.message : String(error)
      this.#generation = 0
    } finally {
      this.#soon(this.isUsable() ? leaseMs / RENEWALS : REBUILD_MS)
    }
  }

  /** A server that knows less than it reported before has lost data and is not trusted. */
  async #follow(generation: number, sequence: number): Promise<void> {
    const isKnown = generation === this.#seen.generation
    const isBehind = generation !== 0 && isKnown && sequence < this.#seen.sequence
    const isNew = generation !== 0 && generation !== this.#generation
    const contact = this.#contact
    const isOlder = isNew && !isBehind && (await this.#isOlder(generation))
    if (contact !== this.#contact) return
    if (isBehind || isOlder) {
      this.#options.log.warn({}, 'the shared counters lost data: they are being rebuilt from the log')
      this.#generation = 0
      await this.#options.connection().run(FORGET, [String(generation)])
      return
    }
    if (!isNew) {
      this.#generation = generation
      return
    }
    if (!isKnown) await retainCalls(this.#options.connection(), this.#options.node, this.#options.running.values())
    this.#seen = { generation, sequence: isKnown ? Math.max(sequence, this.#seen.sequence) : sequence }
    this.#generation = generation
    this.#options.log.info({}, 'the shared counters are in use')
    if (!this.#isRecovered) this.#start('sweep', () => this.#sweep(this.now()))
  }

  /**
   * A process that has just started remembers no sequence. If the server restarted since the ledger was last used, it
   * is trusted only with an append-only file; a snapshot may be old.
   */
  async #isOlder(generation: number): Promise<boolean> {
    const { server, keepsLog } = await this.#readServer()
    const isTold = this.#seen.generation !== 0 || keepsLog || server === ''
    const args = [String(generation), server, isTold ? '0' : '1']
    const [found] = await this.#options.connection().run(IDENTIFY, args)
    return found === 2
  }

  /** The id of the server's process; '' when the server hides it. */
  async #readServer(): Promise<{ server: string; keepsLog: boolean }> {
    const ask = (section: string) =>
      this.#options
        .connection()
        .info(section)
        .catch(() => '')
    const text = `${await ask('server')}${await ask('persistence')}`.replaceAll('\r', '')
    return { server: /^run_id:(.+)$/m.exec(text)?.[1] ?? '', keepsLog: /^aof_enabled:1$/m.test(text) }
  }

  async #rebuild(): Promise<void> {
    const { requestLog, node, log } = this.#options
    await requestLog.caughtUp()
    const { server } = await this.#readServer()
    const done = await rebuildStep(this.#options.connection(), requestLog, { node, server })
    if (done.kind === 'waiting') this.#sayWaiting(done.for)
    if (done.kind !== 'rebuilt') return
    log.info({ scopes: done.scopes, holds: done.holds }, 'the shared counters are rebuilt from the request log')
    this.#soon(0)
  }

  #sayWaiting(nodes: readonly string[]): void {
    const text = nodes.join(', ')
    if (text === this.#waitingFor) return
    this.#waitingFor = text
    const advice = 'start them, deliver their spools (switchyard spool ship) or forget them (switchyard nodes forget)'
    this.#options.log.warn({ nodes: text, advice }, 'the counters wait for rows of other nodes')
  }

  #lookAfter(reply: Reply): void {
    this.#waitingFor = ''
    this.#options.onUsable()
    const missing = reply.slice(3).map(String)
    const at = performance.now()
    for (const node of this.#missingSince.keys()) if (!missing.includes(node)) this.#missingSince.delete(node)
    for (const node of missing) {
      const since = this.#missingSince.get(node) ?? at
      this.#missingSince.set(node, since)
      if (at - since < REAP_AFTER_LEASES * this.#options.leaseMs) continue
      this.#start(`reap ${node}`, () => this.#reap(node))
      this.#missingSince.set(node, at)
    }
    if (at - this.#sweptAt > SWEEP_MS) {
      this.#sweptAt = at
      this.#start('sweep', () => this.#sweep(this.#isRecovered ? this.now() - SWEEP_AGE_MS : this.now()))
    }
    if (!this.#options.unbooked.isEmpty()) this.#start('unbooked', () => this.#bookUnbooked())
  }

  /** The file is deleted when every call in it is booked, by its own end or from here. */
  async #bookUnbooked(): Promise<void> {
    const { unbooked, running, requestLog, node } = this.#options
    if (this.#hasForgotten) {
      const calls = unbooked.read().filter(({ id }) => !running.has(id))
      await requestLog.caughtUp()
      if (!(await bookUnbooked(this.#options.connection(), requestLog.readEnds, node, calls))) return
      this.#hasForgotten = false
    }
    for (const { generation } of running.values()) if (generation === 0) return
    unbooked.clear()
  }

  async #reap(node: string): Promise<void> {
    const closed = await reapNode(this.#options.connection(), this.#options.requestLog, node, this.now())
    if (closed > 0) this.#options.log.warn({ node, calls: closed }, 'a node is dead: its calls are closed')
  }

  async #sweep(before: number): Promise<void> {
    const { requestLog: log, node, running } = this.#options
    const isRunning = (id: string) => running.has(id)
    // First by id: a call that was allowed unchecked but has a hold is booked once.
    if (!this.#isRecovered) await this.#bookUnbooked()
    await recoverHolds({ connection: this.#options.connection(), log, node, isRunning, before })
    this.#isRecovered = true
    this.#ready.resolve()
  }
}
