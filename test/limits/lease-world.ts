import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { PERIODS, type Period, periodBounds } from '../../src/domain/budgets/budget-period.ts'
import type { Limits } from '../../src/domain/limits.ts'
import { asPicodollars } from '../../src/domain/pricing/price.ts'
import { limitOf } from '../../src/limits/admission.ts'
import { listOf, readSync, type SyncAnswer, statusOf } from '../../src/limits/counters/answers.ts'
import type { Connection } from '../../src/limits/counters/connection.ts'
import { toList } from '../../src/limits/counters/fields.ts'
import type { LeasedCall } from '../../src/limits/counters/leased-scope.ts'
import { Leases } from '../../src/limits/counters/leases.ts'
import { type Message, syncArguments } from '../../src/limits/counters/message.ts'
import { loggedText } from '../../src/limits/counters/rebuild.ts'
import { Reports } from '../../src/limits/counters/reports.ts'
import { JOIN, MARK_DEAD } from '../../src/limits/counters/scripts/node.ts'
import { BEGIN, COMPLETE, WRITE_SCOPE } from '../../src/limits/counters/scripts/rebuild.ts'
import { STATUS } from '../../src/limits/counters/scripts/status.ts'
import { SYNC } from '../../src/limits/counters/scripts/sync.ts'
import type { Scope, ScopeStatus } from '../../src/limits/ledger.ts'
import type { Payer } from '../../src/limits/spend-ledger.ts'
import { FLUSH } from '../counters.ts'

/** How a message travels. */
export type Travel = 'arrives' | 'is lost' | 'answer is lost' | 'arrives twice'

export interface ScopeLimits {
  key: Limits | null
  workspace: Limits | null
}

interface Ended {
  position: number
  keyId: string
  workspace: string
  startedAt: number
  cost: bigint
}

export interface RunningCall {
  node: SimulatedNode
  call: LeasedCall
  keyId: string
  workspace: string
  hold: bigint
}

/** A node: the leases of the gateway, with a spool that outlives it and messages that travel as the test says. */
export class SimulatedNode {
  readonly name: string
  readonly #connection: Connection
  readonly #now: () => number
  leases = new Leases(0)
  reports = new Reports(this.leases)
  /** As its own copy of the configuration has them: a change reaches each node when the test says so. */
  limits: ScopeLimits = { key: null, workspace: null }
  isUp = false
  /** False: the counters have lost their data, and this node has not reported yet. */
  isJoined = false
  seq = 0
  readonly spool: Ended[] = []
  #sent: Message | null = null
  /** As the message on its way says. */
  #sentLimits: ScopeLimits = this.limits
  #latest = 0
  /** Round trips for which a call had to wait. */
  waits = 0

  constructor(name: string, connection: Connection, now: () => number) {
    this.name = name
    this.#connection = connection
    this.#now = now
  }

  /** Behind the server's clock, never ahead of it, never back. */
  now(): number {
    return this.#latest
  }

  async start(): Promise<void> {
    this.leases = new Leases(this.seq)
    this.reports = new Reports(this.leases)
    this.#sent = null
    await this.join()
    this.isUp = true
  }

