import { TOKEN_CLASSES } from '../pricing/classes.ts'
import { type CostLines, costLines } from '../pricing/cost-lines.ts'
import type { PriceList } from '../pricing/price.ts'
import { isAtBound, isFree } from '../pricing/row-cost.ts'
import type { Unit } from '../pricing/unit-prices.ts'
import { chargedTokens, type TokenUsage } from '../pricing/usage.ts'

/** A closed call, as far as its money goes. */
export interface BilledCall {
  provider: string
  model: string
  endpoint: string | null
  isHit: boolean
  /** Null: nothing was served. */
  usage: TokenUsage | null
  usageSource: string | null
  cost: bigint | null
  most: bigint | null
  priceVersion: number | null
  /** Of that version; null where it is not known. */
  list: PriceList | null
  /** Those with a cost of their own: entries that lost a hedge. */
  lost: readonly { provider: string; model: string; cost: bigint }[]
  unconfirmedEstimate: bigint | null
  unconfirmedMost: bigint | null
  /** What the workspace charges its own customer. */
  resale: bigint | null
}

/** One line of a bill. With a price it is a product; without one an adjustment, which is an amount alone. */
export interface Charge {
  provider: string
  model: string
  class: string
  priced: { unit: 'tokens' | Unit; price: string } | null
  /** Tokens or paid uses; of time, milliseconds. */
  quantity: bigint
  /** Picodollars; null: the price is unknown. */
  billed: bigint | null
  list: bigint
  priceVersion: number | null
  tierAbove: number | null
  pricePercent: number
  usageSource: string | null
  unconfirmed: { estimate: bigint; most: bigint } | null
  resale: bigint | null
}

/** The lines add up to the call's cost, to the picodollar, whatever kind of row it is (pricing/row-cost.ts). */
export function chargesOf(call: BilledCall): Charge[] {
  return [...costCharges(call), ...unconfirmedCharge(call), ...resaleCharge(call)]
}

function costCharges(call: BilledCall): Charge[] {
  const { usage, cost, list, usageSource: source } = call
  if (isFree({ endpoint: call.endpoint, isHit: call.isHit, isServed: usage !== null })) return []
  if (cost === null) return usage === null ? [] : unpricedCharges(call, usage)
  if (isAtBound({ source, cost, most: call.most })) return [adjustment(call, 'held amount', cost)]
  const own = usage === null || list === null ? null : costLines(usage, list)
  const lost = call.lost.map(({ provider, model, cost: amount }) =>
    adjustment({ ...call, provider, model }, 'lost hedge', amount),
  )
  const lines = [...(own === null ? [] : lineCharges(call, own)), ...lost]
  const rest = cost - lines.reduce((sum, { billed }) => sum + (billed ?? 0n), 0n)
  return rest === 0n ? lines : [...lines, adjustment(call, 'not itemized', rest)]
}

function lineCharges(call: BilledCall, own: CostLines): Charge[] {
  const { tierAbove, pricePercent } = own
  const base = { ...lineOf(call), tierAbove, pricePercent }
  const fees = own.uses.reduce((sum, { amount }) => sum + amount, 0n)
  // Rounded to a picodollar a call, so it is no product of a price: a line of its own keeps the others exact.
  const surcharge = own.total - fees - own.listAmount
  return [
    ...own.lines.map(({ class: name, tokens, perMtok, amount }) => ({
      ...base,
      ...{ class: name, priced: { unit: 'tokens' as const, price: perMtok }, quantity: BigInt(tokens) },
      ...{ billed: amount, list: amount },
    })),
    ...own.uses.map(({ name, unit, paid, per1000, amount }) => ({
      ...base,
      ...{ class: name, priced: { unit, price: per1000 }, quantity: BigInt(paid) },
      ...{ billed: amount, list: amount },
    })),
    ...(surcharge === 0n ? [] : [{ ...base, class: `${pricePercent} % of the list price`, billed: surcharge }]),
  ]
}

function unpricedCharges(call: BilledCall, usage: TokenUsage): Charge[] {
  return TOKEN_CLASSES.flatMap(({ name, label }) => {
    const tokens = chargedTokens(usage, name)
    return tokens === 0 ? [] : [{ ...lineOf(call), class: label, quantity: BigInt(tokens), billed: null }]
  })
}

/** Never a part of what was billed. */
function unconfirmedCharge(call: BilledCall): Charge[] {
  const { unconfirmedEstimate: estimate, unconfirmedMost: most } = call
  if (estimate === null || most === null) return []
  return [{ ...lineOf(call), class: 'unconfirmed', unconfirmed: { estimate, most } }]
}

/** A line of its own: it is a price of the call, not of a token class, and no part of what was billed. */
function resaleCharge(call: BilledCall): Charge[] {
  const { resale } = call
  return resale === null || resale === 0n ? [] : [{ ...lineOf(call), class: 'resale', resale }]
}

function adjustment(call: BilledCall, name: string, billed: bigint): Charge {
  return { ...lineOf(call), class: name, billed }
}

function lineOf({ provider, model, priceVersion, usageSource }: BilledCall): Charge {
  return {
    ...{ provider, model, priceVersion, usageSource, class: '', priced: null, quantity: 0n, billed: 0n, list: 0n },
    ...{ tierAbove: null, pricePercent: 100, unconfirmed: null, resale: null },
  }
}
