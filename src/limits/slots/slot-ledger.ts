import type { Limits } from '../../domain/limits.ts'
import type { Picodollars } from '../../domain/pricing/price.ts'
import { type Decision, type HeldCall, refusalOf, type Verdict, warningsOf } from '../admission.ts'
import { type Amount, amountOf, moneyOf } from '../amount.ts'
import { type CallHold, type CallUse, emptyStatus, type NodeLease, type Scope, type ScopeStatus } from '../ledger.ts'
import { bindingOf } from '../policy.ts'
import { type Payer, type RateAllowance, type SpendLedger, tighter } from '../spend-ledger.ts'
import {
  NEAR_BUDGET,
  OVER_BUDGET,
  OVER_PARALLEL,
  OVER_RPM,
  OVER_SOFT_BUDGET,
  OVER_TPM,
  type Slot,
  type SlotLimits,
} from './slot.ts'
import type { SlotBook } from './slot-book.ts'
import { type Rate, SlotFigures } from './slot-figures.ts'
import { slotLimits } from './slot-limits.ts'

/** A call with its holds in slots. */
interface SlotCall extends HeldCall {
  readonly own: Slot
  readonly joint: Slot
  readonly ownGeneration: number
  readonly jointGeneration: number
  money: Amount | null
  readonly ownBudget: SlotLimits['budget']
  readonly jointBudget: SlotLimits['budget']
}

/** Bits that refuse nothing. */
const ONLY_WARNS = OVER_SOFT_BUDGET | NEAR_BUDGET

const ANOTHER_ENFORCES =
  'Another gateway on this database enforces the limits; this one cannot check them. ' +
  'Set REDIS_URL on every gateway to share the counters.'

/**
 * The ledger of one process. Every thread that serves has one of these over the same slots, and each decision is made
 * under the locks of both scopes of a call, so it is exact and immediate for one thread and for many.
 */
export class SlotLedger implements SpendLedger {
  readonly isShared = false
  readonly #clock: () => number
  readonly #book: SlotBook
  readonly #onUnavailable: () => void
  #latest = 0
  /** What a decision was made by, for its refusal or its warnings: one for each scope. */
  readonly #own = new SlotFigures()
  readonly #joint = new SlotFigures()

  constructor(clock: () => number, book: SlotBook, onUnavailable: () => void = () => {}) {
    this.#clock = clock
    this.#book = book
    this.#onUnavailable = onUnavailable
    this.now()
  }

  now(): number {
    this.#latest = Math.max(this.#latest, this.#clock())
    return this.#latest
  }

  /** One decision over both scopes: either both admit the call, or none changes. */
  admit(payer: Payer, hold: CallHold, id: string): Decision {
    if (this.#book.isStandby && bindingOf(payer) !== 'nothing') {
      this.#onUnavailable()
      return { kind: 'unavailable', reason: ANOTHER_ENFORCES }
    }
    const { key, workspace } = payer
    const own = this.#slotOf('key', key.id)
    const joint = this.#slotOf('workspace', workspace.name)
    const ownLimits = slotLimits(key.limits)
    const jointLimits = slotLimits(workspace.limits)
    const money = hold.picodollars === null ? null : amountOf(hold.picodollars)
    const isOwnFirst = own.number < joint.number
    const first = isOwnFirst ? own : joint
    const second = isOwnFirst ? joint : own
    first.lock()
    second.lock()
    const at = Math.max(this.now(), own.moment, joint.moment)
    own.advance(at)
    joint.advance(at)
    const ownOver = own.judge(ownLimits, money, hold.tokens)
    const jointOver = joint.judge(jointLimits, money, hold.tokens)
    const over = ownOver | jointOver
    if (over !== 0) {
      this.#own.copy(own)
      this.#joint.copy(joint)
    }
    const isAdmitted = (over & ~ONLY_WARNS) === 0
    if (isAdmitted) {
      own.hold(at, money, hold.tokens ?? 0)
      joint.hold(at, money, hold.tokens ?? 0)
    }
    const ownGeneration = own.generation
    const jointGeneration = joint.generation
    second.unlock()
    first.unlock()
    const verdicts = over === 0 ? NO_VERDICTS : this.#verdicts(payer, hold, ownOver, jointOver)
    if (!isAdmitted) return { kind: 'refused', refusal: refusalOf(verdicts, hold, at) }
    const call: SlotCall = {
      id,
      admittedAt: at,
      hold,
      unchecked: false,
      position: null,
      settled: false,
      unconfirmed: 0n,
      added: 0n,
      own,
      joint,
      ownGeneration,
      jointGeneration,
      money,
      ownBudget: ownLimits.budget,
      jointBudget: jointLimits.budget,
    }
    return { kind: 'admitted', call, warnings: over === 0 ? [] : warningsOf(verdicts, at) }
  }

  /** The open rows are the holds, so there is nothing to report. */
  opened(): void {}

