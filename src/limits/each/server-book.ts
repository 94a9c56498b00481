import { setTimeout as sleep } from 'node:timers/promises'
import { PERIODS } from '../../domain/budgets/budget-period.ts'
import { scopeOfCounter } from '../../domain/budgets/each.ts'
import type { BudgetState } from '../admission.ts'
import { amountOf, listed, moneyOf } from '../amount.ts'
import { listOf } from '../counters/answers.ts'
import type { Connection } from '../counters/connection.ts'
import type { Value } from '../counters/fields.ts'
import { EACH_HOLD, EACH_JOIN, EACH_SEED } from '../counters/scripts/each.ts'
import { EACH_DROP } from '../counters/scripts/each-end.ts'
import { type LimitsWhenDown, refusesUnchecked } from '../policy.ts'
import {
  type EachBook,
  type EachCall,
  type EachDecision,
  type EachEnd,
  type EachLog,
  nothingSpent,
  stateOf,
  tightestOf,
  UNREADABLE,
} from './each-book.ts'
import { EndQueue } from './end-queue.ts'
import { followLeft } from './left-calls.ts'
import { countersOf } from './memory-book.ts'
import type { ValueBudget } from './value-budget.ts'

export interface ServerBookOptions {
  connection: Connection
  node: string
  /** Of this process. */
  owner: string
  log: EachLog
  policy: LimitsWhenDown
  /** Of the ledger that this node has joined; 0: none. */
  generation(): number
  /** The newest record of this node's spool. */
  position(): number
  /** A call waits no longer than this. */
  waitMs: number
  /** Milliseconds, for tests; '' uses the server's clock. */
  clock?: () => string
  /** Unix milliseconds of the server, as far as it is known. */
  now(): number
}

const AWAY = 'The shared counters do not answer, so the budgets of this call cannot be checked. Retry shortly.'
const TICK_MS = 500
const RETRY_MS = 25
/** Sums that were read longer ago may miss what a counter that has been dropped since had counted. */
const FRESH_MS = 5_000
const IDLE_MS = 20_000
const MOST_TOGETHER = 200

interface RunningCall {
  counters: readonly string[]
  money: bigint
}

/**
 * The book of several gateways: each decision is made at the counters' server (scripts/each.ts), and no part of a value's
 * budget is leased, because a session is mostly served by one gateway and its budget is small.
 */
export class ServerBook implements EachBook {
  readonly #options: ServerBookOptions
  readonly #clock: () => string
  readonly #running = new Map<string, RunningCall>()
  /** Counters that this node has used, and when. */
  readonly #used = new Map<string, number>()
  /** The ledger that knows of this process, and up to which record its spool speaks for itself there. */
  #joined = { generation: 0, position: 0 }
  #joining: Promise<void> | null = null
  readonly #ends: EndQueue
  #ticking: Promise<void> | null = null
  readonly #timer: NodeJS.Timeout

  constructor(options: ServerBookOptions) {
    this.#options = options
    this.#clock = options.clock ?? (() => '')
    this.#ends = new EndQueue(options.connection, options.node, this.#clock, () => this.#joined.generation)
    this.#timer = setInterval(() => void this.tick(), TICK_MS).unref()
  }

  async hold(call: EachCall): Promise<EachDecision> {
    try {
      await this.#givenBack(call.id)
      return await this.#ask(call, false)
    } catch {
      return this.#unchecked(call)
    }
  }

