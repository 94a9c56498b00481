import { costOf } from '../domain/pricing/price.ts'
import type { Cost, Life, Served } from './stages.ts'

/**
 * Usage × the price version in force when the call began: the call keeps its snapshot, so a price changed meanwhile
 * does not touch it. One figure for the header, the log and the metrics.
 */
export function price(served: Served, life: Life): Cost {
  const model = life.snapshot.registry.get(served.entry.provider)?.get(served.entry.model)
  if (model === undefined) return { picodollars: null, priceVersion: null }
  return { picodollars: costOf(served.answer.usage, model.price), priceVersion: model.priceVersion }
}
