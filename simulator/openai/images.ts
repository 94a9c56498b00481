import type { JsonObject } from '../json.ts'
import type { Tweak } from '../reply.ts'
import { countTokens } from '../tokens.ts'
import type { OpenaiError } from './errors.ts'

const QUALITIES = ['auto', 'low', 'medium', 'high']
const FORMATS = ['png', 'jpeg', 'webp', 'gif', 'svg']
const USED = { size: '1024x1024', quality: 'low', output_format: 'png', background: 'opaque' }
/** Of one image of low quality. */
const TOKENS: Readonly<Record<string, number>> = { low: 196, medium: 1_756, high: 7_024 }

/** Each image is its number in base64; `-pixels-N` in the name of the model makes it so many bytes long. */
export function writeImages(body: JsonObject, tweak: Tweak): JsonObject {
  const count = Number(body['n'] ?? 1)
  const model = String(body['model'])
  const bytes = Number(/-pixels-(\d+)/.exec(model)?.[1] ?? 8)
  const used = Object.fromEntries(
    Object.entries(USED).map(([name, usual]) => [name, named(body[name]) ?? usual]),
  ) as typeof USED
  const data = Array.from({ length: count }, (_, at) => ({ b64_json: Buffer.alloc(bytes, at + 1).toString('base64') }))
  const usage = tweak.embeddings?.usage === 'none' ? {} : { usage: usageOf(body, count, used.quality) }
  return { created: 1_760_000_000, ...used, data, ...usage }
}

function usageOf(body: JsonObject, count: number, quality: string): JsonObject {
  const text = count * countTokens(String(body['prompt']))
  const images = count * (TOKENS[quality] ?? 0)
  return {
    input_tokens: text,
    input_tokens_details: { text_tokens: text, image_tokens: 0 },
    output_tokens: images,
    total_tokens: text + images,
  }
}

function named(value: unknown): string | null {
  return typeof value === 'string' && value !== 'auto' ? value : null
}

/** The first thing the vendor would complain about, or null when the request is good. */
export function problemWithImages(body: JsonObject): OpenaiError | null {
  const invalid = (param: string, message: string) => ({ message, param, code: 'invalid_value' })
  const { prompt, quality, size, n } = body
  if (typeof prompt !== 'string' || prompt === '') return invalid('prompt', "Missing required parameter: 'prompt'.")
  if (prompt.includes('blocked by moderation')) return BLOCKED
  if (String(body['model']).startsWith('gpt-image') && 'response_format' in body) {
    return { message: "Unknown parameter: 'response_format'.", param: 'response_format', code: 'unknown_parameter' }
  }
  if (quality !== undefined && !QUALITIES.includes(String(quality))) return invalid('quality', 'Invalid value.')
  if (body['output_format'] !== undefined && !FORMATS.includes(String(body['output_format']))) {
    return invalid('output_format', 'Invalid value.')
  }
  if (n !== undefined && !(Number(n) >= 1 && Number(n) <= 10)) return invalid('n', 'Invalid value.')
  return size === undefined || size === 'auto' || isSize(String(size)) ? null : invalid('size', 'Invalid size.')
}

const BLOCKED: OpenaiError = {
  message: 'Your request was rejected by the safety system. safety_violations=[violence].',
  code: 'moderation_blocked',
}

function isSize(size: string): boolean {
  const [, width, height] = /^(\d+)x(\d+)$/.exec(size)?.map(Number) ?? []
  if (width === undefined || height === undefined || width % 16 !== 0 || height % 16 !== 0) return false
  const [long, short] = [Math.max(width, height), Math.min(width, height)]
  return long <= 3840 && short > 0 && long <= 3 * short
}
