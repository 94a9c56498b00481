import type { Limits } from '../../domain/limits.ts'
import type { CallHold, CallUse, Scope } from '../ledger.ts'
import type { Payer } from '../spend-ledger.ts'
import {
  addTo,
  bindsMoney,
  hasIdle,
  isIdle,
  isLow,
  type LeasedCall,
  type LeasedScope,
  type Needed,
  newLeasedScope,
  noteUse,
  nothing,
  type TakenFrom,
  take,
} from './leased-scope.ts'
import { areSame } from './message.ts'

const DAY_MS = 86_400_000

/**
 * What this node may use without asking, and what it uses. Nothing here is asynchronous and nothing has a clock of its
 * own; reports.ts makes messages of it, syncs.ts carries them.
 *
 * Invariants: (1) at the counters, always: spent + leased ≤ limit. (2) Here, always: held + spent and not reported +
 * idle = lease, so no call is let through on money that is not leased. (3) What is given back is taken out of the idle
 * before the message leaves. (4) None of this needs a clock or a timeout: a node that is cut off can spend what it has
 * and no more.
 */
export class Leases {
  readonly #scopes = { key: new Map<string, LeasedScope>(), workspace: new Map<string, LeasedScope>() }
  /** Scopes with unreported changes. */
  readonly changed = new Set<LeasedScope>()
  /** To be reported now rather than with the next full report. */
  readonly urgent = new Set<LeasedScope>()
  /** Everything up to here in this node's spool has come by. */
  #position: number

  constructor(position: number) {
    this.#position = position
  }

  get position(): number {
    return this.#position
  }

  /** Something is leased that others may want back. */
  hasIdle(): boolean {
    for (const scope of this.all()) if (isIdle(scope.idle)) return true
    return false
  }

  /** The scopes of a payer, with its limits of now. */
  scopesOf({ key, workspace }: Payer, now: number): { key: LeasedScope; workspace: LeasedScope } {
    const found = {
      key: this.scope({ kind: 'key', id: key.id }, now),
      workspace: this.scope({ kind: 'workspace', id: workspace.name }, now),
    }
    this.#follow(found.key, key.limits)
    this.#follow(found.workspace, workspace.limits)
    return found
  }

  /** The call, if what is leased suffices; null: the counters have to be asked. */
  admit(payer: Payer, hold: CallHold, now: number): LeasedCall | null {
    const { key, workspace } = this.scopesOf(payer, now)
    const needed = { money: hold.picodollars, tokens: hold.tokens }
    return hasIdle(key, needed) && hasIdle(workspace, needed) ? this.letThrough(payer, hold, now) : null
  }

  /** Without a look at the leases: nothing binds the call, or the limits cannot be checked and the policy allows it. */
  letThrough(payer: Payer, hold: CallHold, now: number): LeasedCall {
    const { key, workspace } = this.scopesOf(payer, now)
    const needed = { money: hold.picodollars, tokens: hold.tokens }
    for (const scope of [key, workspace]) {
      take(scope, needed)
      noteUse(scope, needed, now)
      scope.opening.requests += 1
      scope.opening.tokens += hold.tokens ?? 0
    }
    return this.hold({ key, workspace }, needed, { admittedAt: now, isCounted: false })
  }

  /** The call runs from now on. */
  hold(
    { key, workspace }: { key: LeasedScope; workspace: LeasedScope },
    { money, tokens }: Needed,
    { admittedAt, isCounted }: Pick<LeasedCall, 'admittedAt' | 'isCounted'>,
    termsOf: (scope: LeasedScope) => number = ({ terms }) => terms,
  ): LeasedCall {
    const both = [key, workspace]
    for (const scope of both) {
      scope.held += money ?? 0n
      scope.inFlight += 1
      if (isCounted) addTo(scope.counted, admittedAt, 1, tokens ?? 0)
      this.changed.add(scope)
      if (isLow(scope)) this.urgent.add(scope)
    }
    const taken = both.map((scope) => ({ scope, terms: termsOf(scope) }))
    const takenFrom = {
      money: taken.filter(({ scope }) => bindsMoney(scope.limits)),
      calls: taken.filter(({ scope }) => scope.limits?.max_parallel !== undefined),
    }
    return { key, workspace, admittedAt, money, tokens, isCounted, isOpen: false, takenFrom }
  }

  /** Its row is open at this position in the spool. */
  opened(call: LeasedCall, position: number): void {
    this.#position = Math.max(this.#position, position)
    if (call.isOpen) return
    call.isOpen = true
    if (call.isCounted) {
      this.#uncount(call)
      return
    }
    for (const scope of [call.key, call.workspace]) {
      scope.opening.requests -= 1
      scope.opening.tokens -= call.tokens ?? 0
      this.count(scope, call.admittedAt, 1, call.tokens ?? 0)
    }
  }

