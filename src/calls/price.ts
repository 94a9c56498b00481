import { asPicodollars, costOf } from '../domain/pricing/price.ts'
import type { TokenUsage } from '../domain/pricing/usage.ts'
import type { ChainEntry } from '../domain/route.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import { advance, type Cost, type Priced, type Served } from './stages.ts'

/**
 * Usage × the price version in force when the call began: the call keeps its snapshot, so a later price change does not
 * affect it. One figure for the header, the log and the metrics.
 */
export function price(call: Served): Priced {
  return advance(call, { cost: costAt(call) })
}

function costAt({ endpoint, served, snapshot }: Served): Cost {
  if (endpoint.isFree === true) return FREE
  const { entry, usage, bounds } = served
  const cost = (of: TokenUsage) => costOfUsage(of, entry, snapshot)
  return {
    ...cost(usage),
    least: bounds === null ? null : cost(bounds.least).picodollars,
    most: bounds === null ? null : cost(bounds.most).picodollars,
  }
}

const FREE: Cost = { picodollars: asPicodollars(0n), priceVersion: null, least: null, most: null }

/** Null when the model has no known price. */
export function costOfUsage(usage: TokenUsage, { provider, model }: ChainEntry, { registry }: Snapshot) {
  const known = registry.get(provider)?.get(model)
  if (known === undefined) return { picodollars: null, priceVersion: null }
  return { picodollars: costOf(usage, known.price), priceVersion: known.priceVersion }
}
