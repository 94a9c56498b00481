import { costOf as costOfTokens, type Picodollars } from '../domain/pricing/price.ts'
import { bothCosts, NO_COST } from '../domain/pricing/row-cost.ts'
import { type TokenUsage, unmixedAnswers } from '../domain/pricing/usage.ts'
import type { ChainEntry } from '../domain/route.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import { moneyOf } from '../limits/hold.ts'
import { termsAt } from './chain/chain-hold.ts'
import { type Admitted, advance, type Cost, type Priced, type Resolved, type Served, type ServedBy } from './stages.ts'

/**
 * Usage × the price version in force when the call began: the call keeps its snapshot, so a later price change does not
 * affect it. One figure for the header, the log and the metrics. Where two entries were asked, both are in it.
 */
export function price(call: Served): Priced {
  const { served, lost } = call
  const own = costOf(served, served.entry, call)
  const priced = advance<Priced>(call)
  priced.cost = lost?.cost == null ? own : together(own, lost.cost)
  return priced
}

/** Of a call that asked no provider. */
export function priceFree(call: Resolved): void {
  advance<Resolved & Pick<Priced, 'cost'>>(call).cost = FREE
}

export function costOf(
  { usage, bounds }: Pick<ServedBy, 'usage' | 'bounds'>,
  entry: ChainEntry,
  call: Pick<Admitted, 'endpoint' | 'snapshot' | 'fitnesses' | 'body'>,
): Cost {
  const { endpoint, snapshot } = call
  if (endpoint.isFree === true) return FREE
  const { picodollars, priceVersion } = costOfUsage(usage, entry, snapshot)
  if (bounds === null) return { picodollars, priceVersion, least: null, most: null }
  const any = (of: TokenUsage) => unmixedAnswers(of).map((each) => costOfUsage(each, entry, snapshot).picodollars)
  const estimate = { picodollars, priceVersion, least: smallest(any(bounds.least)), most: largest(any(bounds.most)) }
  const held = estimate.most === null ? null : heldFor(entry, call)
  // Of tools that ran before the cut nothing is certain but their bound.
  if (held?.hasTools && held.money !== null) estimate.most = held.money
  const isBooked = snapshot.providers.get(entry.provider)?.onEstimate === 'hold'
  const hold = isBooked ? (held?.money ?? null) : null
  if (hold === null || estimate.picodollars === null || hold <= estimate.picodollars) return estimate
  return { ...estimate, picodollars: hold, most: hold }
}

/** Null where one of them is unknown. */
function smallest(costs: (Picodollars | null)[]): Picodollars | null {
  return costs.reduce((a, b) => (a === null || b === null ? null : a < b ? a : b))
}

function largest(costs: (Picodollars | null)[]): Picodollars | null {
  return costs.reduce((a, b) => (a === null || b === null ? null : a > b ? a : b))
}

/** What was held for this entry. */
function heldFor(entry: ChainEntry, { snapshot, fitnesses, body }: Parameters<typeof costOf>[2]) {
  for (const fitness of fitnesses) {
    if (fitness.kind !== 'usable' || fitness.candidate.entry !== entry) continue
    const terms = termsAt(fitness.candidate, body.promptTokens, snapshot)
    return { money: moneyOf(terms), hasTools: terms.tools !== undefined }
  }
  return null
}

/** An estimate where one of them is. */
function together(own: Cost, lost: Cost): Cost {
  const isEstimated = own.most !== null || lost.most !== null
  // What is booked at its bound is so in all: the row does not keep the bounds of its parts.
  const lostMost =
    own.most !== null && own.most === own.picodollars ? lost.picodollars : (lost.most ?? lost.picodollars)
  return {
    picodollars: bothCosts(own.picodollars, lost.picodollars),
    priceVersion: own.priceVersion,
    least: isEstimated ? bothCosts(own.least ?? own.picodollars, lost.least ?? lost.picodollars) : null,
    most: isEstimated ? bothCosts(own.most ?? own.picodollars, lostMost) : null,
  }
}

const FREE: Cost = { picodollars: NO_COST, priceVersion: null, least: null, most: null }

/** Null when the model has no known price. */
export function costOfUsage(usage: TokenUsage, { provider, model }: ChainEntry, { registry }: Snapshot) {
  const known = registry.get(provider)?.get(model)
  if (known === undefined) return { picodollars: null, priceVersion: null }
  return { picodollars: costOfTokens(usage, known.price), priceVersion: known.priceVersion }
}