  async holdMore(call: EachCall): Promise<boolean> {
    if (call.money === null || !this.#running.has(call.id)) return false
    const decided = await this.#ask(call, true).catch(() => null)
    const running = this.#running.get(call.id)
    if (decided?.kind !== 'held' || running === undefined) return false
    running.money += call.money
    return true
  }

  end(end: EachEnd): void {
    this.#running.delete(end.id)
    this.#use(end.counters)
    // The log had it already when this process joined: the sums are read from there.
    const isKnown = end.position !== 0 && end.position <= this.#joined.position
    this.#ends.add(isKnown ? { ...end, cost: 0n } : end)
  }

  async look(budgets: readonly ValueBudget[]): Promise<BudgetState[]> {
    const asked = await this.#ask({ id: '', budgets: budgets.map(soft), money: 0n }, false).catch(() => null)
    return asked?.kind === 'held' ? asked.states : this.#lookIntoLog(budgets)
  }

  /** What is due besides calls: to join, to report ends, to follow calls that others left, to drop what is idle. */
  tick(): Promise<void> {
    this.#ticking ??= this.#tick()
      .catch(() => {})
      .finally(() => {
        this.#ticking = null
      })
    return this.#ticking
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#ticking
    await this.#ends.send()
  }

  async #tick(): Promise<void> {
    if (this.#options.generation() === 0) return
    await this.#join()
    await this.#ends.send()
    await followLeft(this.#options, String(this.#joined.generation), this.#clock())
    await this.#dropIdle()
  }

  async #ask({ id, budgets, money }: EachCall, isMore: boolean): Promise<EachDecision & { states: BudgetState[] }> {
    const { connection, node, waitMs } = this.#options
    const until = performance.now() + waitMs
    const { dollars, rest } = money === null ? { dollars: -1, rest: 0 } : amountOf(money)
    while (true) {
      await this.#join()
      const { generation } = this.#joined
      const wasUp = connection.isUp()
      const asked = connection.run(EACH_HOLD, {
        ...{ clock: this.#clock(), generation: String(generation), node, id },
        ...{ money: String(dollars), money_rest: String(rest), is_more: isMore ? '1' : '0' },
        budgets_text: JSON.stringify(budgets.map(told)),
      })
      const { kind, views } = await asked.catch((error: unknown) => {
        // It may have been held, and the answer been lost. More of a running call goes free when that ends.
        if (id !== '' && !isMore && wasUp) this.#cancel(id, budgets)
        throw error
      })
      if (kind === 'held' || kind === 'refused') {
        if (generation !== this.#options.generation()) throw new Error('another ledger has begun')
        if (kind === 'refused' || id === '') this.#use(countersOf(budgets))
        else if (!isMore) this.#running.set(id, { counters: countersOf(budgets), money: money ?? 0n })
        return this.#decided(kind, budgets, listOf(views))
      }
      if (kind === 'unseeded') await this.#seed(listOf(views).map(String))
      else await sleep(RETRY_MS)
      if (performance.now() > until) throw new Error(`the counters answer ${String(kind)}`)
    }
  }

  #decided(kind: 'held' | 'refused', budgets: readonly ValueBudget[], views: readonly Value[]) {
    const at = this.#options.now()
    const all = budgets.map((budget, place) => {
      const [spent = 0, spentRest = 0, held = 0, heldRest = 0, isFull, warns] = listOf(views[place]).map(Number)
      const state = stateOf(budget, moneyOf(spent, spentRest), moneyOf(held, heldRest), at)
      return { state, isFull: isFull === 1, warns: warns === 1 }
    })
    const states = all.map(({ state }) => state)
    const full = tightestOf(all.flatMap(({ state, isFull }) => (isFull ? [state] : [])))
    if (kind === 'refused' && full !== undefined) return { kind, state: full, states }
    return { kind: 'held' as const, warnings: all.flatMap(({ state, warns }) => (warns ? [state] : [])), states }
  }

  /** What an earlier attempt of the same call held: its end would free what this one holds. */
  async #givenBack(id: string): Promise<void> {
    if (!this.#ends.has(id)) return
    await this.#ends.send()
    if (this.#ends.has(id)) throw new Error('the counters have not answered')
  }

  /** No end follows that would say so for a refused call or a look. */
  #use(counters: readonly string[]): void {
    const now = performance.now()
    for (const name of counters) this.#used.set(name, now)
  }

  #cancel(id: string, budgets: readonly ValueBudget[]): void {
    this.#ends.add({ id, counters: countersOf(budgets), at: 0, cost: 0n, held: 0n, position: 0 })
  }

  /** The counters are down: what the log knows is a little older. */
  async #lookIntoLog(budgets: readonly ValueBudget[]): Promise<BudgetState[]> {
    const { log, now } = this.#options
    const at = now()
    const { values } = await log.read(
      budgets.map(({ scope }) => scope),
      at,
    )
    return budgets.map((budget, place) => {
      const { spent, open } = values[place] ?? { spent: nothingSpent(), open: [] }
      const held = open.reduce((sum, { hold }) => sum + hold, 0n)
      return stateOf(budget, spent[budget.budget.per], held, at)
    })
  }

