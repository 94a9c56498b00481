import { asPicodollars, type Picodollars } from '../../domain/pricing/price.ts'

/** Whole dollars and the rest: each is exact as a Lua number, their sum would not be. */
const REST = 1_000_000_000_000n

export function dollarsAndRest(amount: bigint): [dollars: string, rest: string] {
  return [String(amount / REST), String(amount % REST)]
}

export function amountOf(dollars: number, rest: number): Picodollars {
  return asPicodollars(BigInt(dollars) * REST + BigInt(rest))
}
