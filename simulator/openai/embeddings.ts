import { type JsonObject, numberOrNull } from '../json.ts'
import { createRandom, hashText } from '../random.ts'
import type { Tweak } from '../reply.ts'
import { countTokens } from '../tokens.ts'
import { embeddingModel } from './models.ts'

/** What is embedded as one vector: a text, or the tokens of one. */
export type EmbeddingInput = string | number[]

/** Of the models that only the simulator knows: short vectors are easy to read. */
const SMALL_DIMENSIONS = 8

export function writeEmbeddings(body: JsonObject, tweak: Tweak): JsonObject {
  const { usage, isReversed = false, format } = tweak.embeddings ?? {}
  const model = String(body['model'])
  const inputs = inputsOf(body['input'])
  const isBase64 = (format ?? body['encoding_format']) === 'base64'
  const dimensions = numberOrNull(body['dimensions']) ?? embeddingModel(model)?.dimensions ?? SMALL_DIMENSIONS
  const data = inputs.map((input, index) => {
    const vector = embeddingOf(model, input, dimensions)
    return { object: 'embedding', index, embedding: isBase64 ? toBase64(vector) : vector }
  })
  const tokens = tweak.exactUsage?.prompt ?? inputs.reduce((sum, input) => sum + tokensOf(input), 0)
  return {
    object: 'list',
    data: isReversed ? data.toReversed() : data,
    model,
    ...(usage === 'none' ? {} : { usage: { ...(usage ? {} : { prompt_tokens: tokens }), total_tokens: tokens } }),
  }
}

/** The vector of an input, of length 1; the same for the same input, model and dimensions. */
export function embeddingOf(model: string, input: EmbeddingInput, dimensions: number): number[] {
  const random = createRandom(hashText(`${model} ${dimensions} ${input}`))
  const raw = Array.from({ length: dimensions }, () => random() - 0.5)
  const length = Math.sqrt(raw.reduce((sum, value) => sum + value * value, 0))
  // As many digits as the vendor writes.
  return raw.map((value) => Math.round((value / length) * 1e8) / 1e8)
}

/** Little-endian floats of four bytes each. */
export function toBase64(vector: number[]): string {
  const bytes = Buffer.alloc(vector.length * 4)
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4)
  return bytes.toString('base64')
}

export function inputsOf(input: unknown): EmbeddingInput[] {
  if (!Array.isArray(input)) return [String(input)]
  return typeof input[0] === 'number' ? [input] : input
}

export function tokensOf(input: EmbeddingInput): number {
  return Array.isArray(input) ? input.length : countTokens(String(input))
}