  async join(): Promise<void> {
    const process = randomUUID()
    const joining = { clock: String(this.#now()), node: this.name, process }
    const { is_joined: isJoined, position } = await this.#connection.run(JOIN, joining)
    assert.equal(isJoined, 1)
    this.isJoined = true
    this.#sent = null
    this.reports.forget(process)
    const upTo = this.reports.forgetUnreported()
    const missed = this.spool.filter((end) => end.position > Number(position) && end.position <= upTo)
    this.reports.add({ spent: missed, seconds: [], left: [] }, this.now())
    await this.exchange([], true, 'arrives')
  }

  kill(): void {
    this.isUp = false
  }

  /** The counters are gone. */
  lose(): void {
    this.isJoined = false
    this.#sent = null
    this.reports.forget()
  }

  /** What its messages may still say: its leases learn of other limits with the next call. */
  said(kind: Scope['kind']): (Limits | null)[] {
    return [this.#leased()[kind], ...(this.#sent === null ? [] : [this.#sentLimits[kind]])]
  }

  #leased(): ScopeLimits {
    const limits = (scope: Scope) => this.leases.find(scope)?.limits ?? null
    return { key: limits({ kind: 'key', id: 'a' }), workspace: limits({ kind: 'workspace', id: 'first' }) }
  }

  /** A message and its answer, or what of it the test lets through. The answers of the calls; null: there was none. */
  async exchange(
    calls: Message['calls'],
    isFull: boolean,
    travel: Travel,
  ): Promise<(LeasedCall | SyncAnswer['outcomes'][number])[] | null> {
    if (!this.isJoined) return null
    const isRepeated = this.#sent !== null
    const message = this.#sent ?? this.reports.compose(calls, isFull, this.now())
    if (!isRepeated) this.#sentLimits = this.#leased()
    this.#sent = message
    if (travel === 'is lost') return null
    let reply = await this.run(message)
    if (travel === 'arrives twice') reply = await this.run(message)
    if (travel === 'answer is lost') return null
    assert.equal(reply.kind, 'taken', `${this.name} is answered`)
    this.#sent = null
    const answer = readSync(reply)
    this.#latest = Math.max(this.#latest, answer.at)
    const admitted = this.reports.apply(message, answer)
    if (isRepeated && calls.length > 0 && message.calls !== calls) return null
    return answer.outcomes.map((outcome, index) => admitted[index] ?? outcome)
  }

  end(running: RunningCall, cost: bigint): void {
    const { call, keyId, workspace } = running
    this.seq += 1
    this.spool.push({ position: this.seq, keyId, workspace, startedAt: call.admittedAt, cost })
    this.leases.settle(call, { picodollars: asPicodollars(cost), tokens: 0 }, this.seq)
  }

  /** A stream that it left with content sent when it died: the next process finds out that all that was held is its cost. */
  leave({ call, keyId, workspace, hold }: RunningCall): void {
    this.seq += 1
    this.spool.push({ position: this.seq, keyId, workspace, startedAt: call.admittedAt, cost: hold })
  }

  async markDead(by: Connection): Promise<void> {
    await by.run(MARK_DEAD, { clock: String(this.#now()), node: this.name, silent_ms: '0' })
  }

  async run(message: Message) {
    return this.#connection.run(SYNC, { ...syncArguments(this.name, message), clock: String(this.#now()) })
  }
}

/** What really happened, and what the counters say of it. */
export class LeaseWorld {
  now = Date.UTC(2027, 4, 30, 21, 0, 0)
  /** The latest that the counters have seen: their clock may be set back, their periods go on. */
  latest = 0
  readonly connection: Connection
  readonly nodes: SimulatedNode[]
  running: RunningCall[] = []
  /** The most that has been spent and leased, and spent and held, at the last look, by scope. */
  readonly #before = new Map<string, { atCounters: bigint; really: bigint }>()

  constructor(connection: Connection, nodes: number) {
    this.connection = connection
    this.nodes = Array.from(
      { length: nodes },
      (_each, index) => new SimulatedNode(`node-${index}`, connection, () => this.#tick()),
    )
  }

  #tick(): number {
    this.latest = Math.max(this.latest, this.now)
    return this.now
  }

  /** Every node knows these limits. */
  limit(limits: Partial<ScopeLimits>): void {
    for (const node of this.nodes) node.limits = { ...node.limits, ...limits }
  }

  payer({ limits }: SimulatedNode): Payer {
    return {
      key: { id: 'a', limits: limits.key },
      workspace: { name: 'first', limits: limits.workspace },
    }
  }

  /**
   * A call, decided at once or after asking; 'unanswered' when the messages do not get through. Live nodes return what
   * is idle when it is called back, unless `isDeaf` says that their messages are lost, too.
   */
  async call(
    node: SimulatedNode,
    hold: bigint,
    isDeaf: (node: SimulatedNode) => boolean,
  ): Promise<'admitted' | 'refused' | 'unanswered'> {
    const payer = this.payer(node)
    const needed = { picodollars: asPicodollars(hold), tokens: 0 }
    const at = node.leases.admit(payer, needed, node.now())
    const parts = { node, keyId: 'a', workspace: 'first', hold }
    if (at !== null) {
      this.#open(node, at)
      this.running.push({ ...parts, call: at })
      return 'admitted'
    }
    for (let round = 0; round < 20; round++) {
      if (isDeaf(node)) return 'unanswered'
      await node.exchange([], false, 'arrives')
      const scopes = node.leases.scopesOf(payer, node.now())
      const waiting = { ...scopes, money: hold, tokens: 0, isAsked: false, isLeft: false }
      node.waits += 1
      const [outcome] = (await node.exchange([waiting], false, 'arrives')) ?? []
      if (outcome === undefined) return 'unanswered'
      if (!('kind' in outcome)) {
        this.#open(node, outcome)
        this.running.push({ ...parts, call: outcome })
        return 'admitted'
      }
      if (outcome.kind === 'refused') return 'refused'
      for (const other of this.nodes) {
        if (other === node || !other.isUp || isDeaf(other)) continue
        await other.exchange([], false, 'arrives')
        await other.exchange([], false, 'arrives')
      }
    }
    return 'unanswered'
  }

  #open(node: SimulatedNode, call: LeasedCall): void {
    node.seq += 1
    node.leases.opened(call, node.seq)
  }

  async finish(running: RunningCall, cost: bigint): Promise<void> {
    this.running = this.running.filter((each) => each !== running)
    if (running.node.isUp) running.node.end(running, cost)
  }

  /** Everything that a node has ever written to its spool, in the latest periods. */
  spent(period: Period): bigint {
    const { startsAt } = periodBounds(period, Math.max(this.latest, this.now))
    const ends = this.nodes.flatMap(({ spool }) => spool).filter(({ startedAt }) => startedAt >= startsAt)
    return ends.reduce((sum, { cost }) => sum + cost, 0n)
  }

  /** The counters lose everything and are rebuilt; all nodes have delivered, and none has reported what it holds. */
  async rebuild(): Promise<void> {
    for (const node of this.nodes) node.lose()
    await this.connection.run(FLUSH, {})
    await this.connection.run(BEGIN, { token: 'token' })
    const of = (period: Period) => asPicodollars(this.spent(period))
    const spent = { day: of('day'), week: of('week'), month: of('month'), total: of('total') }
    for (const scope of [{ kind: 'key', id: 'a' } as const, { kind: 'workspace', id: 'first' } as const]) {
      const clock = String(Math.max(this.latest, this.now))
      const text = loggedText({ scope, spent, seconds: [] })
      await this.connection.run(WRITE_SCOPE, { clock, token: 'token', logged_text: text })
    }
    const nodes = this.nodes.map(({ name }) => name)
    const positions = this.nodes.map(({ name, seq }) => toList('position', { node: name, seq }))
    const rebuilt = JSON.stringify(toList('rebuilt', { nodes, positions, left: [] }))
    await this.connection.run(COMPLETE, { token: 'token', generation: '9', rebuilt_text: rebuilt })
  }

  held(): bigint {
    return this.running.reduce((sum, { hold }) => sum + hold, 0n)
  }

  async status(scope: Scope): Promise<ScopeStatus> {
    const name = `${scope.kind}:${scope.id}`
    const { scopes } = await this.connection.run(STATUS, { clock: String(this.now), names: JSON.stringify([name]) })
    return statusOf(scope, listOf(scopes)[0] ?? [])
  }

  /**
   * Invariant (1): at the counters spent plus leased is within the limit; and so is what was really spent plus what
   * calls really hold.
   *
   * While a change of the limit is on its way, the highest that a live node knows counts: each node is bound by the
   * limit it knows, and its lease by what its messages said. After a limit was lowered below what was leased, that
   * excess may be used, but it only shrinks: nothing more is leased until it fits again.
   */
  async assertWithin(): Promise<void> {
    for (const scope of [{ kind: 'key', id: 'a' } as const, { kind: 'workspace', id: 'first' } as const]) {
      const up = this.nodes.filter(({ isUp }) => isUp)
      const heard = up.map(({ limits }) => limits[scope.kind])
      const said = [...heard, ...up.flatMap((node) => node.said(scope.kind))]
      const per = this.nodes[0]?.limits[scope.kind]?.budget?.per
      if (per === undefined) continue
      const { periods, idle } = await this.status(scope)
      const { spent, held } = periods[per]
      const now = { atCounters: spent + held + idle, really: this.spent(per) + this.held() }
      const before = this.#before.get(scope.kind) ?? { atCounters: 0n, really: 0n }
      this.#before.set(scope.kind, now)
      const within = (figure: bigint, limit: bigint, last: bigint) => figure <= limit || figure <= last
      const text = `within ${highest(heard)} (before: ${before.atCounters}, really ${before.really})`
      // After a rebuild the counters know less for a while.
      const leased = before.atCounters > before.really ? before.atCounters : before.really
      assert.ok(
        within(now.atCounters, highest(said), leased),
        `${scope.kind}: spent ${spent} and leased ${held + idle} ${text}`,
      )
      assert.ok(
        within(now.really, highest(heard), leased),
        `${scope.kind}: really spent and held ${now.really} ${text}`,
      )
    }
  }

  /**
   * When every node has reported everything, the counters know what was spent to the last digit, and lease what is
   * held.
   */
  async assertSettled(): Promise<void> {
    for (const node of this.nodes) {
      if (!node.isUp) await node.start()
      if (!node.isJoined) await node.join()
      await node.exchange([], true, 'arrives')
      await node.exchange([], true, 'arrives')
    }
    const status = await this.status({ kind: 'key', id: 'a' })
    for (const period of PERIODS) assert.equal(status.periods[period].spent, this.spent(period), `spent per ${period}`)
    assert.equal(status.periods.total.held, this.held(), 'what is held is leased')
  }
}

function highest(limits: readonly (Limits | null)[]): bigint {
  const budgets = limits.flatMap((each) => each?.budget ?? [])
  return budgets.map(limitOf).reduce((most, each) => (each > most ? each : most), 0n as bigint)
}
