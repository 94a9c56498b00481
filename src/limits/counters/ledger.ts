import { GatewayError } from '../../domain/errors.ts'
import type { Decision, HeldCall } from '../admission.ts'
import type { CallHold, CallUse, Scope, ScopeStatus } from '../ledger.ts'
import { type Binding, bindingOf, type LimitsWhenDown, refusesUnchecked } from '../policy.ts'
import type { Payer, SpendLedger } from '../spend-ledger.ts'
import { admitArguments, allowanceOf, refusalOf, statusOfPacked, viewsOf, warningsOf } from './ask.ts'
import type { Bookings, CountedCall, Ending } from './bookings.ts'
import type { Connection, Reply } from './connection.ts'
import { type Allowances, type LastAllowances, lastAllowances } from './last-allowances.ts'
import { ADMIT } from './scripts/admit.ts'
import { SCOPES, STATUS } from './scripts/status.ts'
import type { Unbooked } from './unbooked.ts'

/** Events for the metrics. */
export interface CountersEvents {
  onUnchecked(): void
  onRefused(): void
  observe(step: 'admit' | 'settle', seconds: number): void
}

export interface CountersLedgerOptions {
  connection: Connection
  bookings: Bookings
  node: string
  policy: LimitsWhenDown
  events: CountersEvents
  /** Calls that are not booked yet, by id. */
  running: Map<string, CountedCall>
  isUsable(): boolean
  onLost(): void
  onSequence(sequence: number): void
  /** Calls that were allowed unchecked, on disk in case this process dies before they are booked. */
  unbooked: Pick<Unbooked, 'note'>
  /** The server's time as far as it is known, in Unix milliseconds. */
  now(): number
  /** See bookings.ts. */
  clock(): string
  settleWaitMs: number
}

const AWAY = 'The shared counters do not answer, so the limits of this call cannot be checked. Retry shortly.'
const STATUS_TOGETHER = 100

/** The ledger of several gateways: src/limits/admission.ts on a shared server. */
export class CountersLedger implements SpendLedger {
  readonly isShared = true
  readonly #options: CountersLedgerOptions
  readonly #allowances: LastAllowances

  constructor(options: CountersLedgerOptions) {
    this.#options = options
    this.#allowances = lastAllowances(options.now)
  }

  admit(payer: Payer, hold: CallHold, id: string): Decision | Promise<Decision> {
    return this.#options.isUsable() ? this.#ask(payer, hold, id) : this.#withoutCounters(payer, hold, id)
  }

  opened(held: HeldCall, position: number): void {
    held.position = position
    const call = this.#options.running.get(held.id)
    if (call === undefined || call.generation !== 0) return
    const { keyId, workspace } = call
    this.#options.unbooked.note({ id: held.id, position, keyId, workspace, startedAt: held.admittedAt })
  }

  /** Only an answer under a hard budget waits; everything else is booked in the background. */
  settle(held: HeldCall, use: CallUse, position = 0): boolean | Promise<boolean> {
    if (held.settled) return false
    held.settled = true
    const booked = this.#book(held, { use, position, released: false })
    return held.answersAfterBooking ? within(booked, this.#options.settleWaitMs) : true
  }

  release(held: HeldCall): boolean {
    if (held.settled) return false
    held.settled = true
    void this.#book(held, { use: NOTHING, position: 0, released: true })
    return true
  }

  allowance(payer: Payer): Allowances {
    return this.#allowances.of(payer)
  }

  status(scopes: readonly Scope[]): Promise<ScopeStatus[]> {
    return readStatus(this.#options.connection, scopes, this.#options.clock())
  }

  async scopes(): Promise<Scope[]> {
    const names = await this.#options.connection.run(SCOPES, []).catch(away)
    return names.map((name) => scopeOf(String(name)))
  }

  now(): number {
    return this.#options.now()
  }

  async #ask(payer: Payer, hold: CallHold, id: string): Promise<Decision> {
    const { connection, node, clock, events, onLost } = this.#options
    const began = performance.now()
    let reply: Reply
    try {
      reply = await connection.run(ADMIT, admitArguments(payer, hold, { node, id, clock: clock() }))
    } catch {
      const decision = this.#withoutCounters(payer, hold, id)
      // The server may have admitted it anyway.
      if (decision.kind === 'unavailable') this.#takeBack(payer, hold, id)
      return decision
    }
    events.observe('admit', (performance.now() - began) / 1000)
    if (reply[0] !== 0) return this.#decisionOf(payer, hold, id, reply)
    onLost()
    return this.#withoutCounters(payer, hold, id)
  }

  /** The counters are down, and the call does not wait for them. */
  #withoutCounters(payer: Payer, hold: CallHold, id: string): Decision {
    const { policy, events } = this.#options
    const binding = bindingOf(payer)
    if (refusesUnchecked(policy, binding)) {
      events.onRefused()
      return { kind: 'unavailable', reason: AWAY }
    }
    const unchecked = binding !== 'nothing'
    if (unchecked) events.onUnchecked()
    const call = heldCall(id, hold, { admittedAt: this.now(), answersAfterBooking: false, unchecked })
    return { kind: 'admitted', call: this.#hold(payer, call, 0), warnings: [] }
  }

  #takeBack(payer: Payer, hold: CallHold, id: string): void {
    const held = heldCall(id, hold, { admittedAt: this.now(), answersAfterBooking: false, unchecked: true })
    const call = { held, keyId: payer.key.id, workspace: payer.workspace.name, generation: 0 }
    void this.#options.bookings.book({ call, use: NOTHING, position: 0, released: true })
  }

