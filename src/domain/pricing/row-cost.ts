import { asPicodollars, type Picodollars } from './price.ts'

/**
 * What a row costs, by its kind. Calls are priced by these rules (calls/price.ts), and `verify` recomputes rows with
 * them: a new kind of row needs its rule here.
 *
 * - Nothing was served: no cost.
 * - A stored answer, or an answer of a free endpoint: 0.
 * - Booked at its bound: an interrupted stream, or an estimate of a provider with `on_estimate: hold`.
 * - All others: tokens × price version, plus what the entries that lost a hedge cost.
 */
export const FREE_ENDPOINTS: ReadonlySet<string> = new Set(['count_tokens', 'count_content_tokens'])

export const NO_COST = asPicodollars(0n)

export function isFree(row: { endpoint: string | null; isHit: boolean; isServed: boolean }): boolean {
  return row.isHit || (row.isServed && row.endpoint !== null && FREE_ENDPOINTS.has(row.endpoint))
}

/** Both are null where no bound was known. */
export function isAtBound(row: { source: string | null; cost: bigint | null; most: bigint | null }): boolean {
  return row.source !== null && row.source !== 'provider' && row.cost === row.most
}

/** The entry that served and those that lost; unknown where one of them is. */
export function bothCosts(own: bigint | null, lost: bigint | null): Picodollars | null {
  return own === null || lost === null ? null : asPicodollars(own + lost)
}
