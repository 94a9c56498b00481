import assert from 'node:assert/strict'
import { asPicodollars } from '../../src/domain/pricing/price.ts'
import type { HeldCall } from '../../src/limits/admission.ts'
import { admitArguments } from '../../src/limits/counters/ask.ts'
import { Bookings, type CountedCall } from '../../src/limits/counters/bookings.ts'
import type { Connection } from '../../src/limits/counters/connection.ts'
import { reapNode, recoverHolds, retainCalls } from '../../src/limits/counters/holds.ts'
import { CountersLedger } from '../../src/limits/counters/ledger.ts'
import { rebuildStep } from '../../src/limits/counters/rebuild.ts'
import type { LoggedEnd, RequestLogView } from '../../src/limits/counters/request-log.ts'
import { ADMIT } from '../../src/limits/counters/scripts/admit.ts'
import { RENEW } from '../../src/limits/counters/scripts/node.ts'
import { FORGET } from '../../src/limits/counters/scripts/rebuild.ts'
import { bookUnbooked, type UnbookedCall } from '../../src/limits/counters/unbooked.ts'
import type { LoggedScope, Scope } from '../../src/limits/ledger.ts'
import type { LoggedHold, LoggedLedger } from '../../src/limits/logged-ledger.ts'
import type { Payer } from '../../src/limits/spend-ledger.ts'

/** A row of the request log, as far as money goes. */
interface Row extends LoggedHold {
  state: 'open' | 'closed' | 'interrupted'
  cost: bigint
  /** A stream that has sent content. */
  isMarked: boolean
}

type Spooled =
  | { kind: 'open'; row: Row }
  | { kind: 'mark'; row: Row }
  | { kind: 'close'; row: Row; cost: bigint; strict: boolean }

/** The request log of all nodes, with the rules of the fold: a strict call that was given up stays so. */
export class ModelLog implements RequestLogView {
  readonly rows = new Map<string, Row>()
  readonly positions = new Map<string, number>()
  nodes: string[] = []

  fold(node: ModelNode): void {
    for (const record of node.spool) {
      const known = this.rows.get(record.row.id)
      if (record.kind === 'open') {
        if (known === undefined) this.rows.set(record.row.id, { ...record.row })
      } else if (record.kind === 'mark') {
        if (known?.state === 'open') known.isMarked = true
      } else if (known?.state !== 'closed' && !(known?.state === 'interrupted' && record.strict)) {
        this.rows.set(record.row.id, { ...record.row, state: 'closed', cost: record.cost })
      }
    }
    node.spool = []
    this.positions.set(node.name, node.seq)
  }

  of({ kind, id }: Scope): Row[] {
    return [...this.rows.values()].filter((row) => (kind === 'key' ? row.keyId : row.workspace) === id)
  }

  async caughtUp(): Promise<void> {}

  readEnds = async (calls: readonly { id: string }[]): Promise<Map<string, LoggedEnd | 'open'>> => {
    const found = calls.flatMap(({ id }): [string, LoggedEnd | 'open'][] => {
      const row = this.rows.get(id)
      if (row === undefined) return []
      const tokens = row.state === 'closed' ? 1 : 0
      const isInterrupted = row.state === 'interrupted'
      const end = { costPicodollars: asPicodollars(row.cost), tokens, isInterrupted }
      return [[id, row.state === 'open' ? 'open' : end]]
    })
    return new Map(found)
  }

  async closeHolds(holds: readonly LoggedHold[]): Promise<void> {
    for (const hold of holds) {
      const row = this.rows.get(hold.id) ?? { ...hold, state: 'open', cost: 0n, isMarked: false }
      this.rows.set(hold.id, row)
      if (row.state === 'open') this.interrupt(row, row.isStream)
    }
  }

  /** A stream that has sent content, as far as is known, costs what was held for it. */
  interrupt(row: Row, hasContent: boolean): void {
    row.state = 'interrupted'
    if (hasContent) row.cost = row.holdPicodollars ?? 0n
  }

  async readLedger(): Promise<LoggedLedger> {
    const rows = [...this.rows.values()]
    const scopes = rows.flatMap((row): Scope[] => [
      { kind: 'key', id: row.keyId },
      { kind: 'workspace', id: row.workspace },
    ])
    const unique = new Map(scopes.map((scope) => [`${scope.kind} ${scope.id}`, scope]))
    return {
      scopes: [...unique.values()].map((scope) => this.#logged(scope)),
      open: rows.filter((row) => row.state === 'open'),
      positions: [...this.positions].map(([node, seq]) => ({ node, seq })),
    }
  }

  #logged(scope: Scope): LoggedScope {
    const spent = asPicodollars(this.of(scope).reduce((sum, row) => sum + row.cost, 0n))
    const none = asPicodollars(0n)
    const held = { day: none, week: none, month: none, total: none }
    return { scope, spent: { day: spent, week: spent, month: spent, total: spent }, seconds: [], inFlight: 0, held }
  }

  async runningNodes() {
    return this.nodes.map((node) => ({ node, name: node }))
  }
}

/** One gateway: what it remembers dies with it, its spool and its list of unbooked calls do not. */
export class ModelNode {
  readonly name: string
  readonly #connection: Connection
  readonly #log: ModelLog
  spool: Spooled[] = []
  seq = 0
  unbooked: UnbookedCall[] = []
  isAlive = true
  isConnected = true
  calls: { held: HeldCall; row: Row }[] = []
  /** What callers have seen. */
  readonly answered: { id: string; cost: bigint }[] = []
  #running = new Map<string, CountedCall>()
  #ledger: CountersLedger
  #bookings: Bookings

