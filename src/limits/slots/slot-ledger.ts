import type { Budget, Limits } from '../../domain/limits.ts'
import { admitCall, type Bound, type HeldCall, limitOf } from '../admission.ts'
import {
  type CallHold,
  type CallUse,
  type NodeLease,
  newAccount,
  type Scope,
  type ScopeStatus,
  statusOf,
} from '../ledger.ts'
import type { MemoryLedger } from '../memory-ledger.ts'
import { type RateAllowance, tighter } from '../rate-allowance.ts'
import type { Payer } from '../spend-ledger.ts'
import { amountOf } from './amount.ts'
import { accountFrom, SLOT_WORDS, type Slot, type SlotHold, type SlotLimits, type SlotUse } from './slot.ts'
import type { SlotBook, SlotHeader } from './slot-book.ts'

/** A call with its holds in slots: `parts` of the other ledgers stays empty. */
interface SlotCall extends HeldCall {
  readonly slots: readonly Slot[]
  readonly generations: readonly number[]
  readonly slotHold: SlotHold
}

const NO_LIMITS: SlotLimits = {
  rpm: Number.POSITIVE_INFINITY,
  tpm: Number.POSITIVE_INFINITY,
  parallel: Number.POSITIVE_INFINITY,
  budget: null,
}

/**
 * The ledger of a gateway with several serving threads: every thread has one of these over the same slots, and each
 * decision is made under the locks of both scopes of a call, so it is as exact and as immediate as that of one thread.
 */
export class SlotLedger implements MemoryLedger {
  readonly isShared = false
  readonly #clock: () => number
  readonly #latest: SlotHeader['latest']
  readonly #book: SlotBook
  /** For what is told of a decision: one for each scope. */
  readonly #copies = [new Float64Array(SLOT_WORDS), new Float64Array(SLOT_WORDS)] as const

  constructor(clock: () => number, { latest }: SlotHeader, book: SlotBook) {
    this.#clock = clock
    this.#latest = latest
    this.#book = book
    this.now()
  }

