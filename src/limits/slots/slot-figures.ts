import { PERIODS, type Period } from '../../domain/budgets/budget-period.ts'
import { asPicodollars, type Picodollars } from '../../domain/pricing/price.ts'
import { moneyOf } from '../amount.ts'
import { type Scope, type ScopeStatus, WINDOW_SECONDS } from '../ledger.ts'

/** What one scope has used and holds, as numbers. The layout, in places of eight bytes: */

/** Grows when the slot is refilled: calls that were admitted before no longer count. */
export const GENERATION = 0
/** Whether the scope was ever used. */
export const USED = 1
export const CHANGES = 2
export const IN_FLIGHT = 3
export const REQUESTS = 4
export const TOKENS = 5
/** Unix milliseconds up to which it has been moved. */
export const MOMENT = 6
/** Running totals, as dollars and rest: what a period has is what they have grown by, so a call adds to each once. */
export const SPENT = 7
export const HELD = 9
/** For each period, with the part of the totals that is of calls before it: */
const PERIOD = 11
export const STARTS_AT = 0
export const RESETS_AT = 1
export const SPENT_BEFORE = 2
export const HELD_BEFORE = 4
const PERIOD_WORDS = 6
/** A ring of seconds, each with its number, requests and tokens. */
const RING = PERIOD + PERIODS.length * PERIOD_WORDS
const RING_WORDS = 3
export const SLOT_WORDS = RING + WINDOW_SECONDS * RING_WORDS

export const PLACES: Readonly<Record<Period, number>> = {
  day: PERIOD,
  week: PERIOD + PERIOD_WORDS,
  month: PERIOD + 2 * PERIOD_WORDS,
  total: PERIOD + 3 * PERIOD_WORDS,
}

export function ringPlace(second: number): number {
  return RING + (second % WINDOW_SECONDS) * RING_WORDS
}

export type Rate = 'requests' | 'tokens'

/** What the numbers say: of a slot under its lock, or of a copy. */
export class SlotFigures {
  protected readonly words: Float64Array

  constructor(words: Float64Array = new Float64Array(SLOT_WORDS)) {
    this.words = words
  }

  copy(slot: SlotFigures): void {
    this.words.set(slot.words)
  }

  used(kind: Rate): number {
    return this.at(kind === 'requests' ? REQUESTS : TOKENS)
  }

  get inFlight(): number {
    return this.at(IN_FLIGHT)
  }

  /** In the current one of these periods. */
  spent(per: Period): Picodollars {
    return this.#since(SPENT, PLACES[per] + SPENT_BEFORE)
  }

  held(per: Period): Picodollars {
    return this.#since(HELD, PLACES[per] + HELD_BEFORE)
  }

  /** Milliseconds until at most this much is left of the minute; null: even an empty one has more. */
  waitUntilAtMost(kind: Rate, most: number): number | null {
    if (most < 0) return null
    let left = this.used(kind)
    const now = this.second
    for (let second = now - WINDOW_SECONDS + 1; left > most && second <= now; second++) {
      left -= this.#inSecond(kind, second)
      if (left <= most) return this.#endOf(second)
    }
    return 0
  }

  /** Milliseconds until the minute is empty if no call follows. */
  emptyIn(kind: Rate): number {
    const now = this.second
    for (let second = now; second > now - WINDOW_SECONDS; second--) {
      if (this.#inSecond(kind, second) > 0) return this.#endOf(second)
    }
    return 0
  }

  status(scope: Scope): ScopeStatus {
    const period = (per: Period) => {
      const resetsAt = this.at(PLACES[per] + RESETS_AT)
      return {
        startsAt: this.at(PLACES[per] + STARTS_AT),
        resetsAt: Number.isFinite(resetsAt) ? resetsAt : null,
        spent: this.spent(per),
        held: this.held(per),
      }
    }
    return {
      scope,
      requestsLastMinute: this.used('requests'),
      tokensLastMinute: this.used('tokens'),
      inFlight: this.inFlight,
      periods: { day: period('day'), week: period('week'), month: period('month'), total: period('total') },
      changes: this.at(CHANGES),
      idle: asPicodollars(0n),
    }
  }

  protected at(place: number): number {
    return this.words[place] as number
  }

  protected get second(): number {
    return Math.floor(this.at(MOMENT) / 1000)
  }

  #inSecond(kind: Rate, second: number): number {
    const place = ringPlace(second)
    return this.at(place) === second ? this.at(place + (kind === 'requests' ? 1 : 2)) : 0
  }

  #endOf(second: number): number {
    return (second + WINDOW_SECONDS) * 1000 - this.at(MOMENT)
  }

  #since(total: number, before: number): Picodollars {
    return moneyOf(this.at(total) - this.at(before), this.at(total + 1) - this.at(before + 1))
  }
}
