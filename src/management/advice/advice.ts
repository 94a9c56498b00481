import { GatewayError } from '../../domain/errors.ts'
import { asPicodollars, compilePrice, exactUsd, parsePrices, signedUsd } from '../../domain/pricing/price.ts'
import { answerLengths, pricesPaid, routesByCost } from '../../request-log/usage/advice-facts.ts'
import { type AsIf, type WhatIfPrice, whatIf } from '../../request-log/usage/what-if.ts'
import { timestamp } from '../contract/fields.ts'
import type { InputOf, ReplyOf } from '../contract/operation.ts'
import type { usageOperations } from '../contract/usage.ts'
import type { ManagementDeps } from '../deps.ts'
import { untilCaughtUp } from '../requests/request-filters.ts'
import { daysOf, type Range, versionOf } from '../what-if.ts'
import * as words from './sentences.ts'

type Operation = (typeof usageOperations)['usage.advice']
type Reply = ReplyOf<Operation>
type Advice = Reply['data'][number] & { saved: bigint }

const MOST_DAYS = 31
const DAY_MS = 86_400_000
const MOST_ROUTES = 10

/** The calls that are looked at, and how to price them otherwise. */
interface Asked {
  deps: ManagementDeps
  scope: { workspace: string; keyId: string | null; route: string | null }
  range: Range
  now: number
  paid: WhatIfPrice[]
}

interface Priced {
  requests: number
  cost: bigint
  leftOut: number
  byProvider: Map<string, { requests: number; cost: bigint }>
}

export async function adviceReply(
  deps: ManagementDeps,
  query: InputOf<Operation>['query'],
  range: Range,
  now: number,
): Promise<Reply> {
  if (range.to - range.from > MOST_DAYS * DAY_MS) {
    throw new GatewayError('invalid_request', `from: at most ${MOST_DAYS} days before to`)
  }
  await untilCaughtUp(deps)
  const scope = { workspace: query.workspace, keyId: query.key ?? null, route: query.route ?? null }
  const paid = (await pricesPaid(deps.reads, { ...scope, ...range })).map(({ id, prices }) => ({
    of: { version: id },
    price: compilePrice(parsePrices(prices)),
  }))
  const asked: Asked = { deps, scope, range, now, paid }
  const base = await priced(asked)
  const found = base.requests === 0 ? [] : await adviceOn(asked, base, query.max_output_tokens ?? null)
  found.sort((a, b) => (a.saved < b.saved ? 1 : a.saved > b.saved ? -1 : 0))
  return {
    workspace: query.workspace,
    from: timestamp(range.from),
    to: timestamp(range.to),
    requests: base.requests,
    paid_usd: exactUsd(asPicodollars(base.cost)),
    left_out: base.leftOut,
    data: found.map(({ saved, ...each }) => ({ ...each, saved_usd: signedUsd(saved) })),
  }
}

async function adviceOn(asked: Asked, base: Priced, limit: number | null): Promise<Advice[]> {
  const found = [...(await onCache(asked, base)), ...(await onLength(asked, base, limit)), ...(await onBatches(asked))]
  const { scope, range, deps } = asked
  const routes =
    scope.route === null ? await routesByCost(deps.reads, { ...scope, ...range }, MOST_ROUTES) : [scope.route]
  for (const route of routes) found.push(...(await onMembers({ ...asked, scope: { ...scope, route } }, route)))
  return found
}

function advice(
  kind: Advice['kind'],
  bound: Advice['bound'],
  saved: bigint,
  requests: number,
  sentence: string,
): Advice {
  return { kind, bound, route: null, model: null, max_output_tokens: null, requests, saved, saved_usd: '', sentence }
}

