import { type Locks, lock, unlock } from '../../threads/lock.ts'
import { PERIODS, type Period, periodBounds } from '../budget-period.ts'
import { type Account, type LoggedScope, newAccount, type Scope } from '../ledger.ts'
import { WINDOW_SECONDS } from '../minute-window.ts'
import { type Amount, amountOf, moneyOf, PER_DOLLAR } from './amount.ts'

/** What one scope has used and holds: numbers in shared memory. The layout, in places of eight bytes: */
export type Words = Float64Array<SharedArrayBuffer>

/** Grows when the slot is filled anew: calls that were admitted before no longer count. */
export const GENERATION = 0
/** Whether the scope was ever used. */
const USED = 1
const CHANGES = 2
const IN_FLIGHT = 3
const REQUESTS = 4
const TOKENS = 5
/** The Unix second up to which the minute has been moved. */
const SECOND = 6
/** For each period: */
const PERIOD = 8
const STARTS_AT = 0
const RESETS_AT = 1
const SPENT = 2
const HELD = 4
const PERIOD_WORDS = 6
/** A ring of seconds, each with its number, requests and tokens. */
const RING = PERIOD + PERIODS.length * PERIOD_WORDS
const RING_WORDS = 3
export const SLOT_WORDS = RING + WINDOW_SECONDS * RING_WORDS

const PLACES: Readonly<Record<Period, number>> = {
  day: PERIOD,
  week: PERIOD + PERIOD_WORDS,
  month: PERIOD + 2 * PERIOD_WORDS,
  total: PERIOD + 3 * PERIOD_WORDS,
}
const ALL_PLACES = Object.values(PLACES)

/** What a slot must not exceed; Infinity and null: no limit. */
export interface SlotLimits {
  rpm: number
  tpm: number
  parallel: number
  /** Of a hard budget. */
  budget: { per: Period; limit: Amount } | null
}

export interface SlotHold {
  /** Null: unknown. */
  money: Amount | null
  tokens: number
  /** False: unknown, which no limit of tokens allows. */
  hasTokens: boolean
}

/** How a call ended. */
export interface SlotUse {
  money: Amount | null
  tokens: number
  /** -1: the call was not made. */
  requests: 0 | -1
}

/**
 * One scope. Its lock is held for every method but `lock`; between lock and unlock nothing is awaited, nothing throws
 * and nothing is allocated, except at the end of a day.
 */
export class Slot {
  readonly scope: Scope
  /** Locks are taken in this order. */
  readonly number: number
  readonly #words: Words
  readonly #locks: Locks
  readonly #place: number

  constructor(scope: Scope, number: number, words: Words, locks: { words: Locks; place: number }) {
    this.scope = scope
    this.number = number
    this.#words = words
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
    return this.#at(GENERATION)
  }

  get isUsed(): boolean {
    return this.#at(USED) === 1
  }

  used(kind: 'requests' | 'tokens'): number {
    return this.#at(kind === 'requests' ? REQUESTS : TOKENS)
  }

  /** From the log, or empty. */
  fill(at: number, logged: LoggedScope | undefined): void {
    const words = this.#words
    const generation = this.generation + 1
    const now = Math.floor(at / 1000)
    words.fill(0)
    words[GENERATION] = generation
    words[USED] = logged === undefined ? 0 : 1
    words[SECOND] = now
    for (const period of PERIODS) {
      this.#begin(period, at)
      if (logged !== undefined) this.#add(PLACES[period] + SPENT, amountOf(logged.spent[period]))
    }
    for (const { second, requests, tokens } of logged?.seconds ?? []) {
      // A clock that has been set back since: those calls were made before now.
      if (second > now - WINDOW_SECONDS) this.#count(Math.min(second, now), requests, tokens)
    }
  }

