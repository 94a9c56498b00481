import { z } from 'zod'
import { GatewayError } from '../../errors.ts'
import { ANY, IMAGE } from '../../pricing/unit-prices.ts'
import { problemOf } from '../../problem-text.ts'
import { worded } from '../../wording/worded.ts'
import type { PromptTokens } from '../bounds.ts'
import { isJsonObject } from '../call-request.ts'

/** No vendor makes more at once. */
const MOST_IMAGES = 10
export const MOST_CHARACTERS = 32_000

/** What a client asks of a model that makes images, as far as the gateway must understand it. */
export const ImagesRequestSchema = z.looseObject({
  model: z.string().min(1),
  prompt: z.string().min(1).max(MOST_CHARACTERS),
  n: z.int().min(1).max(MOST_IMAGES).nullish().describe('So many images; default 1'),
  size: z.string().max(20).nullish().describe('Such as `1024x1024`; default `auto`'),
  quality: z.string().max(20).nullish().describe('Such as `low` or `high`; default `auto`'),
  stream: z.boolean().nullish(),
  partial_images: z.int().min(0).max(3).nullish().describe('Images on the way, of a stream; default 0'),
  user: z.string().nullish(),
})
export type ImagesRequest = z.infer<typeof ImagesRequestSchema>

/** Checks the shape and returns the caller's own object, not a copy. */
export function readImagesRequest(value: unknown, allowsStream: boolean): ImagesRequest {
  if (!isJsonObject(value)) throw new GatewayError('invalid_request', worded`The body must be a JSON object.`)
  if (value['stream'] === true && !allowsStream) throw new GatewayError('not_implemented')
  const parsed = ImagesRequestSchema.safeParse(value)
  if (!parsed.success) throw new GatewayError('invalid_request', problemOf(parsed.error))
  return value as ImagesRequest
}

export function imageCount({ n }: Pick<ImagesRequest, 'n'>): number {
  return n ?? 1
}

/** A rule of thumb, for servers that do not count. */
const BYTES_PER_TOKEN = 4
/** Models add marker tokens to a prompt. */
const MARKS = 16

/** Every image is billed with the prompt. */
export function imagesTokens(request: ImagesRequest): PromptTokens {
  const bytes = Buffer.byteLength(request.prompt)
  const count = imageCount(request)
  const most = count * (bytes + MARKS)
  return { most, visible: most, likely: count * Math.ceil(bytes / BYTES_PER_TOKEN), isOpaque: false }
}

/** The name of the unit: what is left open may become anything. Other words than those of a name are no price's. */
export function imageUnit(size: unknown, quality: unknown): string {
  return `${IMAGE}:${partOf(size)}:${partOf(quality)}`
}

function partOf(value: unknown): string {
  if (typeof value !== 'string' || value === '' || value === 'auto') return ANY
  return /^[a-z0-9_.-]{1,20}$/.test(value) ? value : 'other'
}

/** What a call was billed for: what it asked for, and where it left that open, what it got. */
export function madeUnit(request: Pick<ImagesRequest, 'size' | 'quality'>, answer: Record<string, unknown>): string {
  const asked = imageUnit(request.size, request.quality).split(':')
  const made = imageUnit(answer['size'], answer['quality']).split(':')
  return asked.map((part, at) => (part === ANY ? made[at] : part)).join(':')
}
