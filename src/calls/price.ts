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
  const { entry, usage } = served
  const model = snapshot.registry.get(entry.provider)?.get(entry.model)
  if (model === undefined) return { picodollars: null, priceVersion: null }
  return { picodollars: costOf(usage, model.price), priceVersion: model.priceVersion }
}