  #decisionOf(payer: Payer, hold: CallHold, id: string, reply: Reply): Decision {
    const [outcome, at, generation, sequence] = reply as readonly [number, number, number, number]
    this.#options.onSequence(sequence)
    const views = viewsOf(payer, reply)
    const isAdmitted = outcome === 1
    this.#allowances.remember(payer.key.id, {
      requests: allowanceOf(views, 'requests', isAdmitted ? 1 : 0, at),
      tokens: allowanceOf(views, 'tokens', isAdmitted ? (hold.tokens ?? 0) : 0, at),
    })
    if (!isAdmitted) return { kind: 'refused', refusal: refusalOf(views, hold, at) }
    const answersAfterBooking = waitsForBooking(this.#options.policy, bindingOf(payer))
    const held = heldCall(id, hold, { admittedAt: at, answersAfterBooking, unchecked: false })
    return { kind: 'admitted', call: this.#hold(payer, held, generation), warnings: warningsOf(views, at) }
  }

  #hold(payer: Payer, held: HeldCall, generation: number): HeldCall {
    this.#options.running.set(held.id, { held, keyId: payer.key.id, workspace: payer.workspace.name, generation })
    return held
  }

  async #book(held: HeldCall, end: Omit<Ending, 'call'>): Promise<boolean> {
    const { running, bookings, events } = this.#options
    const call = running.get(held.id)
    if (call === undefined) return false
    const began = performance.now()
    const isBooked = await bookings.book({ call, ...end })
    running.delete(held.id)
    events.observe('settle', (performance.now() - began) / 1000)
    return isBooked
  }
}

const NOTHING: CallUse = { picodollars: null, tokens: 0 }

/** The answer waits for the counters: under a hard budget, unless the operator prefers answers. */
function waitsForBooking(policy: LimitsWhenDown, binding: Binding): boolean {
  return binding === 'hard' && policy !== 'allow'
}

function heldCall(
  id: string,
  hold: CallHold,
  { admittedAt, answersAfterBooking, unchecked }: Pick<HeldCall, 'admittedAt' | 'answersAfterBooking' | 'unchecked'>,
): HeldCall {
  return { id, admittedAt, hold, parts: [], answersAfterBooking, unchecked, position: null, settled: false }
}

function away(cause: unknown): never {
  throw new GatewayError('limits_unavailable', 'The shared counters do not answer. Retry shortly.', { cause })
}

async function readStatus(connection: Connection, scopes: readonly Scope[], clock: string): Promise<ScopeStatus[]> {
  const found: ScopeStatus[] = []
  for (let start = 0; start < scopes.length; start += STATUS_TOGETHER) {
    const some = scopes.slice(start, start + STATUS_TOGETHER)
    const reply = await connection.run(STATUS, [clock, ...some.map(nameOf)]).catch(away)
    if (reply[0] === 0)
      throw new GatewayError('limits_unavailable', 'The shared counters are being rebuilt. Retry shortly.')
    for (const [place, scope] of some.entries()) {
      found.push(statusOfPacked(scope, reply[place + 1] as unknown as readonly number[]))
    }
  }
  return found
}

export function nameOf({ kind, id }: Scope): string {
  return `${kind}:${id}`
}

function scopeOf(name: string): Scope {
  const [kind = '', id] = [name.slice(0, name.indexOf(':')), name.slice(name.indexOf(':') + 1)]
  return kind === 'key' ? { kind, id } : { kind: 'workspace', id }
}

/** False on timeout. */
function within(booked: Promise<boolean>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const late = setTimeout(() => resolve(false), ms)
    void booked.then((isBooked) => {
      clearTimeout(late)
      resolve(isBooked)
    })
  })
}
