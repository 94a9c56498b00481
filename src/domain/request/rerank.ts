import { z } from 'zod'
import { GatewayError } from '../errors.ts'
import { problemOf } from '../problem-text.ts'
import { worded } from '../wording/worded.ts'
import { isCount, type PromptTokens } from './bounds.ts'
import { isJsonObject } from './call-request.ts'

/** No vendor takes more. */
const MOST_DOCUMENTS = 10_000

/** Checked by hand: a schema would collect one issue for each of thousands of bad documents. */
const documents = z.custom<RerankDocument[]>(
  (value) => Array.isArray(value) && value.length > 0 && value.length <= MOST_DOCUMENTS && value.every(isDocument),
  `expected a list of 1 to ${MOST_DOCUMENTS} texts, or objects with a text`,
)

/** The rerank request, as far as the gateway must understand it: the shape of Cohere, which others share. */
export const RerankRequestSchema = z.looseObject({
  model: z.string().min(1),
  query: z.string(),
  documents,
  top_n: z.int().min(1).nullish().describe('So many results; default all'),
  return_documents: z.boolean().nullish().describe('Results have the texts of their documents; default false'),
  max_tokens_per_doc: z.int().min(1).nullish(),
  user: z.string().nullish(),
})
export type RerankRequest = z.infer<typeof RerankRequestSchema>
export type RerankDocument = string | { text: string; bytes?: unknown }

function isDocument(value: unknown): value is RerankDocument {
  return typeof value === 'string' || (isJsonObject(value) && typeof value['text'] === 'string')
}

export function textOf(document: RerankDocument): string {
  return typeof document === 'string' ? document : document.text
}

/** In an outline its text is only counted. */
export function lengthOnly(document: RerankDocument): RerankDocument {
  return { text: '', bytes: bytesOf(document) }
}

function bytesOf(document: RerankDocument): number {
  const text = textOf(document)
  const bytes = typeof document === 'string' ? null : document.bytes
  return text === '' && isCount(bytes) ? bytes : Buffer.byteLength(text)
}

/** Checks the shape and returns the caller's own object, not a copy. */
export function readRerankRequest(value: unknown): RerankRequest {
  if (!isJsonObject(value)) throw new GatewayError('invalid_request', worded`The body must be a JSON object.`)
  const parsed = RerankRequestSchema.safeParse(value)
  if (!parsed.success) throw new GatewayError('invalid_request', problemOf(parsed.error))
  return value as RerankRequest
}

/** A rule of thumb, for servers that do not count. */
const BYTES_PER_TOKEN = 4
/** Models may add marker tokens around each pair. */
const MARKS_PER_PAIR = 8

/** The query is read with each document. */
export function rerankTokens({ query, documents: given }: RerankRequest): PromptTokens {
  let bytes = 0
  for (const document of given) bytes += Buffer.byteLength(textOf(document))
  const read = bytes + given.length * Buffer.byteLength(query)
  const most = read + given.length * MARKS_PER_PAIR
  return { most, visible: most, likely: Math.ceil(read / BYTES_PER_TOKEN), isOpaque: false }
}

/** Documents of one search unit, and the tokens up to which one counts as one, together with its query. */
const PER_UNIT = 100
const CHUNK_TOKENS = 510
const MOST_PER_DOCUMENT = 4_096

/**
 * Search units as vendors bill them: up to a hundred documents each, a long document counts as several. `bytesPerToken`
 * 1 is the most that it can be.
 */
export function searchUnits(request: RerankRequest, bytesPerToken = BYTES_PER_TOKEN): number {
  const { query, documents: given, max_tokens_per_doc: limit } = request
  const tokensOf = (bytes: number) => Math.ceil(bytes / bytesPerToken)
  // A query takes half of the space at most.
  const room = CHUNK_TOKENS - Math.min(tokensOf(Buffer.byteLength(query)), Math.floor(CHUNK_TOKENS / 2))
  let chunks = 0
  for (const document of given) {
    const tokens = Math.min(tokensOf(bytesOf(document)), limit ?? MOST_PER_DOCUMENT)
    chunks += Math.max(1, Math.ceil(tokens / room))
  }
  return Math.ceil(chunks / PER_UNIT)
}