  /** The counters are down. */
  #unchecked({ budgets }: EachCall): EachDecision {
    const isHard = budgets.some(({ budget }) => budget.mode === 'hard')
    if (refusesUnchecked(this.#options.policy, isHard ? 'hard' : 'limited')) {
      return { kind: 'unavailable', reason: this.#options.connection.isUp() ? UNREADABLE : AWAY }
    }
    return { kind: 'held', warnings: [] }
  }

  async #seed(names: readonly string[]): Promise<void> {
    const { connection, log, now } = this.#options
    const began = performance.now()
    const { values, positions } = await log.read(names.map(scopeOfCounter), now())
    if (performance.now() - began > FRESH_MS) return
    const told = names.map((name, place) => {
      const value = values[place]
      if (value === undefined) throw new Error('the log has not answered for every value')
      const spent = PERIODS.flatMap((per) => listed(value.spent[per]))
      return [name, spent, value.open.map(({ id, hold }) => [id, ...listed(hold)])]
    })
    const { is_done: isDone } = await connection.run(EACH_SEED, {
      ...{ clock: this.#clock(), generation: String(this.#joined.generation) },
      values_text: JSON.stringify(told),
      positions_text: JSON.stringify(Object.fromEntries(positions)),
    })
    if (isDone !== 1) await sleep(RETRY_MS)
  }

  /** Once for each ledger, with the calls that are running. */
  #join(): Promise<void> {
    const generation = this.#options.generation()
    if (generation === 0) return Promise.reject(new Error('there is no ledger'))
    if (generation === this.#joined.generation) return Promise.resolve()
    this.#joining ??= this.#joinNow(generation).finally(() => {
      this.#joining = null
    })
    return this.#joining
  }

  async #joinNow(generation: number): Promise<void> {
    const { connection, node, owner, position, log } = this.#options
    const upTo = position()
    // What has ended by now is in the spool: the new ledger reads it from the log.
    this.#ends.forget()
    const running = [...this.#running].map(([id, { counters, money }]) => [id, counters, ...listed(money)])
    this.#joined = { generation: 0, position: upTo }
    const { is_joined: isJoined } = await connection.run(EACH_JOIN, {
      ...{ clock: this.#clock(), generation: String(generation), node, owner, position: String(upTo) },
      running_text: JSON.stringify(running),
    })
    if (isJoined !== 1) throw new Error('another ledger has begun')
    this.#joined = { generation, position: upTo }
    this.#used.clear()
    // Values are read once the log has come so far: beginnings of calls would otherwise be held back for a while.
    void log.caughtUp().catch(() => {})
  }

  async #dropIdle(): Promise<void> {
    const { connection, log } = this.#options
    const before = performance.now() - IDLE_MS
    const names = [...this.#used].flatMap(([name, at]) => (at < before ? [name] : [])).slice(0, 10 * MOST_TOGETHER)
    if (names.length === 0) return
    const { positions } = await log.ended([])
    const positionsText = JSON.stringify(Object.fromEntries(positions))
    while (names.length > 0) {
      const some = names.splice(0, MOST_TOGETHER)
      await connection.run(EACH_DROP, {
        ...{ clock: this.#clock(), generation: String(this.#joined.generation), idle_ms: String(IDLE_MS) },
        names_text: JSON.stringify(some),
        positions_text: positionsText,
      })
      // One that is still in use is used again by someone, or dropped with the ledger.
      for (const name of some) if ((this.#used.get(name) ?? 0) < before) this.#used.delete(name)
    }
  }
}

function soft(budget: ValueBudget): ValueBudget {
  return { ...budget, budget: { ...budget.budget, mode: 'soft' } }
}

/** As the script reads a budget. */
function told({ counter, budget, limit }: ValueBudget): (string | number)[] {
  const warnAt = budget.warn_at === undefined ? [-1, 0] : listed((limit * BigInt(budget.warn_at)) / 100n)
  const period = PERIODS.indexOf(budget.per) + 1
  return [counter, period, budget.mode === 'soft' ? 0 : 1, ...listed(limit), ...warnAt]
}
