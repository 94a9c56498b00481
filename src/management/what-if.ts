import { GatewayError } from '../domain/errors.ts'
import { asPicodollars, compilePrice, exactUsd, parsePrices, signedUsd } from '../domain/pricing/price.ts'
import {
  modelsInUse,
  priceVersionAt,
  type WhatIfGroup,
  type WhatIfPrice,
  whatIf,
} from '../request-log/usage/what-if.ts'
import { whatIfOfUses } from '../request-log/usage/what-if-uses.ts'
import { timestamp } from './contract/fields.ts'
import type { InputOf, ReplyOf } from './contract/operation.ts'
import type { usageOperations } from './contract/usage.ts'
import type { ManagementDeps } from './deps.ts'
import { untilCaughtUp } from './requests/request-filters.ts'

type WhatIf = (typeof usageOperations)['usage.what-if']
type Query = InputOf<WhatIf>['query']

const DAY_MS = 86_400_000
const MOST_DAYS = 93

export interface Range {
  from: number
  to: number
}

interface Sums {
  requests: number
  paid: bigint
  whatIf: bigint
}

/** One day after the other, so that neither memory nor the wait of other readers grows with the range. */
export async function whatIfReply(
  deps: ManagementDeps,
  query: Query,
  range: Range,
  now: number,
): Promise<ReplyOf<WhatIf>> {
  if (query.model === undefined && query.prices_at === undefined) {
    throw new GatewayError('invalid_request', 'model: send model (PROVIDER/MODEL), prices_at or both')
  }
  if (range.to - range.from > MOST_DAYS * DAY_MS) {
    throw new GatewayError('invalid_request', `from: at most ${MOST_DAYS} days before to`)
  }
  const pricesAt = query.prices_at === undefined ? now : Date.parse(query.prices_at)
  await untilCaughtUp(deps)
  const { prices, version } = await pricesOf(deps, query, range, pricesAt)
  const days: { day: string; sums: Sums }[] = []
  const unpriced = new Map<string, ReplyOf<WhatIf>['unpriced'][number]>()
  for (const day of daysOf(range)) {
    const asked = { workspace: query.workspace, keyId: query.key ?? null, route: query.route ?? null, prices, ...day }
    const ofTokens = await whatIf(deps.reads, { ...asked, hasNoUses: true })
    const groups = [...ofTokens, ...(await whatIfOfUses(deps.reads, asked))]
    for (const group of groups) countUnpriced(unpriced, group)
    days.push({ day: timestamp(day.from).slice(0, 10), sums: groups.map(comparable).reduce(added, NOTHING) })
  }
  const total = days.map(({ sums }) => sums).reduce(added, NOTHING)
  return {
    workspace: query.workspace,
    from: timestamp(range.from),
    to: timestamp(range.to),
    model: query.model ?? null,
    prices_at: timestamp(pricesAt),
    price_version: version,
    data: days.map(({ day, sums }) => ({ day, ...toWhatIfView(sums) })),
    total: { ...toWhatIfView(total), difference_usd: signedUsd(total.whatIf - total.paid) },
    unpriced: [...unpriced.values()],
  }
}

async function pricesOf(deps: ManagementDeps, query: Query, range: Range, at: number) {
  if (query.model === undefined) return { prices: await ownPrices(deps, query.workspace, range, at), version: null }
  const slash = query.model.indexOf('/')
  const version = await versionOf(deps, query.model.slice(0, slash), query.model.slice(slash + 1), at)
  if (version === null) {
    throw new GatewayError('not_found', `No price of '${query.model}' was known at ${timestamp(at)}.`)
  }
  const prices: WhatIfPrice[] = [{ of: null, price: compilePrice(parsePrices(version.prices)) }]
  return { prices, version: version.id }
}

/** Each model that was used, at its price of that time. */
async function ownPrices(deps: ManagementDeps, workspace: string, range: Range, at: number): Promise<WhatIfPrice[]> {
  const prices: WhatIfPrice[] = []
  for (const of of await modelsInUse(deps.reads, { workspace, ...range })) {
    const version = await versionOf(deps, of.provider, of.model, at)
    if (version !== null) prices.push({ of, price: compilePrice(parsePrices(version.prices)) })
  }
  return prices
}

/** A listed alias has the prices of its model, a provider those of its vendor. */
export function versionOf(deps: ManagementDeps, provider: string, model: string, at: number) {
  const listed = deps.snapshot().registry.get(provider)?.get(model)
  return priceVersionAt(deps.reads, listed?.provider ?? provider, listed?.model ?? model, at)
}

/** The days of a range (UTC), the first and the last cut where the range ends. */
export function daysOf({ from, to }: Range): Range[] {
  const days: Range[] = []
  for (let start = from; start < to; ) {
    const end = Math.min(to, Math.floor(start / DAY_MS) * DAY_MS + DAY_MS)
    days.push({ from: start, to: end })
    start = end
  }
  return days
}

const NOTHING: Sums = { requests: 0, paid: 0n, whatIf: 0n }

/** A call counts on both sides or on none, so that the two sums can be compared. */
function comparable({ requests, paidPicodollars: paid, whatIfPicodollars: whatIf }: WhatIfGroup): Sums {
  return paid === null || whatIf === null ? NOTHING : { requests, paid, whatIf }
}

function added(a: Sums, b: Sums): Sums {
  return { requests: a.requests + b.requests, paid: a.paid + b.paid, whatIf: a.whatIf + b.whatIf }
}

function countUnpriced(unpriced: Map<string, ReplyOf<WhatIf>['unpriced'][number]>, group: WhatIfGroup): void {
  const { provider, model, requests, unit = null, paidPicodollars, whatIfPicodollars } = group
  if (paidPicodollars !== null && whatIfPicodollars !== null) return
  const missing = whatIfPicodollars === null ? 'what_if' : 'paid'
  const name = JSON.stringify([provider, model, missing, unit])
  const before = unpriced.get(name)?.requests ?? 0
  unpriced.set(name, { provider, model, requests: before + requests, missing, unit })
}

function toWhatIfView({ requests, paid, whatIf }: Sums) {
  return { requests, paid_usd: exactUsd(asPicodollars(paid)), what_if_usd: exactUsd(asPicodollars(whatIf)) }
}
