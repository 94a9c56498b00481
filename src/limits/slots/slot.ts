import { PERIODS, type Period, periodBounds } from '../../domain/budgets/budget-period.ts'
import { type Locks, lock, unlock } from '../../threads/lock.ts'
import { type Amount, amountOf, PER_DOLLAR } from '../amount.ts'
import { type LoggedScope, type Scope, WINDOW_SECONDS } from '../ledger.ts'
import {
  CHANGES,
  GENERATION,
  HELD,
  HELD_BEFORE,
  IN_FLIGHT,
  MOMENT,
  PLACES,
  REQUESTS,
  RESETS_AT,
  ringPlace,
  SlotFigures,
  SPENT,
  SPENT_BEFORE,
  STARTS_AT,
  TOKENS,
  USED,
} from './slot-figures.ts'

const ALL_PLACES = Object.values(PLACES)

/** What a slot must not exceed; Infinity and null: no limit. */
export interface SlotLimits {
  rpm: number
  tpm: number
  parallel: number
  budget: { per: Period; limit: Amount; isHard: boolean; warnFrom: Amount | null } | null
}

/** Bits: which limits of a scope do not allow a call. */
export const OVER_RPM = 1
export const OVER_TPM = 2
export const OVER_PARALLEL = 4
export const OVER_BUDGET = 8
/** Over a soft budget, which refuses nothing. */
export const OVER_SOFT_BUDGET = 16
/** What is used has reached the part from which the budget warns; it refuses nothing. */
export const NEAR_BUDGET = 32

const LEAST: Amount = { dollars: 0, rest: 1 }

/**
 * One scope, in memory that threads share. Its lock is held for every method but `lock`; between lock and unlock nothing
 * is awaited, nothing throws and nothing is allocated, except at the end of a day.
 */
export class Slot extends SlotFigures {
  readonly scope: Scope
  /** Locks are taken in this order. */
  readonly number: number
  readonly #locks: Locks
  readonly #place: number

  constructor(scope: Scope, number: number, words: Float64Array, locks: { words: Locks; place: number }) {
    super(words)
    this.scope = scope
    this.number = number
    this.#locks = locks.words
    this.#place = locks.place
  }

