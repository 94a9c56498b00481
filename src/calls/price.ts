import { asPicodollars, costOf as costOfTokens, type Picodollars } from '../domain/pricing/price.ts'
import { type TokenUsage, unmixedAnswers } from '../domain/pricing/usage.ts'
import type { ChainEntry } from '../domain/route.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import { advance, type Begun, type Cost, type Priced, type Served, type ServedBy } from './stages.ts'

/**
 * Usage × the price version in force when the call began: the call keeps its snapshot, so a later price change does not
 * affect it. One figure for the header, the log and the metrics. Where two entries were asked, both are in it.
 */
export function price(call: Served): Priced {
  const { served, lost } = call
  const own = costOf(served, served.entry, call)
  const total = lost === null || lost.cost === null ? own : together(own, lost.cost)
  const booked = bookedHold(call, own, total)
  return advance(call, { cost: booked === null ? total : { ...total, picodollars: booked, most: booked } })
}

export function costOf(
  { usage, bounds }: Pick<ServedBy, 'usage' | 'bounds'>,
  entry: ChainEntry,
  { endpoint, snapshot }: Pick<Begun, 'endpoint' | 'snapshot'>,
): Cost {
  if (endpoint.isFree === true) return FREE
  const cost = (of: TokenUsage) => costOfUsage(of, entry, snapshot)
  if (bounds === null) return { ...cost(usage), least: null, most: null }
  const any = (of: TokenUsage) => unmixedAnswers(of).map((each) => cost(each).picodollars)
  return { ...cost(usage), least: smallest(any(bounds.least)), most: largest(any(bounds.most)) }
}

/** Null where one of them is unknown. */
function smallest(costs: (Picodollars | null)[]): Picodollars | null {
  return costs.reduce((a, b) => (a === null || b === null ? null : a < b ? a : b))
}

function largest(costs: (Picodollars | null)[]): Picodollars | null {
  return costs.reduce((a, b) => (a === null || b === null ? null : a > b ? a : b))
}

/** In place of an estimate, where the provider it is of is set so; null: the estimate counts. */
function bookedHold({ served, lost, snapshot, held }: Served, own: Cost, total: Cost): Picodollars | null {
  const { picodollars: hold } = held.hold
  const isSetSo = (cost: Cost | null | undefined, entry: ChainEntry | undefined) =>
    typeof cost?.most === 'bigint' && snapshot.providers.get(entry?.provider ?? '')?.onEstimate === 'hold'
  if (!isSetSo(own, served.entry) && !isSetSo(lost?.cost, lost?.entry)) return null
  return hold !== null && total.picodollars !== null && hold > total.picodollars ? hold : null
}

/** Unknown where one of them is; an estimate where one of them is. */
function together(own: Cost, lost: Cost): Cost {
  const isEstimated = own.most !== null || lost.most !== null
  return {
    picodollars: sum(own.picodollars, lost.picodollars),
    priceVersion: own.priceVersion,
    least: isEstimated ? sum(own.least ?? own.picodollars, lost.least ?? lost.picodollars) : null,
    most: isEstimated ? sum(own.most ?? own.picodollars, lost.most ?? lost.picodollars) : null,
  }
}

function sum(a: Picodollars | null, b: Picodollars | null): Picodollars | null {
  return a === null || b === null ? null : asPicodollars(a + b)
}

export const FREE: Cost = { picodollars: asPicodollars(0n), priceVersion: null, least: null, most: null }

/** Null when the model has no known price. */
export function costOfUsage(usage: TokenUsage, { provider, model }: ChainEntry, { registry }: Snapshot) {
  const known = registry.get(provider)?.get(model)
  if (known === undefined) return { picodollars: null, priceVersion: null }
  return { picodollars: costOfTokens(usage, known.price), priceVersion: known.priceVersion }
}
