import { asPicodollars, costOf, type Picodollars } from '../domain/pricing/price.ts'
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

function costAt(call: Served): Cost {
  const { endpoint, served, snapshot } = call
  if (endpoint.isFree === true) return FREE
  const { entry, usage, bounds } = served
  const cost = (of: TokenUsage) => costOfUsage(of, entry, snapshot)
  if (bounds === null) return { ...cost(usage), least: null, most: null }
  const estimate = cost(usage)
  const least = cost(bounds.least).picodollars
  const booked = bookedHold(call, estimate.picodollars)
  if (booked !== null) return { ...estimate, picodollars: booked, least, most: booked }
  return { ...estimate, least, most: cost(bounds.most).picodollars }
}

/** In place of an estimate, where the provider is set so; null: the estimate counts. */
function bookedHold({ served, snapshot, held }: Served, estimate: Picodollars | null): Picodollars | null {
  const { picodollars: hold } = held.hold
  const isSetSo = snapshot.providers.get(served.entry.provider)?.onEstimate === 'hold'
  return isSetSo && hold !== null && estimate !== null && hold > estimate ? hold : null
}

const FREE: Cost = { picodollars: asPicodollars(0n), priceVersion: null, least: null, most: null }

/** Null when the model has no known price. */
export function costOfUsage(usage: TokenUsage, { provider, model }: ChainEntry, { registry }: Snapshot) {
  const known = registry.get(provider)?.get(model)
  if (known === undefined) return { picodollars: null, priceVersion: null }
  return { picodollars: costOf(usage, known.price), priceVersion: known.priceVersion }
}
