import { scopeOfCounter } from '../../domain/budgets/each.ts'
import type { BudgetState } from '../admission.ts'
import { Counter } from './counter.ts'
import {
  type EachBook,
  type EachCall,
  type EachDecision,
  type EachEnd,
  type EachLog,
  hasRoom,
  stateOf,
  tightestOf,
  UNREADABLE,
  warns,
} from './each-book.ts'
import type { ValueBudget } from './value-budget.ts'

/** So long a value may be idle before its counter goes. */
const IDLE_MS = 60_000
const SWEEP_MS = 10_000
/** With more than so many, idle ones go at once. */
const MOST_COUNTERS = 5_000
const MOST_ASKED = 500

/** A call of another process, or from before its budget was set: its end is found in the log. */
interface LeftCall {
  counters: Set<string>
  hold: bigint
}

/** The book of one process: its threads ask the main one. */
export class MemoryBook implements EachBook {
  readonly #log: EachLog
  readonly #now: () => number
  readonly #counters = new Map<string, Counter>()
  readonly #loading = new Map<string, Promise<void>>()
  readonly #running = new Set<string>()
  readonly #left = new Map<string, LeftCall>()
  /** What ended while the log was read for a counter that is in use: it may not have been in it. */
  readonly #late = new Map<string, { at: number; cost: bigint }[]>()
  readonly #timer: NodeJS.Timeout
  #sweeping: Promise<void> | null = null

  constructor(log: EachLog, now: () => number) {
    this.#log = log
    this.#now = now
    this.#timer = setInterval(() => void this.sweep(), SWEEP_MS).unref()
  }

  get size(): number {
    return this.#counters.size
  }

  hold(call: EachCall): EachDecision | Promise<EachDecision> {
    return this.#hasAll(call.budgets) ? this.#decide(call) : this.#holdLater(call)
  }

