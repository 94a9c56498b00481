import { z } from 'zod'
import { GatewayError } from '../errors.ts'
import { problemOf } from '../problem-text.ts'
import { worded } from '../wording/worded.ts'
import type { PromptTokens } from './bounds.ts'
import { isJsonObject, type JsonObject } from './call-request.ts'

/** Checked by hand: a schema would collect one issue for each of thousands of bad texts. */
const input = z.custom<string | string[] | JsonObject[]>(
  isInput,
  'expected a text, a list of texts, or a list of parts with a type',
)

/** Unknown fields pass through. */
export const ModerationsRequestSchema = z.looseObject({
  model: z.string().min(1).nullish().describe('Default: a route or model called `omni-moderation-latest`'),
  input,
})
export type ModerationsRequest = z.infer<typeof ModerationsRequestSchema> & { model: string }

/** What clients mean that name no model: most never do. */
const USUAL_MODEL = 'omni-moderation-latest'

/** The caller's own object, or a copy with the model that it leaves out. */
export function readModerationsRequest(value: unknown): ModerationsRequest {
  if (!isJsonObject(value)) throw new GatewayError('invalid_request', worded`The body must be a JSON object.`)
  const parsed = ModerationsRequestSchema.safeParse(value)
  if (!parsed.success) throw new GatewayError('invalid_request', problemOf(parsed.error))
  if ((value['model'] ?? null) === null) return { ...value, model: USUAL_MODEL } as ModerationsRequest
  return value as ModerationsRequest
}

function isInput(value: unknown): boolean {
  if (typeof value === 'string') return true
  if (!Array.isArray(value) || value.length === 0) return false
  return value.every((each) => typeof each === 'string') || value.every(isPart)
}

function isPart(value: unknown): boolean {
  return isJsonObject(value) && typeof value['type'] === 'string'
}

/** Each has a result; parts together are one input. */
export function moderatedInputs({ input: given }: Pick<ModerationsRequest, 'input'>): number {
  return Array.isArray(given) && typeof given[0] === 'string' ? given.length : 1
}

/** A rule of thumb, for servers that do not count. */
const BYTES_PER_TOKEN = 4
/** Models may add marker tokens around each input. */
const MARKS_PER_INPUT = 8
/** More than any of these models counts for one. */
const IMAGE_TOKENS = 50_000

export function moderationTokens({ input: given }: ModerationsRequest): PromptTokens {
  let bytes = 0
  let images = 0
  for (const each of typeof given === 'string' ? [given] : given) {
    if (typeof each === 'string') bytes += Buffer.byteLength(each)
    else if (typeof each['text'] === 'string') bytes += Buffer.byteLength(each['text'])
    else images += 1
  }
  const most = bytes + images * IMAGE_TOKENS + moderatedInputs({ input: given }) * MARKS_PER_INPUT
  return { most, visible: most, likely: Math.ceil(bytes / BYTES_PER_TOKEN), isOpaque: images > 0 }
}
