import { z } from 'zod'
import { GatewayError } from '../errors.ts'
import { listOf } from '../list-of.ts'
import { problemOf } from '../problem-text.ts'
import { worded } from '../wording/worded.ts'
import { isCount, type PromptTokens } from './bounds.ts'
import { isJsonObject } from './call-request.ts'

/** Checked by hand: a schema would collect one issue for each of millions of bad tokens. */
const prompt = z.custom<string | string[] | number[] | number[][]>(
  isPrompt,
  'expected a text, or a list of texts, of tokens or of lists of tokens',
)

/** The request for plain completions, as far as the gateway must understand it. Unknown fields pass through. */
export const CompletionsRequestSchema = z.looseObject({
  model: z.string().min(1),
  prompt,
  suffix: z.string().nullish().describe('What follows the text to fill in, where the model can'),
  max_tokens: z.number().nullish(),
  n: z.number().nullish(),
  best_of: z.number().nullish(),
  echo: z.boolean().nullish(),
  logprobs: z.number().nullish(),
  stop: z.union([z.string(), listOf(z.string())]).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({}).nullish(),
  user: z.string().nullish(),
})
export type CompletionsRequest = z.infer<typeof CompletionsRequestSchema>

/** Checks the shape and returns the caller's own object, not a copy. */
export function readCompletionsRequest(value: unknown, allowsStream = false): CompletionsRequest {
  if (!isJsonObject(value)) throw new GatewayError('invalid_request', worded`The body must be a JSON object.`)
  if (value['stream'] === true && !allowsStream) throw new GatewayError('not_implemented')
  const parsed = CompletionsRequestSchema.safeParse(value)
  if (!parsed.success) throw new GatewayError('invalid_request', problemOf(parsed.error))
  return value as CompletionsRequest
}

function isPrompt(value: unknown): boolean {
  if (typeof value === 'string') return true
  if (!Array.isArray(value) || value.length === 0) return false
  return value.every((text) => typeof text === 'string') || isTokens(value) || value.every(isTokens)
}

function isTokens(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((token) => Number.isSafeInteger(token) && token >= 0)
}

type Prompted = Pick<CompletionsRequest, 'prompt'>

/** Each has answers of its own. */
export function promptCount({ prompt: given }: Prompted): number {
  return typeof given === 'string' || typeof given[0] === 'number' ? 1 : given.length
}

/** What is generated, and billed: of `best_of` answers only the best are returned. */
export function generatedAnswers(request: Pick<CompletionsRequest, 'prompt' | 'n' | 'best_of'>): number {
  const { n, best_of: best } = request
  return promptCount(request) * Math.max(isCount(n) ? n : 1, isCount(best) ? best : 1)
}

/** A rule of thumb, for servers that do not count. */
const BYTES_PER_TOKEN = 4
/** Models begin a prompt with a token of their own, and mark the place that is filled in. */
const MARKS_PER_PROMPT = 8

/** Bytes of the texts; tokens count one each. The suffix is read with every prompt. */
export function completionTokens({ prompt: given, suffix }: CompletionsRequest): PromptTokens {
  const prompts: readonly (string | number | number[])[] = typeof given === 'string' ? [given] : given
  const count = promptCount({ prompt: given })
  let bytes = count * Buffer.byteLength(suffix ?? '')
  let tokens = 0
  for (const each of prompts) {
    if (typeof each === 'string') bytes += Buffer.byteLength(each)
    else tokens += typeof each === 'number' ? 1 : each.length
  }
  const most = bytes + tokens + count * MARKS_PER_PROMPT
  return { most, visible: most, likely: Math.ceil(bytes / BYTES_PER_TOKEN) + tokens, isOpaque: false }
}