  lock(): void {
    lock(this.#locks, this.#place)
  }

  unlock(): void {
    unlock(this.#locks, this.#place)
  }

  get generation(): number {
    return this.at(GENERATION)
  }

  get isUsed(): boolean {
    return this.at(USED) === 1
  }

  /** Threads read their clocks one by one: a moment that another has brought here is not undone. */
  get moment(): number {
    return this.at(MOMENT)
  }

  /** From the log, or empty. */
  fill(at: number, logged: LoggedScope | undefined): void {
    const { words, generation } = this
    words.fill(0)
    words[GENERATION] = generation + 1
    words[USED] = logged === undefined ? 0 : 1
    words[MOMENT] = at
    if (logged !== undefined) this.#add(SPENT, amountOf(logged.spent.total))
    for (const period of PERIODS) {
      this.#begin(period, at)
      if (logged !== undefined) this.#subtract(PLACES[period] + SPENT_BEFORE, amountOf(logged.spent[period]))
    }
    const now = this.second
    for (const { second, requests, tokens } of logged?.seconds ?? []) {
      // A clock that has been set back since: those calls were made before now.
      if (second > now - WINDOW_SECONDS) this.#count(Math.min(second, now), requests, tokens)
    }
  }

  /** Moves to now: what has expired is dropped. */
  advance(at: number): void {
    if (at <= this.moment) return
    if (at >= this.at(PLACES.day + RESETS_AT)) this.#rollOver(at)
    const last = this.second
    this.words[MOMENT] = at
    const newest = Math.min(last, this.second - WINDOW_SECONDS)
    for (let second = last - WINDOW_SECONDS + 1; second <= newest; second++) this.#expire(second)
  }

  /** The limits that do not allow the call, as bits; null: unknown, which no limit on it allows. */
  judge({ rpm, tpm, parallel, budget }: SlotLimits, money: Amount | null, tokens: number | null): number {
    let over = 0
    if (this.at(REQUESTS) + 1 > rpm) over |= OVER_RPM
    if (this.at(IN_FLIGHT) + 1 > parallel) over |= OVER_PARALLEL
    // What takes nothing exceeds nothing, even after a limit was lowered below what is used.
    if (tpm !== Number.POSITIVE_INFINITY && (tokens === null || (tokens > 0 && this.at(TOKENS) + tokens > tpm)))
      over |= OVER_TPM
    if (budget === null) return over
    if (budget.warnFrom !== null && !this.#isBelow(budget.per, budget.warnFrom)) over |= NEAR_BUDGET
    if (!budget.isHard) return this.#isWithin(budget, money ?? LEAST) ? over : over | OVER_SOFT_BUDGET
    const isFree = money !== null && money.dollars === 0 && money.rest === 0
    return isFree || (money !== null && this.#isWithin(budget, money)) ? over : over | OVER_BUDGET
  }

  hold(at: number, money: Amount | null, tokens: number): void {
    if (money !== null) this.#add(HELD, money)
    this.words[USED] = 1
    this.words[IN_FLIGHT] = this.at(IN_FLIGHT) + 1
    this.words[CHANGES] = this.at(CHANGES) + 1
    this.#count(Math.floor(at / 1000), 1, tokens)
  }

  /** Whether a running call may hold so much more. Not one of yesterday: its periods may have ended. */
  allows({ admittedAt }: { admittedAt: number }, budget: SlotLimits['budget'], more: Amount): boolean {
    if (admittedAt < this.at(PLACES.day + STARTS_AT)) return false
    return budget === null || !budget.isHard || this.#isWithin(budget, more)
  }

  holdMore(more: Amount): void {
    this.#add(HELD, more)
    this.words[CHANGES] = this.at(CHANGES) + 1
  }

  end(admittedAt: number, held: Amount | null, spent: Amount | null): void {
    if (held !== null) this.#subtract(HELD, held)
    if (spent !== null) this.#add(SPENT, spent)
    // A day never begins before the other periods.
    if (admittedAt < this.at(PLACES.day + STARTS_AT)) this.#endBefore(admittedAt, held, spent)
    this.words[IN_FLIGHT] = this.at(IN_FLIGHT) - 1
    this.words[CHANGES] = this.at(CHANGES) + 1
  }

  /** Corrects what was counted when a call was admitted, as long as that is in the minute. */
  correct(admittedAt: number, requests: number, tokens: number): void {
    const second = Math.floor(admittedAt / 1000)
    if (second > this.second - WINDOW_SECONDS) this.#count(second, requests, tokens)
  }

  /** The call belongs to periods that have ended. */
  #endBefore(admittedAt: number, held: Amount | null, spent: Amount | null): void {
    for (const place of ALL_PLACES) {
      if (admittedAt >= this.at(place + STARTS_AT)) continue
      if (held !== null) this.#subtract(place + HELD_BEFORE, held)
      if (spent !== null) this.#add(place + SPENT_BEFORE, spent)
    }
  }

  #begin(period: Period, at: number): void {
    const { startsAt, resetsAt } = periodBounds(period, at)
    const place = PLACES[period]
    this.words.copyWithin(place + SPENT_BEFORE, SPENT, SPENT + 2)
    this.words.copyWithin(place + HELD_BEFORE, HELD, HELD + 2)
    this.words[place + STARTS_AT] = startsAt
    this.words[place + RESETS_AT] = resetsAt ?? Number.POSITIVE_INFINITY
  }

  #rollOver(at: number): void {
    for (const period of PERIODS) if (at >= this.at(PLACES[period] + RESETS_AT)) this.#begin(period, at)
  }

  #expire(second: number): void {
    const place = ringPlace(second)
    if (this.at(place) !== second) return
    this.words[REQUESTS] = this.at(REQUESTS) - this.at(place + 1)
    this.words[TOKENS] = this.at(TOKENS) - this.at(place + 2)
    this.words[place] = 0
  }

  #count(second: number, requests: number, tokens: number): void {
    const { words } = this
    const place = ringPlace(second)
    if (this.at(place) !== second) {
      words[place] = second
      words[place + 1] = 0
      words[place + 2] = 0
    }
    words[place + 1] = this.at(place + 1) + requests
    words[place + 2] = this.at(place + 2) + tokens
    words[REQUESTS] = this.at(REQUESTS) + requests
    words[TOKENS] = this.at(TOKENS) + tokens
  }

  #isBelow(per: Period, limit: Amount): boolean {
    return this.#isWithin({ per, limit }, LEAST)
  }

  #isWithin({ per, limit }: { per: Period; limit: Amount }, hold: Amount): boolean {
    const spent = PLACES[per] + SPENT_BEFORE
    const held = PLACES[per] + HELD_BEFORE
    const rest = this.at(SPENT + 1) - this.at(spent + 1) + this.at(HELD + 1) - this.at(held + 1) + hold.rest
    const over = Math.floor(rest / PER_DOLLAR)
    const dollars = this.at(SPENT) - this.at(spent) + this.at(HELD) - this.at(held) + hold.dollars + over
    return dollars < limit.dollars || (dollars === limit.dollars && rest - over * PER_DOLLAR <= limit.rest)
  }

  #add(place: number, amount: Amount): void {
    const rest = this.at(place + 1) + amount.rest
    const over = rest >= PER_DOLLAR ? 1 : 0
    this.words[place] = this.at(place) + amount.dollars + over
    this.words[place + 1] = rest - over * PER_DOLLAR
  }

  #subtract(place: number, amount: Amount): void {
    const rest = this.at(place + 1) - amount.rest
    const under = rest < 0 ? 1 : 0
    this.words[place] = this.at(place) - amount.dollars - under
    this.words[place + 1] = rest + under * PER_DOLLAR
  }
}
