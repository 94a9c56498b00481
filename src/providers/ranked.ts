import { isJsonObject, type JsonObject } from '../domain/request/call-request.ts'
import { type RerankRequest, textOf } from '../domain/request/rerank.ts'

/** The results in the caller's form, best first; null: it is no list of them. */
export function ranked(listed: unknown, request: RerankRequest): JsonObject[] | null {
  const { length } = request.documents
  const results = Array.isArray(listed) ? listed.map(resultOf) : [null]
  if (results.some((result) => result === null || result.index >= length)) return null
  const sorted = results.filter((result) => result !== null).toSorted((a, b) => b.relevance_score - a.relevance_score)
  return sorted.slice(0, request.top_n ?? length).map((result) => withText(result, request))
}

interface Result {
  index: number
  relevance_score: number
}

/** Some call the score by its first word only. */
function resultOf(value: unknown): Result | null {
  if (!isJsonObject(value)) return null
  const { index, relevance_score: score = value['relevanceScore'] ?? value['score'] } = value
  const isPlace = typeof index === 'number' && Number.isSafeInteger(index) && index >= 0
  return isPlace && typeof score === 'number' ? { index, relevance_score: score } : null
}

/** From the request: what a provider repeats may be cut. */
function withText(result: Result, { documents, return_documents: isRepeated }: RerankRequest): JsonObject {
  const document = documents[result.index]
  return isRepeated !== true || document === undefined
    ? { ...result }
    : { ...result, document: { text: textOf(document) } }
}