  /** A running call holds more, if what is leased suffices. */
  extend(call: LeasedCall, more: bigint): boolean {
    const bound = [call.key, call.workspace].filter(({ limits }) => bindsMoney(limits))
    if (bound.some(({ idle }) => idle.money < more)) return false
    for (const { idle } of bound) idle.money -= more
    this.holdMore(call, more)
    return true
  }

  /** The money is leased. */
  holdMore(call: LeasedCall, more: bigint): void {
    call.money = (call.money ?? 0n) + more
    for (const scope of [call.key, call.workspace]) {
      scope.held += more
      this.changed.add(scope)
      if (isLow(scope)) this.urgent.add(scope)
    }
  }

  /** It did not wait for it: the next message gives it back. */
  dropMore(call: LeasedCall, more: bigint): void {
    call.money = (call.money ?? 0n) - more
    for (const scope of [call.key, call.workspace]) {
      scope.held -= more
      this.changed.add(scope)
      this.urgent.add(scope)
    }
  }

  settle(call: LeasedCall, use: CallUse, position: number): void {
    this.opened(call, position)
    const cost = use.picodollars ?? 0n
    for (const scope of [call.key, call.workspace]) {
      this.spend(scope, call.admittedAt, cost)
      this.count(scope, call.admittedAt, 0, use.tokens - (call.tokens ?? 0))
    }
    this.#end(call, cost)
  }

  /** The call was not made. */
  release(call: LeasedCall): void {
    if (call.isCounted && !call.isOpen) this.#uncount(call)
    for (const scope of [call.key, call.workspace]) {
      if (call.isOpen || call.isCounted) this.count(scope, call.admittedAt, -1, -(call.tokens ?? 0))
      else {
        scope.opening.requests -= 1
        scope.opening.tokens -= call.tokens ?? 0
        if (scope.limits?.rpm !== undefined) scope.idle.requests += 1
        if (scope.limits?.tpm !== undefined) scope.idle.tokens += call.tokens ?? 0
      }
    }
    call.isOpen = true
    this.#end(call, 0n)
  }

  /** By the day, in whose periods it counts. */
  spend(scope: LeasedScope, at: number, cost: bigint): void {
    if (cost === 0n) return
    const day = at - (at % DAY_MS)
    scope.spent.set(day, (scope.spent.get(day) ?? 0n) + cost)
    this.changed.add(scope)
  }

  count(scope: LeasedScope, at: number, requests: number, tokens: number): void {
    if (requests === 0 && tokens === 0) return
    addTo(scope.seconds, at, requests, tokens)
    this.changed.add(scope)
  }

  /** Out of contact for too long: other nodes take over this node's rates and concurrency. */
  dropRates(): void {
    for (const { idle } of this.all()) Object.assign(idle, { calls: 0, requests: 0, tokens: 0 })
  }

  scope(scope: Scope, now: number): LeasedScope {
    const known = this.find(scope)
    if (known !== undefined) return known
    const fresh = newLeasedScope(scope, now)
    this.#scopes[scope.kind].set(scope.id, fresh)
    return fresh
  }

  find({ kind, id }: Scope): LeasedScope | undefined {
    return this.#scopes[kind].get(id)
  }

  *all(): Iterable<LeasedScope> {
    yield* this.#scopes.key.values()
    yield* this.#scopes.workspace.values()
  }

  /** From now on its row says that it counts. */
  #uncount({ key, workspace, admittedAt, tokens }: LeasedCall): void {
    for (const scope of [key, workspace]) {
      addTo(scope.counted, admittedAt, -1, -(tokens ?? 0))
      this.changed.add(scope)
    }
  }

  /** A change of limits drops the leases: the counters grant new ones. */
  #follow(scope: LeasedScope, limits: Limits | null): void {
    if (scope.limits === limits) return
    const isSame = areSame(scope.limits, limits)
    scope.limits = limits
    if (isSame) return
    scope.terms += 1
    scope.idle = nothing()
    scope.isTight = false
    this.urgent.add(scope)
  }

  #end(call: LeasedCall, cost: bigint): void {
    for (const scope of [call.key, call.workspace]) {
      scope.held -= call.money ?? 0n
      scope.inFlight -= 1
      this.changed.add(scope)
    }
    const isOfNow = ({ scope, terms }: TakenFrom) => scope.terms === terms
    const [money, calls] = [call.takenFrom.money.filter(isOfNow), call.takenFrom.calls.filter(isOfNow)]
    for (const { scope } of money) scope.idle.money += (call.money ?? 0n) - cost
    for (const { scope } of calls) scope.idle.calls += 1
    for (const { scope } of [...money, ...calls]) if (scope.isTight) this.urgent.add(scope)
  }
}
