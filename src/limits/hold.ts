import { type ChatRequest, isJsonObject, type JsonObject } from '../domain/chat.ts'
import { isCount } from '../domain/output-limit.ts'
import { asPicodollars, type ClassPrices, type Picodollars, type Price } from '../domain/pricing/price.ts'

/**
 * An image is taken to cost no more than this, however large it is. Ten times what translation.md gives for the newest
 * models, because some older ones bill many more tokens for the same picture; no vendor states a bound for all of them.
 */
export const IMAGE_TOKENS = 50_000
/** Tools and schemas come with instructions of the provider's own that are no part of the request. */
export const INSTRUCTION_TOKENS = 1_000

/** What one call can cost at most at one entry. */
export interface WorstCase {
  request: ChatRequest
  /** The request as it is sent to this entry; it says how long the answer may get. */
  wire: JsonObject
  price: Price | undefined
  contextWindow: number | null
  maxOutputTokens: number | null
  /** The most that the provider multiplies the list price with. */
  pricePercent?: number
}

/** What a hold is made of; null where nobody can say. */
export interface HoldTerms {
  promptTokens: number | null
  outputTokens: number | null
  /** How many answers are asked for: each may be as long as the limit. */
  answers: number
  prices: { prompt: bigint; perOutputToken: bigint } | null
}

/** The prompt is the same at every entry, so whoever asks for several works out its bound once. */
export function holdTerms(
  { request, wire, price, contextWindow, maxOutputTokens, pricePercent = 100 }: WorstCase,
  promptBound: number | null = promptTokensBound(request),
): HoldTerms {
  const promptTokens = promptBound ?? contextWindow
  const outputTokens = outputTokensBound(wire, maxOutputTokens)
  const dearest = price === undefined || promptTokens === null ? null : dearestPrices(price, promptTokens)
  const charged = (list: bigint) => (list * BigInt(pricePercent) + 99n) / 100n
  const prices =
    dearest === null || promptTokens === null
      ? null
      : { prompt: charged(BigInt(promptTokens) * dearest.input), perOutputToken: charged(dearest.output) }
  return { promptTokens, outputTokens, answers: answersOf(wire), prices }
}

/**
 * Money to set aside before a call so that it can never cost more: every prompt token at the dearest price a prompt
 * token can have, and an answer of full length. Null when the price or a length is unknown: then nobody can say.
 */
export function holdOf(worst: WorstCase): Picodollars | null {
  return moneyOf(holdTerms(worst))
}

export function moneyOf({ outputTokens, prices }: HoldTerms): Picodollars | null {
  if (prices === null || outputTokens === null) return null
  return asPicodollars(prices.prompt + BigInt(outputTokens) * prices.perOutputToken)
}

/** No limit is as high; beyond it the sums of a minute would no longer be exact. */
const MOST_TOKENS = 1e12

export function tokensOf({ promptTokens, outputTokens }: HoldTerms): number | null {
  return promptTokens === null || outputTokens === null ? null : Math.min(promptTokens + outputTokens, MOST_TOKENS)
}

/** The longest answer with which the call would cost no more than this; null when none would. */
export function maxTokensWithin({ prices, answers }: HoldTerms, money: bigint): number | null {
  if (prices === null || prices.prompt > money) return null
  if (prices.perOutputToken === 0n) return MOST_TOKENS
  const tokens = (money - prices.prompt) / prices.perOutputToken / BigInt(answers)
  return tokens >= 1n ? Number(tokens) : null
}

/**
 * No tokenizer makes more tokens than a text has bytes, so the bytes of the request's JSON are the bound: it holds
 * every text and more. An image counts by its own bound instead of the bytes of its data. Null when there is a document
 * in it: its pages are packed, or lie at the provider, and only the model's window bounds what they come to.
 * `bytes`: how long the JSON was as it came, where that is known.
 */
export function promptTokensBound(request: ChatRequest, bytes: number | null = null): number | null {
  // Most requests are text alone: their JSON need not be written again, for no text in it can be longer than it came.
  // Schemas can: a provider may spell out numbers that came as 1e20.
  if (isTextAlone(request) && bytes !== null) return bytes
  const instructions = isInstructed(request) ? INSTRUCTION_TOKENS : 0
  // Without a look at each value this is ten times as fast, and images stand nowhere else.
  if (request.messages.every(isText)) return Buffer.byteLength(JSON.stringify(request)) + instructions
  let images = 0
  let documents = 0
  const text = JSON.stringify(request, (_name, value: unknown) => {
    if (!isJsonObject(value)) return value
    if (value['type'] === 'image_url' && !isDocument(value['image_url'])) {
      images++
      return undefined
    }
    if (value['type'] === 'image_url' || (value['type'] === 'file' && !isPlainText(value['file']))) documents++
    return value
  })
  if (documents > 0) return null
  return Buffer.byteLength(text) + images * IMAGE_TOKENS + instructions
}

/** Neither tools, schemas, images nor documents. */
export function isTextAlone(request: ChatRequest): boolean {
  return !isInstructed(request) && request.messages.every(isText)
}

function isText({ content }: ChatRequest['messages'][number]): boolean {
  return !Array.isArray(content) || content.every((part) => isJsonObject(part) && part['type'] === 'text')
}

function isInstructed({ tools, functions, response_format: format }: ChatRequest): boolean {
  return (tools ?? functions ?? format ?? null) !== null
}

/** Some clients send a PDF as an image. */
function isDocument(image: unknown): boolean {
  const url = isJsonObject(image) ? image['url'] : image
  return typeof url === 'string' && /^data:(?!image\/)/i.test(url)
}

/** Its text is in the request as it is. */
function isPlainText(file: unknown): boolean {
  const data = isJsonObject(file) ? file['file_data'] : undefined
  return typeof data === 'string' && /^data:text\/plain\b/i.test(data)
}

/** The limit that is sent, else the model's own; times the number of answers asked for. */
export function outputTokensBound(wire: JsonObject, maxOutputTokens: number | null): number | null {
  const limits = [wire['max_tokens'], wire['max_completion_tokens']].filter(isCount)
  const limit = limits.length > 0 ? Math.max(...limits) : maxOutputTokens
  if (limit === null) return null
  return limit * answersOf(wire)
}

function answersOf(wire: JsonObject): number {
  return isCount(wire['n']) ? wire['n'] : 1
}

/** The dearest class of prompt tokens and the dearest answer, in the base prices and every tier the prompt can reach. */
function dearestPrices({ base, tiers }: Price, prompt: number): { input: bigint; output: bigint } | null {
  if (base === null) return null
  const dearest = { input: dearestInput(base), output: base.output }
  for (const { above, prices } of tiers) {
    if (prompt <= above) continue
    if (prices === null) return null
    dearest.input = larger(dearest.input, dearestInput(prices))
    dearest.output = larger(dearest.output, prices.output)
  }
  return dearest
}

function dearestInput({ input, cachedInput, cacheWrite5m, cacheWrite30m, cacheWrite1h }: ClassPrices): bigint {
  return larger(larger(larger(input, cachedInput), larger(cacheWrite5m, cacheWrite30m)), cacheWrite1h)
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
