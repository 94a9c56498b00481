import type { Uses } from './usage.ts'

/**
 * What one unit is. Of `request`, a call pays once however often it used the thing; of all others each use is paid.
 * Free quotas of a vendor are never subtracted: they belong to the account, not to a call.
 */
export const UNITS = ['call', 'request', 'distinct_query', 'result', 'container', 'minute', 'search'] as const
export type Unit = (typeof UNITS)[number]

/** A price per use, of a model: of a tool that the provider runs, or of what the model itself does. */
export interface UnitPrice {
  name: string
  unit: Unit
  /** Decimal USD for a thousand, at most six decimals: exact in picodollars. */
  usd_per_1000: string
}

/** Compiled for the hot path. */
export interface UnitRate {
  isOnce: boolean
  /** Picodollars. */
  each: bigint
}

/** How many units so many uses are. */
export function unitsOf(uses: number, isOnce: boolean): bigint {
  return BigInt(isOnce ? Math.min(uses, 1) : uses)
}

/** Of all tools together; null where one of them has no price: unknown is not free. */
export function feesOf(uses: Uses, rates: ReadonlyMap<string, UnitRate> | undefined): bigint | null {
  let fees = 0n
  for (const name in uses) {
    const rate = rates?.get(name)
    if (rate === undefined) return null
    fees += unitsOf(uses[name] ?? 0, rate.isOnce) * rate.each
  }
  return fees
}
