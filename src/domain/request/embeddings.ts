import { z } from 'zod'
import { GatewayError } from '../errors.ts'
import { problemOf } from '../problem-text.ts'
import { worded } from '../wording/worded.ts'
import type { PromptTokens } from './bounds.ts'
import { isJsonObject } from './call-request.ts'

/** Checked by hand: a schema would collect one issue for each of millions of bad tokens. */
const input = z.custom<string | string[] | number[] | number[][]>(
  isInput,
  'expected a string, or a list of strings, of tokens or of lists of tokens',
)

/** The embeddings request, as far as the gateway must understand it. Unknown fields pass through. */
export const EmbeddingsRequestSchema = z.looseObject({
  model: z.string().min(1),
  input,
  encoding_format: z.string().nullish(),
  dimensions: z.number().nullish(),
  user: z.string().nullish(),
})

export type EmbeddingsRequest = z.infer<typeof EmbeddingsRequestSchema>

/** Checks the shape and returns the caller's own object, not a copy. */
export function readEmbeddingsRequest(value: unknown): EmbeddingsRequest {
  if (!isJsonObject(value)) throw new GatewayError('invalid_request', worded`The body must be a JSON object.`)
  const parsed = EmbeddingsRequestSchema.safeParse(value)
  if (!parsed.success) throw new GatewayError('invalid_request', problemOf(parsed.error))
  return value as EmbeddingsRequest
}

function isInput(value: unknown): boolean {
  if (typeof value === 'string') return true
  if (!Array.isArray(value) || value.length === 0) return false
  return value.every((text) => typeof text === 'string') || isTokens(value) || value.every(isTokens)
}

function isTokens(value: unknown): value is number[] {
  return Array.isArray(value) && value.length > 0 && value.every((token) => Number.isSafeInteger(token) && token >= 0)
}

/** Each gets a vector. */
export function inputCount({ input: given }: EmbeddingsRequest): number {
  return typeof given === 'string' || typeof given[0] === 'number' ? 1 : given.length
}

/** A rule of thumb, for servers that do not count. */
const BYTES_PER_TOKEN = 4
/** Models may add marker tokens around each input. */
const MARKS_PER_INPUT = 4

/** Some models put an instruction before each input, by its type. */
const INSTRUCTION_TOKENS = 64

/** Bytes of the texts; tokens count one each. */
export function inputTokens({ input: given, input_type: type }: EmbeddingsRequest): PromptTokens {
  const inputs: readonly (string | number | number[])[] = typeof given === 'string' ? [given] : given
  const perInput = (type ?? null) === null ? 0 : INSTRUCTION_TOKENS
  if (typeof inputs[0] === 'number') return counted(inputs.length + MARKS_PER_INPUT, inputs.length, perInput)
  let bytes = 0
  let tokens = 0
  for (const each of inputs) {
    if (typeof each === 'string') bytes += Buffer.byteLength(each)
    else tokens += (each as number[]).length
  }
  return counted(
    bytes + tokens + inputs.length * MARKS_PER_INPUT,
    Math.ceil(bytes / BYTES_PER_TOKEN) + tokens,
    inputs.length * perInput,
  )
}

function counted(visible: number, likely: number, instructions: number): PromptTokens {
  return { most: visible + instructions, visible, likely, isOpaque: false }
}
