import { failure } from '../../../domain/failure.ts'
import { SEARCH_UNIT } from '../../../domain/pricing/unit-prices.ts'
import { NO_USAGE, type TokenUsage, tokenCount } from '../../../domain/pricing/usage.ts'
import type { Provider } from '../../../domain/provider.ts'
import { type Bounds, isCount } from '../../../domain/request/bounds.ts'
import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import { type RerankRequest, searchUnits, textOf } from '../../../domain/request/rerank.ts'
import { named, worded } from '../../../domain/wording/worded.ts'
import type { HttpTarget } from '../../../upstream/target.ts'
import type { Accent, Reading, Target, Translation, Translator } from '../../family.ts'
import { ranked } from '../../ranked.ts'
import { failureFromErrorBody } from '../failure.ts'
import { targetOf } from '../target.ts'
import { PLAIN, type Reranking } from './ranking.ts'

/** What every server understands, or what is made here. */
const KNOWN: ReadonlySet<string> = new Set([
  ...['model', 'query', 'documents', 'top_n', 'return_documents', 'max_tokens_per_doc', 'user'],
])

/** `isSpoken`: whether a provider has the path at all. */
export function reranker(
  ranking: Reranking = PLAIN,
  isSpoken?: (provider: Accent) => boolean,
): Translator<RerankRequest> {
  return {
    target: (provider) => addressOf(provider, ranking),
    toWire: (request, target) => toWire(request, target, ranking),
    fromWire: (body, request) => fromWire(body, request, ranking),
    ...(isSpoken === undefined ? {} : { isSpokenBy: isSpoken }),
  }
}

function addressOf(provider: Provider, { path, without }: Reranking): HttpTarget {
  if (without === undefined) return targetOf(provider, path)
  const base = targetOf(provider, '')
  return { ...base, url: base.url.replace(without, '') + path }
}

function toWire(request: RerankRequest, { model, isStrict }: Target, ranking: Reranking): Translation {
  const { documents, return_documents: _made, user: _user, ...rest } = request
  for (const name of Object.keys(rest)) {
    if ((rest[name] ?? null) === null) continue
    const isTaken = KNOWN.has(name) ? ranking.refuses?.includes(name) !== true : ranking.takes?.includes(name) === true
    const isRefused = ranking.isStrict === true || ranking.refuses?.includes(name) === true
    if (isTaken || (!isRefused && isStrict !== true)) continue
    const why = isRefused
      ? worded`this provider does not take it`
      : worded`a hard budget applies, and nothing bounds what this costs`
    return { kind: 'refused', code: 'unsupported_parameter', message: worded`${named(name)}: ${why}` }
  }
  const fields: JsonObject = {
    ...rest,
    ...ranking.always,
    model,
    documents: ranking.isStrict === true ? documents.map(textOf) : documents,
  }
  const { fields: names = {} } = ranking
  const body = Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => (value ?? null) !== null)
      .map(([name, value]) => [names[name] ?? name, value]),
  )
  return { kind: 'wire', body, ignored: [], adjustments: [], bounds: boundsOf(request, ranking) }
}

/** Nothing is generated. */
function boundsOf(request: RerankRequest, { unit }: Reranking): Bounds {
  const bounds: Bounds = { outputTokens: 0, answers: 1, namedPercent: 100, accountPercent: 100 }
  if (unit !== undefined) bounds.units = [{ name: unit, most: searchUnits(request, 1) }]
  return bounds
}

function fromWire(body: unknown, request: RerankRequest, ranking: Reranking): Reading {
  const wanted = ranked(isJsonObject(body) ? (body['results'] ?? body['data']) : body, request)
  if (wanted === null) {
    const failed = isJsonObject(body) ? failureFromErrorBody(body) : null
    const message = worded`The provider answered without a list of results.`
    return { kind: 'failure', failure: failed ?? failure('upstream_error', message, 200, { retry: 'once' }) }
  }
  const answered = isJsonObject(body) ? body : {}
  const usage = usageOf(answered, request, ranking)
  const total = usage.input > 0 ? { usage: { prompt_tokens: usage.input, total_tokens: usage.input } } : {}
  const meta = usage.uses == null ? {} : { meta: { billed_units: { search_units: Object.values(usage.uses)[0] } } }
  const counted = usage.input > 0 || usage.uses != null ? usage : null
  return {
    kind: 'answer',
    answer: { body: { results: wanted, ...meta, ...total }, usage: counted, finishReason: null, warning: null },
  }
}

/** Where a vendor that bills by units does not say how many, they are counted here: never fewer than it has documents for. */
function usageOf(body: JsonObject, request: RerankRequest, { unit }: Reranking): TokenUsage {
  const meta = isJsonObject(body['meta']) ? body['meta'] : {}
  const billed = isJsonObject(meta['billed_units']) ? meta['billed_units'] : {}
  const usage = isJsonObject(body['usage']) ? body['usage'] : {}
  const units = Math.ceil(Number(billed['search_units'] ?? 0))
  if (isCount(units)) return { ...NO_USAGE, uses: { [unit ?? SEARCH_UNIT]: units } }
  if (unit !== undefined) return { ...NO_USAGE, uses: { [unit]: searchUnits(request) } }
  return { ...NO_USAGE, input: tokenCount(usage['total_tokens'] ?? usage['prompt_tokens'] ?? billed['total_tokens']) }
}
