import { PERIODS, type Period, periodBounds } from '../../domain/budgets/budget-period.ts'
import { nothingSpent } from './each-book.ts'

/** What one value has spent in the present periods, and what its running calls hold. */
export class Counter {
  spent = nothingSpent()
  /** In whichever period is present: on the safe side for calls from before midnight. */
  held = 0n
  calls = 0
  /** Unix milliseconds of the last change. */
  touchedAt: number
  readonly #began: Record<Period, number>
  #dayEnds = 0

  constructor(at: number) {
    this.touchedAt = at
    this.#began = { day: 0, week: 0, month: 0, total: 0 }
    this.advance(at)
  }

  /** A period that is over begins again with nothing. */
  advance(at: number): void {
    this.touchedAt = Math.max(this.touchedAt, at)
    if (at < this.#dayEnds) return
    for (const per of PERIODS) {
      const { startsAt } = periodBounds(per, at)
      if (startsAt <= this.#began[per]) continue
      this.#began[per] = startsAt
      this.spent[per] = 0n
    }
    this.#dayEnds = periodBounds('day', at).resetsAt ?? Number.POSITIVE_INFINITY
  }

  hold(money: bigint): void {
    this.held += money
    this.calls += 1
  }

  end(admittedAt: number, held: bigint, cost: bigint): void {
    this.held -= held
    this.calls -= 1
    this.spend(admittedAt, cost)
  }

  /** The cost counts in the periods of the moment of admission, as far as they are present. */
  spend(admittedAt: number, cost: bigint): void {
    if (cost === 0n) return
    for (const per of PERIODS) if (admittedAt >= this.#began[per]) this.spent[per] += cost
  }
}
