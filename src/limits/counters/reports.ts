import type { SyncAnswer } from './answers.ts'
import { toList, type Value } from './fields.ts'
import {
  type Amounts,
  isIdle,
  kept,
  type LeasedCall,
  type LeasedScope,
  measureRate,
  noteUse,
  nothing,
  unreported,
  wanted,
} from './leased-scope.ts'
import type { Leases } from './leases.ts'
import { callList, type LeftCall, leftList, type Message, reportList, type WaitingCall } from './message.ts'
import { scopeOf } from './scope-name.ts'

/** What an earlier process has spent, or what the counters have missed. */
export interface Missed {
  spent: { keyId: string; workspace: string; startedAt: number; cost: bigint }[]
  seconds: { keyId: string; workspace: string; second: number; requests: number; tokens: number }[]
  /** Calls that left a cost behind, but no end in the spool. */
  left: { id: string; keyId: string; workspace: string; startedAt: number; cost: bigint }[]
}

/** The messages of one process to the counters, and what their answers change in its leases. */
export class Reports {
  readonly #leases: Leases
  #process = ''
  #number = 0
  #isFirst = true
  /** Everything up to here in the spool is reported. */
  #reported = 0
  #left: LeftCall[] = []

  constructor(leases: Leases) {
    this.#leases = leases
  }