  extend(held: HeldCall, more: Picodollars): boolean {
    const call = held as SlotCall
    const { own, joint, money } = call
    if (call.settled || money === null) return false
    const added = amountOf(more)
    const [first, second] = own.number < joint.number ? [own, joint] : [joint, own]
    first.lock()
    second.lock()
    const at = this.now()
    own.advance(at)
    joint.advance(at)
    const isOfNow = own.generation === call.ownGeneration && joint.generation === call.jointGeneration
    const fits = isOfNow && own.allows(call, call.ownBudget, added) && joint.allows(call, call.jointBudget, added)
    if (fits) {
      own.holdMore(added)
      joint.holdMore(added)
    }
    second.unlock()
    first.unlock()
    if (!fits) return false
    call.money = amountOf(moneyOf(money.dollars, money.rest) + more)
    call.added += more
    return true
  }

  settle(call: HeldCall, { picodollars, tokens }: CallUse): boolean {
    const spent = picodollars === null ? null : amountOf(picodollars)
    return this.#end(call as SlotCall, spent, 0, tokens)
  }

  /** Reverts an admission completely: nothing was sent and nothing was logged. */
  release(call: HeldCall): boolean {
    return this.#end(call as SlotCall, null, -1, 0)
  }

  allowance({ key, workspace }: Payer): ReturnType<SpendLedger['allowance']> {
    const { id } = key
    const { name } = workspace
    return {
      requests: tighter(
        this.#allowance('key', id, key.limits?.rpm, 'requests'),
        this.#allowance('workspace', name, workspace.limits?.rpm, 'requests'),
      ),
      tokens: tighter(
        this.#allowance('key', id, key.limits?.tpm, 'tokens'),
        this.#allowance('workspace', name, workspace.limits?.tpm, 'tokens'),
      ),
    }
  }

  look(scope: Scope): ScopeStatus {
    const slot = this.#book.find(scope.kind, scope.id)
    if (slot === undefined) return emptyStatus(scope, this.now())
    slot.lock()
    slot.advance(this.now())
    this.#own.copy(slot)
    slot.unlock()
    return this.#own.status(scope)
  }

  async status(scopes: readonly Scope[]): Promise<ScopeStatus[]> {
    return scopes.map((scope) => this.look(scope))
  }

  async scopes(): Promise<Scope[]> {
    return this.#book.all().flatMap((slot) => (slot.isUsed ? [slot.scope] : []))
  }

  async leases(): Promise<NodeLease[]> {
    return []
  }

  #slotOf(kind: Scope['kind'], id: string): Slot {
    return this.#book.find(kind, id) ?? this.#book.ensure({ kind, id }, this.now())
  }

  /** Takes effect once. Slot by slot: in between, the call counts for one of its scopes, which errs on the safe side. */
  #end(call: SlotCall, spent: Amount | null, requests: number, tokens: number): boolean {
    if (call.settled) return false
    call.settled = true
    const difference = tokens - (call.hold.tokens ?? 0)
    this.#endIn(call.own, call.ownGeneration, call, spent, requests, difference)
    this.#endIn(call.joint, call.jointGeneration, call, spent, requests, difference)
    return true
  }

  #endIn(
    slot: Slot,
    generation: number,
    { admittedAt, money }: SlotCall,
    spent: Amount | null,
    requests: number,
    tokens: number,
  ): void {
    slot.lock()
    slot.advance(this.now())
    if (slot.generation === generation) {
      slot.end(admittedAt, money, spent)
      slot.correct(admittedAt, requests, tokens)
    }
    slot.unlock()
  }

  #allowance(kind: Scope['kind'], id: string, limit: number | undefined, rate: Rate): RateAllowance | null {
    if (limit === undefined) return null
    const slot = this.#slotOf(kind, id)
    slot.lock()
    slot.advance(this.now())
    const remaining = Math.max(0, limit - slot.used(rate))
    const resetMs = slot.emptyIn(rate)
    slot.unlock()
    return { limit, remaining, resetMs }
  }

  #verdicts({ key, workspace }: Payer, { tokens }: CallHold, ownOver: number, jointOver: number): Verdict[] {
    const verdicts: Verdict[] = []
    if (ownOver !== 0 && key.limits !== null)
      verdicts.push(verdictOf({ kind: 'key', id: key.id }, key.limits, this.#own, ownOver, tokens))
    if (jointOver !== 0 && workspace.limits !== null) {
      const scope: Scope = { kind: 'workspace', id: workspace.name }
      verdicts.push(verdictOf(scope, workspace.limits, this.#joint, jointOver, tokens))
    }
    return verdicts
  }
}

const NO_VERDICTS: Verdict[] = []

function verdictOf(scope: Scope, limits: Limits, figures: SlotFigures, over: number, tokens: number | null): Verdict {
  const { rpm = 0, tpm = 0, budget } = limits
  const per = budget?.per ?? 'total'
  const waitOf = (kind: Rate, most: number | null) => ({
    waitMs: most === null ? null : figures.waitUntilAtMost(kind, most),
  })
  return {
    scope,
    limits,
    spent: figures.spent(per),
    held: figures.held(per),
    requests: figures.used('requests'),
    tokens: figures.used('tokens'),
    inFlight: figures.inFlight,
    isOverBudget: (over & (OVER_BUDGET | OVER_SOFT_BUDGET)) !== 0,
    isNear: (over & NEAR_BUDGET) !== 0,
    overRpm: (over & OVER_RPM) === 0 ? null : waitOf('requests', rpm - 1),
    overTpm: (over & OVER_TPM) === 0 ? null : waitOf('tokens', tokens === null ? null : tpm - tokens),
    isOverParallel: (over & OVER_PARALLEL) !== 0,
  }
}