  /** Moves to now: what has expired is dropped. */
  advance(at: number): void {
    if (at >= this.#at(PLACES.day + RESETS_AT)) this.#rollOver(at)
    const now = Math.floor(at / 1000)
    const last = this.#at(SECOND)
    if (now <= last) return
    const newest = Math.min(last, now - WINDOW_SECONDS)
    for (let second = last - WINDOW_SECONDS + 1; second <= newest; second++) this.#expire(second)
    this.#words[SECOND] = now
  }

  fits({ rpm, tpm, parallel, budget }: SlotLimits, { money, tokens, hasTokens }: SlotHold): boolean {
    if (this.#at(REQUESTS) + 1 > rpm || this.#at(IN_FLIGHT) + 1 > parallel) return false
    if (tpm !== Number.POSITIVE_INFINITY && (!hasTokens || (tokens > 0 && this.#at(TOKENS) + tokens > tpm)))
      return false
    if (budget === null) return true
    if (money === null) return false
    return (money.dollars === 0 && money.rest === 0) || this.#isWithin(PLACES[budget.per], money, budget.limit)
  }

  hold(at: number, { money, tokens }: SlotHold): void {
    if (money !== null) for (const place of ALL_PLACES) this.#add(place + HELD, money)
    this.#words[USED] = 1
    this.#words[IN_FLIGHT] = this.#at(IN_FLIGHT) + 1
    this.#words[CHANGES] = this.#at(CHANGES) + 1
    this.#count(Math.floor(at / 1000), 1, tokens)
  }

  /** What belongs to a period that has ended is dropped. */
  end(admittedAt: number, hold: SlotHold, use: SlotUse): void {
    for (const place of ALL_PLACES) {
      if (admittedAt < this.#at(place + STARTS_AT)) continue
      if (hold.money !== null) this.#subtract(place + HELD, hold.money)
      if (use.money !== null) this.#add(place + SPENT, use.money)
    }
    this.#words[IN_FLIGHT] = this.#at(IN_FLIGHT) - 1
    this.#words[CHANGES] = this.#at(CHANGES) + 1
    const second = Math.floor(admittedAt / 1000)
    if (second > this.#at(SECOND) - WINDOW_SECONDS) this.#count(second, use.requests, use.tokens - hold.tokens)
  }

  /** Milliseconds until the minute is empty if no call follows. */
  emptyIn(kind: 'requests' | 'tokens', at: number): number {
    const field = kind === 'requests' ? 1 : 2
    const now = this.#at(SECOND)
    for (let second = now; second > now - WINDOW_SECONDS; second--) {
      const place = ringPlace(second)
      if (this.#at(place) === second && this.#at(place + field) > 0) return (second + WINDOW_SECONDS) * 1000 - at
    }
    return 0
  }

  copyTo(words: Float64Array): void {
    words.set(this.#words)
  }

  #at(place: number): number {
    return this.#words[place] as number
  }

  #begin(period: Period, at: number): void {
    const { startsAt, resetsAt } = periodBounds(period, at)
    const place = PLACES[period]
    this.#words.fill(0, place, place + PERIOD_WORDS)
    this.#words[place + STARTS_AT] = startsAt
    this.#words[place + RESETS_AT] = resetsAt ?? Number.POSITIVE_INFINITY
  }

  #rollOver(at: number): void {
    for (const period of PERIODS) if (at >= this.#at(PLACES[period] + RESETS_AT)) this.#begin(period, at)
  }

  #expire(second: number): void {
    const place = ringPlace(second)
    if (this.#at(place) !== second) return
    this.#words[REQUESTS] = this.#at(REQUESTS) - this.#at(place + 1)
    this.#words[TOKENS] = this.#at(TOKENS) - this.#at(place + 2)
    this.#words[place] = 0
  }

  #count(second: number, requests: number, tokens: number): void {
    const words = this.#words
    const place = ringPlace(second)
    if (this.#at(place) !== second) {
      words[place] = second
      words[place + 1] = 0
      words[place + 2] = 0
    }
    words[place + 1] = this.#at(place + 1) + requests
    words[place + 2] = this.#at(place + 2) + tokens
    words[REQUESTS] = this.#at(REQUESTS) + requests
    words[TOKENS] = this.#at(TOKENS) + tokens
  }

  #isWithin(place: number, hold: Amount, limit: Amount): boolean {
    const rest = this.#at(place + SPENT + 1) + this.#at(place + HELD + 1) + hold.rest
    const over = Math.floor(rest / PER_DOLLAR)
    const dollars = this.#at(place + SPENT) + this.#at(place + HELD) + hold.dollars + over
    return dollars < limit.dollars || (dollars === limit.dollars && rest - over * PER_DOLLAR <= limit.rest)
  }

  #add(place: number, amount: Amount): void {
    const rest = this.#at(place + 1) + amount.rest
    const over = rest >= PER_DOLLAR ? 1 : 0
    this.#words[place] = this.#at(place) + amount.dollars + over
    this.#words[place + 1] = rest - over * PER_DOLLAR
  }

  #subtract(place: number, amount: Amount): void {
    const rest = this.#at(place + 1) - amount.rest
    const under = rest < 0 ? 1 : 0
    this.#words[place] = this.#at(place) - amount.dollars - under
    this.#words[place + 1] = rest + under * PER_DOLLAR
  }
}

function ringPlace(second: number): number {
  return RING + (second % WINDOW_SECONDS) * RING_WORDS
}

/** A copied slot as the account that the ledger of one thread would have: what is said of it is said by the same code. */
export function accountFrom(words: Float64Array, scope: Scope, at: number): Account {
  const account = newAccount(scope, at)
  const word = (place: number) => words[place] as number
  for (const period of PERIODS) {
    const place = PLACES[period]
    const resetsAt = word(place + RESETS_AT)
    account.counters[period] = {
      startsAt: word(place + STARTS_AT),
      resetsAt: Number.isFinite(resetsAt) ? resetsAt : null,
      spent: moneyOf(word(place + SPENT), word(place + SPENT + 1)),
      held: moneyOf(word(place + HELD), word(place + HELD + 1)),
    }
  }
  const { window } = account
  for (let second = word(SECOND) - WINDOW_SECONDS + 1; second <= word(SECOND); second++) {
    const place = ringPlace(second)
    if (word(place) !== second) continue
    window.seconds.push({ second, requests: word(place + 1), tokens: word(place + 2), expired: false })
  }
  window.requests = word(REQUESTS)
  window.tokens = word(TOKENS)
  account.inFlight = word(IN_FLIGHT)
  account.changes = word(CHANGES)
  return account
}
