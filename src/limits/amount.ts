import { asPicodollars, type Picodollars } from '../domain/pricing/price.ts'

/**
 * Money as two whole numbers, which shared memory and Lua can hold and which are added without allocating anything:
 * dollars, and the rest in picodollars. Both are far below 2⁵³, so every sum is exact.
 */
export interface Amount {
  readonly dollars: number
  /** 0 ≤ rest < PER_DOLLAR. */
  readonly rest: number
}

export const PER_DOLLAR = 1_000_000_000_000
const PER_DOLLAR_EXACT = 1_000_000_000_000n

export function amountOf(money: bigint): Amount {
  return { dollars: Number(money / PER_DOLLAR_EXACT), rest: Number(money % PER_DOLLAR_EXACT) }
}

export function moneyOf(dollars: number, rest: number): Picodollars {
  return asPicodollars(BigInt(dollars) * PER_DOLLAR_EXACT + BigInt(rest))
}

/** As scripts of the counters read it. */
export function listed(money: bigint): [dollars: number, rest: number] {
  const { dollars, rest } = amountOf(money)
  return [dollars, rest]
}