/** What caching has saved, and the most that it could save beyond. */
async function onCache(asked: Asked, base: Priced): Promise<Advice[]> {
  const { requests, cost } = base
  const without = (await priced(asked, { asIf: 'uncached' })).cost
  const all = (await priced(asked, { asIf: 'cached' })).cost
  const found: Advice[] = []
  const used = without - cost
  if (used !== 0n) found.push(advice('cache_used', 'exact', used, requests, words.cacheUsed(used, without, requests)))
  if (all < cost) found.push(advice('cache', 'at_most', cost - all, requests, words.cache(cost - all, requests)))
  return found
}

async function onLength(asked: Asked, base: Priced, given: number | null): Promise<Advice[]> {
  const { deps, scope, range } = asked
  const { limit, cut } = await answerLengths(deps.reads, { ...scope, ...range }, given)
  if (limit === null || cut === 0) return []
  const saved = base.cost - (await priced(asked, { asIf: { cap: limit } })).cost
  if (saved <= 0n) return []
  const sentence = words.outputLimit(saved, limit, cut, base.requests)
  return [{ ...advice('output_limit', 'exact', saved, cut, sentence), max_output_tokens: limit }]
}

async function onBatches(asked: Asked): Promise<Advice[]> {
  const { byProvider } = await priced(asked, { isWhole: true })
  const { providers } = asked.deps.snapshot()
  const byPercent = new Map<number, { requests: number; cost: bigint }>()
  for (const [name, { requests, cost }] of byProvider) {
    const provider = providers.get(name)
    const percent = provider === undefined ? null : asked.deps.providerKinds.batchPercent(provider)
    if (percent === null) continue
    const before = byPercent.get(percent) ?? { requests: 0, cost: 0n }
    byPercent.set(percent, { requests: before.requests + requests, cost: before.cost + cost })
  }
  return [...byPercent].flatMap(([percent, { requests, cost }]) => {
    const saved = (cost * BigInt(100 - percent)) / 100n
    return saved === 0n ? [] : [advice('batch', 'at_most', saved, requests, words.batch(saved, percent, requests))]
  })
}

/** The member of a route at which all of its calls would have been cheapest. */
async function onMembers(asked: Asked, alias: string): Promise<Advice[]> {
  const { deps, scope, now } = asked
  const route = deps.snapshot().workspaces.get(scope.workspace)?.routes.get(alias)
  const members = new Map((route?.chain ?? []).map((entry) => [`${entry.provider}/${entry.model}`, entry]))
  if (members.size < 2) return []
  const base = await priced(asked)
  let best: { model: string; saved: bigint } | null = null
  for (const [model, entry] of members) {
    const version = await versionOf(deps, entry.provider, entry.model, now)
    if (version === null) continue
    const price = compilePrice(parsePrices(version.prices))
    const other = await priced({ ...asked, paid: [{ of: null, price }] })
    // A tier without a price would leave out the dearest calls.
    if (other.requests !== base.requests) continue
    const saved = base.cost - other.cost
    if (saved > (best?.saved ?? 0n)) best = { model, saved }
  }
  if (best === null) return []
  const { model, saved } = best
  const sentence = words.cheaperModel(saved, model, alias, base.requests)
  return [{ ...advice('cheaper_model', 'same_tokens', saved, base.requests, sentence), route: alias, model }]
}

/** Day by day, so that other readers of the log are not kept waiting. */
async function priced(
  { deps, scope, range, paid: prices }: Asked,
  more: { asIf?: AsIf; isWhole?: boolean } = {},
): Promise<Priced> {
  const all: Priced = { requests: 0, cost: 0n, leftOut: 0, byProvider: new Map() }
  for (const day of daysOf(range)) {
    for (const group of await whatIf(deps.reads, { ...scope, ...day, prices, ...more })) {
      const { requests, provider, paidPicodollars, whatIfPicodollars: cost } = group
      if (paidPicodollars === null || cost === null) {
        all.leftOut += requests
        continue
      }
      all.requests += requests
      all.cost += cost
      const before = all.byProvider.get(provider ?? '') ?? { requests: 0, cost: 0n }
      all.byProvider.set(provider ?? '', { requests: before.requests + requests, cost: before.cost + cost })
    }
  }
  return all
}
