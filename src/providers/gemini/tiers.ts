/** Highest surcharge of the tier: the vendor states 75 to 100 %, by model. */
const PRIORITY_PERCENT = 200

/** By the names of the request, and by those that one door reports. Capacity that is paid for as such has no price per token. */
const PERCENTS: ReadonlyMap<unknown, number> = new Map([
  ['flex', 50],
  ['priority', PRIORITY_PERCENT],
  ['ON_DEMAND_FLEX', 50],
  ['ON_DEMAND_PRIORITY', PRIORITY_PERCENT],
  ['PROVISIONED_THROUGHPUT', 0],
])

/** The tier's price, in percent of the list price. */
export function tierPercent(tier: unknown): number {
  return PERCENTS.get(tier) ?? 100
}
