import { costOf } from '../domain/pricing/price.ts'
import { advance, type Cost, type Priced, type Served } from './stages.ts'

/**
 * Usage × the price version in force when the call began: the call keeps its snapshot, so a later price change does not
 * affect it. One figure for the header, the log and the metrics.
 */
export function price(call: Served): Priced {
  return advance(call, { cost: costAt(call) })
}

function costAt({ served, snapshot }: Served): Cost {
  const { entry, usage, bounds } = served
  const model = snapshot.registry.get(entry.provider)?.get(entry.model)
  if (model === undefined) return { picodollars: null, priceVersion: null, least: null, most: null }
  const { price, priceVersion } = model
  return {
    picodollars: costOf(usage, price),
    priceVersion,
    least: bounds === null ? null : costOf(bounds.least, price),
    most: bounds === null ? null : costOf(bounds.most, price),
  }
}