  holdMore({ id, budgets, money }: EachCall): boolean {
    if (money === null || !this.#running.has(id)) return false
    const counters = countersOf(budgets)
    if (counters.some((name) => !this.#counters.has(name))) return false
    if (this.#without(budgets, money).length > 0) return false
    for (const name of counters) {
      const counter = this.#counters.get(name)
      if (counter !== undefined) counter.held += money
    }
    return true
  }

  end({ id, counters, at, cost, held }: EachEnd): void {
    const isHeld = this.#running.delete(id)
    const now = this.#now()
    for (const name of counters) {
      const counter = this.#counters.get(name)
      counter?.advance(now)
      if (isHeld) counter?.end(at, held, cost)
      else counter?.spend(at, cost)
      if (this.#loading.size > 0 && this.#loading.has(name))
        this.#late.set(name, [...(this.#late.get(name) ?? []), { at, cost }])
    }
  }

  async look(budgets: readonly ValueBudget[]): Promise<BudgetState[]> {
    await this.#load(budgets)
    const at = this.#now()
    return budgets.map((budget) => {
      const counter = this.#counters.get(budget.counter)
      counter?.advance(at)
      return stateOf(budget, counter?.spent[budget.budget.per] ?? 0n, counter?.held ?? 0n, at)
    })
  }

  /** The log may know of more than this process: another one has enforced the limits meanwhile. */
  refill(): void {
    for (const [name, { calls }] of this.#counters) if (calls === 0) this.#counters.delete(name)
    const names = [...this.#counters.keys()]
    for (const name of names) this.#loading.set(name, this.#reload(name))
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#sweeping
  }

  sweep(): Promise<void> {
    this.#sweeping ??= this.#sweep()
      .catch(() => {})
      .finally(() => {
        this.#sweeping = null
      })
    return this.#sweeping
  }

  async #holdLater(call: EachCall): Promise<EachDecision> {
    try {
      // What is loaded first may be idle and gone when the last is there.
      for (let times = 0; times < 3 && this.#missing(call.budgets).length > 0; times++) await this.#load(call.budgets)
    } catch {
      return { kind: 'unavailable', reason: UNREADABLE }
    }
    return this.#missing(call.budgets).length > 0 ? { kind: 'unavailable', reason: UNREADABLE } : this.#decide(call)
  }

  #decide({ id, budgets, money }: EachCall): EachDecision {
    const at = this.#now()
    let isFull = false
    const warnings: BudgetState[] = []
    for (const budget of budgets) {
      const counter = this.#counters.get(budget.counter)
      if (counter === undefined) {
        isFull = true
        continue
      }
      counter.advance(at)
      const spent = counter.spent[budget.budget.per]
      isFull ||= !hasRoom(budget, spent, counter.held, money)
      if (warns(budget, spent, counter.held, money)) warnings.push(this.#stateOf(budget, at))
    }
    if (isFull) {
      const state = tightestOf(this.#without(budgets, money).map((budget) => this.#stateOf(budget, at)))
      if (state !== undefined) return { kind: 'refused', state }
    }
    for (const name of countersOf(budgets)) this.#counters.get(name)?.hold(money ?? 0n)
    this.#running.add(id)
    return { kind: 'held', warnings }
  }

  #hasAll(budgets: readonly ValueBudget[]): boolean {
    for (const { counter } of budgets) {
      if (!this.#counters.has(counter)) return false
      if (this.#loading.size > 0 && this.#loading.has(counter)) return false
    }
    return true
  }

  /** The budgets that have no room. */
  #without(budgets: readonly ValueBudget[], money: bigint | null): ValueBudget[] {
    return budgets.filter((budget) => {
      const counter = this.#counters.get(budget.counter)
      return counter === undefined || !hasRoom(budget, counter.spent[budget.budget.per], counter.held, money)
    })
  }

  #stateOf(budget: ValueBudget, at: number): BudgetState {
    const counter = this.#counters.get(budget.counter)
    return stateOf(budget, counter?.spent[budget.budget.per] ?? 0n, counter?.held ?? 0n, at)
  }

  #missing(budgets: readonly ValueBudget[]): string[] {
    return countersOf(budgets).filter((name) => !this.#counters.has(name) || this.#loading.has(name))
  }

  async #load(budgets: readonly ValueBudget[]): Promise<void> {
    const names = this.#missing(budgets)
    const fresh = names.filter((name) => !this.#loading.has(name))
    if (fresh.length > 0) {
      const read = this.#read(fresh).finally(() => {
        for (const name of fresh) this.#loading.delete(name)
      })
      for (const name of fresh) this.#loading.set(name, read)
    }
    await Promise.all(names.map((name) => this.#loading.get(name)))
    if (this.#counters.size > MOST_COUNTERS) void this.sweep()
  }

  async #reload(name: string): Promise<void> {
    await this.#log.caughtUp()
    await this.#read([name]).finally(() => this.#loading.delete(name))
  }

  /** Running calls of this process are held here already; others, which the log knows, are held until they end there. */
  async #read(names: readonly string[]): Promise<void> {
    const at = this.#now()
    const { values } = await this.#log.read(names.map(scopeOfCounter), at)
    for (const [place, name] of names.entries()) {
      const value = values[place]
      if (value === undefined) throw new Error('the log has not answered for every value')
      const counter = this.#counters.get(name) ?? new Counter(at)
      counter.advance(at)
      counter.spent = value.spent
      for (const { at: ended, cost } of this.#late.get(name) ?? []) counter.spend(ended, cost)
      this.#late.delete(name)
      this.#dropEnded(name, counter, new Set(value.open.map(({ id }) => id)))
      for (const { id, hold } of value.open) this.#keep(id, hold, name, counter)
      this.#counters.set(name, counter)
    }
  }

  /** Their costs are in what was just read. */
  #dropEnded(name: string, counter: Counter, open: ReadonlySet<string>): void {
    for (const [id, left] of this.#left) {
      if (open.has(id) || !left.counters.delete(name)) continue
      counter.end(0, left.hold, 0n)
      if (left.counters.size === 0) this.#left.delete(id)
    }
  }

  #keep(id: string, hold: bigint, name: string, counter: Counter): void {
    if (this.#running.has(id)) return
    const left = this.#left.get(id) ?? { counters: new Set(), hold }
    this.#left.set(id, left)
    if (left.counters.has(name)) return
    left.counters.add(name)
    counter.hold(left.hold)
  }

  async #sweep(): Promise<void> {
    await this.#endLeft()
    const before = this.#now()
    const idle = [...this.#counters].filter(([, counter]) => this.#isIdle(counter, before))
    if (idle.length === 0) return
    await this.#log.caughtUp()
    for (const [name, counter] of idle) {
      if (counter.calls === 0 && counter.touchedAt < before && !this.#loading.has(name)) this.#counters.delete(name)
    }
  }

  #isIdle({ calls, touchedAt }: Counter, at: number): boolean {
    return calls === 0 && (this.#counters.size > MOST_COUNTERS ? touchedAt < at : touchedAt < at - IDLE_MS)
  }

  async #endLeft(): Promise<void> {
    const ids = [...this.#left.keys()].slice(0, MOST_ASKED)
    if (ids.length === 0) return
    const { calls } = await this.#log.ended(ids)
    for (const { id, at, cost } of calls) {
      const left = this.#left.get(id)
      if (left === undefined || cost === null) continue
      this.#left.delete(id)
      for (const name of left.counters) this.#counters.get(name)?.end(at, left.hold, cost)
    }
  }
}

/** Each once: of several budgets of a value there is one counter. */
export function countersOf(budgets: readonly ValueBudget[]): string[] {
  const names: string[] = []
  for (const { counter } of budgets) if (!names.includes(counter)) names.push(counter)
  return names
}