  constructor(name: string, connection: Connection, log: ModelLog) {
    this.name = name
    this.#connection = connection
    this.#log = log
    ;[this.#ledger, this.#bookings] = this.#remember()
  }

  #remember(): [CountersLedger, Bookings] {
    this.#running = new Map()
    const parts = {
      connection: this.#connection,
      node: this.name,
      running: this.#running,
      unbooked: { note: (call: UnbookedCall) => void this.unbooked.push(call) },
      isUsable: () => this.isConnected,
      clock: () => '',
      now: Date.now,
      onLost() {},
      onSequence() {},
      onOverflow() {},
      isLogged: async ({ id }: { id: string }) => {
        this.#log.fold(this)
        return this.#log.rows.get(id)?.state === 'closed'
      },
      most: 1_000,
    }
    const bookings = new Bookings(parts)
    const events = { onUnchecked() {}, onRefused() {}, observe() {} }
    return [new CountersLedger({ ...parts, bookings, policy: null, events, settleWaitMs: 1 }), bookings]
  }

  async admit(payer: Payer, hold: bigint, id: string, isStream: boolean): Promise<boolean> {
    if (!this.isAlive) return false
    const wanted = { picodollars: asPicodollars(hold), tokens: 1, isStream }
    const decision = await this.#ledger.admit(payer, wanted, id)
    if (decision.kind !== 'admitted') return false
    const row: Row = {
      id,
      node: this.name,
      keyId: payer.key.id,
      workspace: payer.workspace.name,
      startedAt: decision.call.admittedAt,
      holdPicodollars: wanted.picodollars,
      holdTokens: 1,
      isStream,
      state: 'open',
      cost: 0n,
      isMarked: false,
    }
    this.seq++
    this.spool.push({ kind: 'open', row })
    this.#ledger.opened(decision.call, this.seq)
    this.calls.push({ held: decision.call, row })
    return true
  }

  /** A stream sends its first content. */
  commit(index: number): void {
    const call = this.calls[index % Math.max(1, this.calls.length)]
    if (call === undefined || !call.row.isStream) return
    this.seq++
    this.spool.push({ kind: 'mark', row: call.row })
  }

  async end(index: number, percent: bigint): Promise<void> {
    const [call] = this.calls.splice(index % Math.max(1, this.calls.length), 1)
    if (call === undefined) return
    const cost = ((call.row.holdPicodollars ?? 0n) * percent) / 100n
    this.seq++
    this.spool.push({ kind: 'close', row: call.row, cost, strict: call.held.answersAfterBooking })
    const isBooked = await this.#ledger.settle(call.held, { picodollars: asPicodollars(cost), tokens: 1 }, this.seq)
    if (isBooked) this.answered.push({ id: call.row.id, cost })
  }

  async connect(): Promise<void> {
    this.isConnected = true
    await this.#bookings.drain()
  }

  kill(): void {
    this.isAlive = false
    this.calls = []
    ;[this.#ledger, this.#bookings] = this.#remember()
  }

  /** As a gateway starts: its spool first, then what was cut off, then what the counters have of it. */
  async restart(): Promise<void> {
    if (this.isAlive) return
    this.#log.fold(this)
    for (const row of this.#log.rows.values()) {
      if (row.node === this.name && row.state === 'open') this.#log.interrupt(row, row.isMarked)
    }
    this.isAlive = true
    this.isConnected = true
    await bookUnbooked(this.#connection, this.#log.readEnds, this.name, this.unbooked)
    this.unbooked = []
    await this.sweep()
  }

  /** It is dead, or lives and has lost its lease. */
  async reapedByAnother(): Promise<void> {
    await reapNode(this.#connection, this.#log, this.name, Date.now())
  }

  /** The server admits a call, and its answer never comes. */
  async admitUnheard(payer: Payer, hold: bigint, id: string, isStream: boolean): Promise<void> {
    if (!this.isAlive || !this.isConnected) return
    const call = { node: this.name, id, clock: '' }
    const wanted = { picodollars: asPicodollars(hold), tokens: 1, isStream }
    await this.#connection.run(ADMIT, admitArguments(payer, wanted, call))
    this.isConnected = false
    await this.admit(payer, hold, id, isStream)
    this.isConnected = true
  }

  async retain(): Promise<void> {
    await retainCalls(this.#connection, this.name, this.#running.values())
  }

  /** What every node does now and then. */
  async sweep(): Promise<void> {
    const isRunning = (id: string) => this.calls.some(({ row }) => row.id === id)
    const before = Number.POSITIVE_INFINITY
    await recoverHolds({ connection: this.#connection, log: this.#log, node: this.name, isRunning, before })
  }

  status(scopes: readonly Scope[]) {
    return this.#ledger.status(scopes)
  }

  /** Known to the server, with a lease that is over at once. */
  async register(): Promise<void> {
    await this.#connection.run(RENEW, [this.name, '1'])
  }
}

/** The server forgets; every node that lives delivers its rows and says so, and one of them rebuilds. */
export async function rebuildAll(connection: Connection, log: ModelLog, nodes: readonly ModelNode[]): Promise<void> {
  await connection.run(FORGET, [''])
  for (const node of nodes) {
    await node.register()
    log.fold(node)
  }
  let last = ''
  for (const { name } of nodes) last = (await rebuildStep(connection, log, { node: name, server: 's' })).kind
  assert.equal(last, 'rebuilt')
  for (const node of nodes) await node.retain()
}