  /**
   * The next message. A `full` one reports everything, so that the position moves; the others only what is urgent. What
   * was spent stays in the lease until a full one; the counters take back a partial report of the minute if this
   * process dies before its position has moved: the next one reads it from the spool.
   */
  compose(calls: WaitingCall[], full: boolean, now: number): Message {
    const { changed, urgent, position } = this.#leases
    const isFull = full || this.#isFirst
    const left = isFull ? this.#left : []
    const needed = new Map<LeasedScope, Amounts>()
    for (const call of calls) {
      for (const scope of bothOf(call)) {
        noteUse(scope, call, now)
        needed.set(scope, withCall(needed.get(scope), call))
      }
    }
    const sent = new Set([...needed.keys(), ...urgent, ...left.flatMap(bothOf), ...(isFull ? changed : [])])
    const scopes: Message['scopes'] = []
    const reports: Value[] = []
    for (const scope of sent) {
      const report = this.#report(scope, { isFull, needed: needed.get(scope) ?? nothing(), now })
      reports.push(report.list)
      scopes.push({ scope, terms: scope.terms, kept: report.kept, wanted: report.wanted })
      urgent.delete(scope)
      if (scope.spent.size === 0 && scope.counted.size === 0) changed.delete(scope)
    }
    const place = new Map(scopes.map(({ scope }, index) => [scope, index]))
    const at = (scope: LeasedScope) => place.get(scope) ?? 0
    const message = toList('message', {
      is_full: isFull ? 1 : 0,
      reports,
      calls: calls.map((call) => callList(call, at(call.key), at(call.workspace))),
      left: left.map((call) => leftList(call, at(call.key), at(call.workspace))),
    })
    const isFirst = this.#isFirst
    this.#isFirst = false
    this.#number += 1
    if (isFull) {
      this.#left = []
      this.#reported = position
    }
    const [process, number] = [this.#process, this.#number]
    return { process, number, position: this.#reported, isFirst, isFull, scopes, calls, text: JSON.stringify(message) }
  }

  #report(scope: LeasedScope, { isFull, needed, now }: { isFull: boolean; needed: Amounts; now: number }) {
    measureRate(scope, now)
    const idle = kept(scope, needed, now)
    const wants = wanted(scope, idle, now)
    scope.idle = idle
    scope.isRecalled = false
    const { held, inFlight, opening } = scope
    const lease: Amounts = {
      money: held + idle.money + (isFull ? 0n : unreported(scope)),
      calls: inFlight + idle.calls,
      requests: opening.requests + idle.requests,
      tokens: opening.tokens + idle.tokens,
    }
    const list = reportList(scope, { kept: lease, idle, wanted: wants, spent: isFull ? scope.spent : null })
    scope.seconds = new Map()
    if (isFull) scope.spent = new Map()
    return { list, kept: lease, wanted: wants }
  }

  /** What the counters have made of a message. Calls that were admitted are returned in its order; null: they were not. */
  apply({ scopes, calls }: Message, answer: SyncAnswer): (LeasedCall | null)[] {
    const known = new Map(scopes.map(({ scope, terms }) => [scope, terms]))
    const termsOf = (scope: LeasedScope) => known.get(scope) ?? scope.terms
    const admitted = calls.map((call, index) => {
      if (answer.outcomes[index]?.kind !== 'admitted') return null
      if (call.of !== undefined) {
        this.#leases.holdMore(call.of, call.money ?? 0n)
        return call.of
      }
      return this.#leases.hold(call, call, { admittedAt: answer.at, isCounted: true }, termsOf)
    })
    for (const [index, { scope, terms, kept, wanted }] of scopes.entries()) {
      const granted = answer.scopes[index]
      if (granted === undefined) continue
      scope.known = granted.known
      // Granted under other limits than those of now: the next message gives it back.
      if (scope.terms !== terms) continue
      const own = calls.filter((call, place) => admitted[place] !== null && bothOf(call).includes(scope))
      this.#grant(scope, wanted, {
        money: granted.lease.money - kept.money - own.reduce((sum, { money }) => sum + (money ?? 0n), 0n),
        calls: granted.lease.calls - kept.calls - own.filter(({ of }) => of === undefined).length,
        requests: granted.lease.requests - kept.requests,
        tokens: granted.lease.tokens - kept.tokens,
      })
    }
    for (const name of answer.recalled) this.#recall(name)
    return admitted.map((call, index) => {
      const asked = calls[index]
      if (call === null || asked === undefined || !asked.isLeft) return call
      const { of, money } = asked
      if (of === undefined) this.#leases.release(call)
      else this.#leases.dropMore(of, money ?? 0n)
      return null
    })
  }

  /**
   * The counters have lost their data, or this process joins under another name: nothing is leased until current holds
   * are reported.
   */
  forget(process = ''): void {
    const { urgent, changed } = this.#leases
    this.#process = process
    this.#isFirst = true
    this.#number = 0
    urgent.clear()
    for (const scope of this.#leases.all()) {
      Object.assign(scope, { idle: nothing(), known: null, isTight: false, isRecalled: false })
      changed.add(scope)
    }
  }

  /**
   * The counters know everything up to a position in the spool; what follows is reported from there, up to the position
   * returned.
   */
  forgetUnreported(): number {
    for (const scope of this.#leases.all()) {
      // What has no row yet is not in the spool either.
      Object.assign(scope, { spent: new Map(), seconds: new Map(scope.counted) })
    }
    this.#left = []
    return this.#leases.position
  }

  /** Nothing is running, and all costs are reported. */
  isFullyReported(): boolean {
    for (const { inFlight, spent } of this.#leases.all()) if (inFlight > 0 || spent.size > 0) return false
    return this.#left.length === 0
  }

  add({ spent, seconds, left }: Missed, now: number): void {
    const both = (call: { keyId: string; workspace: string }) => ({
      key: this.#leases.scope({ kind: 'key', id: call.keyId }, now),
      workspace: this.#leases.scope({ kind: 'workspace', id: call.workspace }, now),
    })
    for (const call of spent)
      for (const scope of bothOf(both(call))) this.#leases.spend(scope, call.startedAt, call.cost)
    for (const call of seconds) {
      for (const scope of bothOf(both(call))) this.#leases.count(scope, call.second * 1000, call.requests, call.tokens)
    }
    for (const call of left) this.#left.push({ ...call, ...both(call) })
  }

  /** What is unused for long is given back with the next full message. */
  noteUnused(now: number): void {
    for (const scope of this.#leases.all()) {
      if (isIdle(scope.idle) && !isIdle(kept(scope, nothing(), now))) this.#leases.changed.add(scope)
    }
  }

  #grant(scope: LeasedScope, wanted: Amounts, granted: Amounts): void {
    scope.idle.money += granted.money
    scope.idle.calls += granted.calls
    scope.idle.requests += granted.requests
    scope.idle.tokens += granted.tokens
    scope.filled = { ...scope.idle }
    if (isIdle(wanted)) {
      scope.isTight =
        (wanted.money > 0n && granted.money <= 0n) ||
        (wanted.calls > 0 && granted.calls <= 0) ||
        (wanted.requests > 0 && granted.requests <= 0) ||
        (wanted.tokens > 0 && granted.tokens <= 0)
    }
    if (scope.isTight && isIdle(scope.idle)) this.#leases.urgent.add(scope)
  }

  #recall(name: string): void {
    const scope = this.#leases.find(scopeOf(name))
    if (scope === undefined) return
    scope.isRecalled = true
    // What its calls give back when they end is wanted, too.
    scope.isTight = true
    this.#leases.urgent.add(scope)
  }
}

/** What several calls need together. */
function withCall(sum = nothing(), { money, tokens, of }: WaitingCall): Amounts {
  const requests = of === undefined ? 1 : 0
  return {
    money: sum.money + (money ?? 0n),
    calls: sum.calls + requests,
    requests: sum.requests + requests,
    tokens: sum.tokens + (tokens ?? 0),
  }
}

function bothOf({ key, workspace }: { key: LeasedScope; workspace: LeasedScope }): LeasedScope[] {
  return [key, workspace]
}
