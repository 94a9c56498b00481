import { failure } from '../../domain/failure.ts'
import { SEARCH_UNIT } from '../../domain/pricing/unit-prices.ts'
import { NO_USAGE } from '../../domain/pricing/usage.ts'
import type { Bounds } from '../../domain/request/bounds.ts'
import { isJsonObject } from '../../domain/request/call-request.ts'
import { type RerankRequest, searchUnits, textOf } from '../../domain/request/rerank.ts'
import { named, worded } from '../../domain/wording/worded.ts'
import type { Reading, Target, Translation, Translator } from '../family.ts'
import { ranked } from '../ranked.ts'
import { agentTarget, modelArn } from './endpoint.ts'

/** Of one call. */
const MOST_DOCUMENTS = 1_000
const FIELDS: ReadonlySet<string> = new Set(['model', 'query', 'documents', 'top_n', 'return_documents', 'user'])

/** Billed by query of up to a hundred chunks; the service does not say how many there were. */
export const rerank: Translator<RerankRequest> = {
  target: (provider) => agentTarget(provider, '/rerank'),
  toWire,
  fromWire,
}

function toWire(request: RerankRequest, { model, settings }: Target): Translation {
  const { query, documents, top_n: most } = request
  const unknown = Object.keys(request).find((name) => !FIELDS.has(name) && request[name] != null)
  const problem =
    unknown !== undefined
      ? worded`${named(unknown.slice(0, 60))}: this provider does not take it`
      : documents.length > MOST_DOCUMENTS
        ? worded`documents: this provider takes at most ${MOST_DOCUMENTS}`
        : null
  if (problem !== null) return { kind: 'refused', code: 'unsupported_parameter', message: problem }
  const body = {
    queries: [{ type: 'TEXT', textQuery: { text: query } }],
    sources: documents.map((document) => ({
      type: 'INLINE',
      inlineDocumentSource: { type: 'TEXT', textDocument: { text: textOf(document) } },
    })),
    rerankingConfiguration: {
      type: 'BEDROCK_RERANKING_MODEL',
      bedrockRerankingConfiguration: {
        numberOfResults: Math.min(most ?? documents.length, documents.length),
        modelConfiguration: { modelArn: modelArn(model, settings) },
      },
    },
  }
  return { kind: 'wire', body, ignored: [], adjustments: [], bounds: boundsOf(request) }
}

/** Nothing is generated, and no document is known to be cut. */
function boundsOf(request: RerankRequest): Bounds {
  const units = [{ name: SEARCH_UNIT, most: searchUnits(whole(request), 1) }]
  return { outputTokens: 0, answers: 1, namedPercent: 100, accountPercent: 100, units }
}

function whole(request: RerankRequest): RerankRequest {
  return { ...request, max_tokens_per_doc: Number.MAX_SAFE_INTEGER }
}

function fromWire(body: unknown, request: RerankRequest): Reading {
  const wanted = ranked(isJsonObject(body) ? body['results'] : null, request)
  if (wanted === null) {
    const message = worded`The provider answered without a list of results.`
    return { kind: 'failure', failure: failure('upstream_error', message, 200, { retry: 'once' }) }
  }
  const units = searchUnits(whole(request))
  const usage = { ...NO_USAGE, uses: { [SEARCH_UNIT]: units } }
  const said = { results: wanted, meta: { billed_units: { search_units: units } } }
  return { kind: 'answer', answer: { body: said, usage, usageSource: 'estimated', finishReason: null, warning: null } }
}
