import { type JsonObject, objectOrEmpty } from '../json.ts'
import { createRandom, hashText } from '../random.ts'
import type { Tweak } from '../reply.ts'
import { countTokens } from '../tokens.ts'

/** Documents of one search unit. */
const PER_UNIT = 100

/** Tokens as most servers count them: the query is read with each document. */
export function writeRerank(body: JsonObject, tweak: Tweak): JsonObject {
  const tokens = documentsOf(body).reduce(
    (sum, text) => sum + countTokens(text) + countTokens(String(body['query'])),
    0,
  )
  const usage = tweak.embeddings?.usage === 'none' ? {} : { usage: { total_tokens: tokens } }
  return { model: body['model'], results: resultsOf(body), ...usage }
}

/** Search units, as the vendor of the second version of this path bills them. */
export function writeUnitRerank(body: JsonObject, tweak: Tweak): JsonObject {
  const units = Math.ceil(documentsOf(body).length / PER_UNIT)
  const meta = tweak.embeddings?.usage === 'none' ? {} : { meta: { billed_units: { search_units: units } } }
  return { id: 'r-1', results: resultsOf(body), ...meta }
}

/** What a vendor that takes only texts says to others, and to fields that it does not know. */
export function problemWithRerank(body: JsonObject): string | null {
  const known = ['model', 'query', 'documents', 'top_n', 'max_tokens_per_doc']
  const unknown = Object.keys(body).find((name) => !known.includes(name))
  if (unknown !== undefined) return `unknown field: parameter '${unknown}' is not a valid field`
  const { documents } = body
  if (!Array.isArray(documents) || documents.length === 0) return 'invalid request: list of documents must not be empty'
  return documents.every((each) => typeof each === 'string') ? null : 'invalid type: documents must be strings'
}

export function resultsOf(body: JsonObject) {
  const scored = documentsOf(body).map((text, index) => ({
    index,
    relevance_score: scoreOf(String(body['query']), text),
  }))
  const sorted = scored.toSorted((a, b) => b.relevance_score - a.relevance_score)
  return sorted.slice(0, Number(body['top_n'] ?? sorted.length))
}

/** The same for the same query and text. */
export function scoreOf(query: string, text: string): number {
  return createRandom(hashText(`${query} ${text}`))()
}

function documentsOf({ documents }: JsonObject): string[] {
  const listed = Array.isArray(documents) ? documents : []
  return listed.map((each) => (typeof each === 'string' ? each : String(objectOrEmpty(each)['text'])))
}
