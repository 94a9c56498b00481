import type { Picodollars } from '../../domain/pricing/price.ts'
import type { BudgetState, Decision, HeldCall } from '../admission.ts'
import type { CallHold, CallUse, NodeLease, Scope, ScopeStatus } from '../ledger.ts'
import type { Payer, SpendLedger } from '../spend-ledger.ts'
import type { EachBook, EachDecision } from './each-book.ts'
import { type RaisedBy, valueBudgetsOf } from './each-budgets.ts'
import { KnownParents } from './known-parents.ts'
import { countersOf } from './memory-book.ts'
import type { ValueBudget } from './value-budget.ts'

/** Budgets of one question to a book: others wait for its end. */
const MOST_LOOKED = 100

interface ValueHold {
  budgets: readonly ValueBudget[]
  counters: readonly string[]
  money: bigint
}

/**
 * A ledger of keys and workspaces, with the budgets of what calls name on top. A call without such budgets goes straight
 * through; of another one both must admit it, or neither holds anything.
 */
export class EachLedger implements SpendLedger {
  readonly isShared: boolean
  readonly #inner: SpendLedger
  readonly #book: EachBook
  readonly #raisedBy: RaisedBy
  readonly #parents = new KnownParents()
  readonly #holds = new WeakMap<HeldCall, ValueHold>()

  constructor(inner: SpendLedger, book: EachBook, raisedBy: RaisedBy) {
    this.isShared = inner.isShared
    this.#inner = inner
    this.#book = book
    this.#raisedBy = raisedBy
  }

  admit(payer: Payer, hold: CallHold, id: string): Decision | Promise<Decision> {
    if (payer.names === undefined) return this.#inner.admit(payer, hold, id)
    const budgets = this.#budgetsOf(payer)
    return budgets.length === 0 ? this.#inner.admit(payer, hold, id) : this.#admitBy(budgets, payer, hold, id)
  }

  opened(call: HeldCall, position: number): void {
    this.#inner.opened(call, position)
  }

  extend(call: HeldCall, more: Picodollars): boolean | Promise<boolean> {
    const held = this.#holds.get(call)
    return held === undefined ? this.#inner.extend(call, more) : this.#extendBy(held, call, more)
  }

  settle(call: HeldCall, use: CallUse, position?: number): boolean {
    const isFirst = this.#inner.settle(call, use, position)
    if (isFirst) this.#end(call, use.picodollars ?? 0n, position)
    return isFirst
  }

  release(call: HeldCall): boolean {
    const isFirst = this.#inner.release(call)
    if (isFirst) this.#end(call, 0n)
    return isFirst
  }

  allowance(payer: Payer): ReturnType<SpendLedger['allowance']> {
    return this.#inner.allowance(payer)
  }

  /** The budgets of what this payer names, as they are now. */
  async values(payer: Payer): Promise<BudgetState[]> {
    const budgets = this.#budgetsOf(payer)
    return budgets.length === 0 ? [] : this.#book.look(budgets)
  }

  /** Loads what it has to: of very many, in steps. */
  async lookAt(budgets: readonly ValueBudget[]): Promise<BudgetState[]> {
    const states: BudgetState[] = []
    for (let from = 0; from < budgets.length; from += MOST_LOOKED) {
      states.push(...(await this.#book.look(budgets.slice(from, from + MOST_LOOKED))))
    }
    return states
  }

  status(scopes: readonly Scope[]): Promise<ScopeStatus[]> {
    return this.#inner.status(scopes)
  }

  scopes(): Promise<Scope[]> {
    return this.#inner.scopes()
  }

  leases(): Promise<NodeLease[]> {
    return this.#inner.leases()
  }

  now(): number {
    return this.#inner.now()
  }

  #budgetsOf(payer: Payer): ValueBudget[] {
    const { key, names } = payer
    if (names === undefined) return []
    const ancestors = this.#parents.ancestors(key.id, names.session, names.agent, names.parent)
    return valueBudgetsOf(payer, ancestors, this.#raisedBy)
  }

  /** Not async: in one process nothing is waited for. */
  #admitBy(budgets: readonly ValueBudget[], payer: Payer, hold: CallHold, id: string): Decision | Promise<Decision> {
    const asked = this.#book.hold({ id, budgets, money: hold.picodollars })
    const go = (decided: EachDecision) => this.#admitInner(decided, budgets, payer, hold, id)
    return asked instanceof Promise ? asked.then(go) : go(asked)
  }

  #admitInner(
    decided: EachDecision,
    budgets: readonly ValueBudget[],
    payer: Payer,
    hold: CallHold,
    id: string,
  ): Decision | Promise<Decision> {
    if (decided.kind === 'unavailable') return decided
    if (decided.kind === 'refused') return { kind: 'refused', refusal: { kind: 'budget', ...decided.state } }
    const held: ValueHold = { budgets, counters: countersOf(budgets), money: hold.picodollars ?? 0n }
    const free = () => this.#book.end({ id, counters: held.counters, at: 0, cost: 0n, held: held.money, position: 0 })
    const admitted = (decision: Decision) => {
      if (decision.kind !== 'admitted') {
        free()
        return decision
      }
      this.#holds.set(decision.call, held)
      const { warnings } = decided
      return warnings.length === 0 ? decision : { ...decision, warnings: [...decision.warnings, ...warnings] }
    }
    try {
      const decision = this.#inner.admit(payer, hold, id)
      if (!(decision instanceof Promise)) return admitted(decision)
      return decision.then(admitted, (error: unknown) => {
        free()
        throw error
      })
    } catch (error) {
      free()
      throw error
    }
  }

  async #extendBy(held: ValueHold, call: HeldCall, more: Picodollars): Promise<boolean> {
    if (!(await this.#book.holdMore({ id: call.id, budgets: held.budgets, money: more }))) return false
    held.money += more
    if (await this.#inner.extend(call, more)) return true
    // Given back when the call ends: what is held besides is on the safe side until then.
    return false
  }

  #end(call: HeldCall, cost: bigint, position = 0): void {
    const held = this.#holds.get(call)
    if (held === undefined) return
    const { counters, money } = held
    this.#book.end({ id: call.id, counters, at: call.admittedAt, cost, held: money, position })
  }
}