  /** Where slots change it is asked under their locks, so that none is ever moved back. */
  now(): number {
    const own = BigInt(this.#clock())
    for (;;) {
      const seen = Atomics.load(this.#latest, 0)
      if (own <= seen) return Number(seen)
      if (Atomics.compareExchange(this.#latest, 0, seen, own) === seen) return Number(own)
    }
  }

  admit(payer: Payer, hold: CallHold, id: string): ReturnType<typeof admitCall> {
    const { key, workspace } = payer
    const [own, joint] = [this.#slotOf({ kind: 'key', id: key.id }), this.#slotOf(scopeOf(workspace))]
    const [ownLimits, jointLimits] = [slotLimits(key.limits), slotLimits(workspace.limits)]
    const slotHold = holdOf(hold)
    const [first, second] = own.number < joint.number ? [own, joint] : [joint, own]
    first.lock()
    second.lock()
    const at = this.now()
    own.advance(at)
    joint.advance(at)
    const isAdmitted = own.fits(ownLimits, slotHold) && joint.fits(jointLimits, slotHold)
    // What is refused, or warned about, is told from what it was decided by.
    const isTold = !isAdmitted || hasSoftBudget(key.limits) || hasSoftBudget(workspace.limits)
    if (isTold) {
      own.copyTo(this.#copies[0])
      joint.copyTo(this.#copies[1])
    }
    if (isAdmitted) {
      own.hold(at, slotHold)
      joint.hold(at, slotHold)
    }
    const [ownGeneration, jointGeneration] = [own.generation, joint.generation]
    second.unlock()
    first.unlock()
    const told = isTold ? this.#tell([own.scope, joint.scope], payer, { hold, id, at }) : null
    if (!isAdmitted && told?.kind === 'refused') return told
    if (!isAdmitted) throw new Error('a call is refused by its slots and by nothing else')
    const slots = { slots: [own, joint], generations: [ownGeneration, jointGeneration], slotHold }
    const call: SlotCall = { ...newCall(hold, id, at), ...slots }
    return { kind: 'admitted', call, warnings: told?.kind === 'admitted' ? told.warnings : [] }
  }

  /** The open rows are the holds, so there is nobody else to inform. */
  opened(): void {}

  settle(call: HeldCall, { picodollars, tokens }: CallUse): boolean {
    return this.#end(call, { money: picodollars === null ? null : amountOf(picodollars), tokens, requests: 0 })
  }

  release(call: HeldCall): boolean {
    return this.#end(call, { money: null, tokens: 0, requests: -1 })
  }

  allowance({ key, workspace }: Payer): ReturnType<MemoryLedger['allowance']> {
    const both = (kind: Rate) =>
      tighter(
        this.#allowance({ kind: 'key', id: key.id }, key.limits, kind),
        this.#allowance(scopeOf(workspace), workspace.limits, kind),
      )
    return { requests: both('requests'), tokens: both('tokens') }
  }

  look(scope: Scope): ScopeStatus {
    const slot = this.#book.find(scope)
    if (slot === undefined) return statusOf(newAccount(scope, this.now()), this.now())
    slot.lock()
    const at = this.now()
    slot.advance(at)
    slot.copyTo(this.#copies[0])
    slot.unlock()
    return statusOf(accountFrom(this.#copies[0], scope, at), at)
  }

  known(): Scope[] {
    return this.#book.all().flatMap((slot) => (slot.isUsed ? [slot.scope] : []))
  }

  async status(scopes: readonly Scope[]): Promise<ScopeStatus[]> {
    return scopes.map((scope) => this.look(scope))
  }

  async scopes(): Promise<Scope[]> {
    return this.known()
  }

  async leases(): Promise<NodeLease[]> {
    return []
  }

  #slotOf(scope: Scope): Slot {
    const slot = this.#book.find(scope)
    // Slots are known before the snapshot with the keys that use them.
    if (slot === undefined) throw new Error(`there is no slot for the ${scope.kind} ${scope.id}`)
    return slot
  }

  /** Slot by slot: in between, the call counts for one of its scopes, which only errs on the safe side. */
  #end(held: HeldCall, use: SlotUse): boolean {
    if (held.settled) return false
    held.settled = true
    const { slots, generations, slotHold, admittedAt } = held as SlotCall
    for (const [place, slot] of slots.entries()) {
      slot.lock()
      slot.advance(this.now())
      if (slot.generation === generations[place]) slot.end(admittedAt, slotHold, use)
      slot.unlock()
    }
    return true
  }

  #allowance(scope: Scope, limits: Limits | null, kind: Rate): RateAllowance | null {
    const limit = kind === 'requests' ? limits?.rpm : limits?.tpm
    if (limit === undefined) return null
    const slot = this.#slotOf(scope)
    slot.lock()
    const at = this.now()
    slot.advance(at)
    const used = slot.used(kind)
    const resetMs = slot.emptyIn(kind, at)
    slot.unlock()
    return { limit, remaining: Math.max(0, limit - used), resetMs }
  }

  /** The decision once more, on copies, by the code of the ledger of one thread. */
  #tell(scopes: readonly [Scope, Scope], { key, workspace }: Payer, call: { hold: CallHold; id: string; at: number }) {
    const bounds: Bound[] = [
      { account: accountFrom(this.#copies[0], scopes[0], call.at), limits: key.limits },
      { account: accountFrom(this.#copies[1], scopes[1], call.at), limits: workspace.limits },
    ]
    return admitCall(bounds, call.hold, call.id, call.at)
  }
}

type Rate = 'requests' | 'tokens'

function scopeOf({ name }: Payer['workspace']): Scope {
  return { kind: 'workspace', id: name }
}

function newCall(hold: CallHold, id: string, admittedAt: number): HeldCall {
  const unshared = { unchecked: false }
  return { id, admittedAt, hold, parts: [], ...unshared, position: null, settled: false }
}

function holdOf({ picodollars, tokens }: CallHold): SlotHold {
  return {
    money: picodollars === null ? null : amountOf(picodollars),
    tokens: tokens ?? 0,
    hasTokens: tokens !== null,
  }
}

function hasSoftBudget(limits: Limits | null): boolean {
  return limits?.budget?.mode === 'soft'
}

const known = new WeakMap<Limits, SlotLimits>()

/** Limits are immutable values of the snapshot, so they are read once. */
function slotLimits(limits: Limits | null): SlotLimits {
  if (limits === null) return NO_LIMITS
  let slot = known.get(limits)
  if (slot === undefined) {
    const { rpm, tpm, max_parallel: parallel, budget } = limits
    slot = {
      rpm: rpm ?? Number.POSITIVE_INFINITY,
      tpm: tpm ?? Number.POSITIVE_INFINITY,
      parallel: parallel ?? Number.POSITIVE_INFINITY,
      budget: budget === undefined ? null : hardBudget(budget),
    }
    known.set(limits, slot)
  }
  return slot
}

function hardBudget(budget: Budget): SlotLimits['budget'] {
  return budget.mode === 'soft' ? null : { per: budget.per, limit: amountOf(limitOf(budget)) }
}
