import type { JsonObject } from '../json.ts'
import { type MediaOperation, readForm } from '../media.ts'
import type { Tweak } from '../reply.ts'
import type { StreamEvent } from '../stream/script.ts'
import { countTokens } from '../tokens.ts'
import { failed } from './audio/transcription.ts'
import type { OpenaiError } from './errors.ts'

const QUALITIES = ['auto', 'low', 'medium', 'high']
const FORMATS = ['png', 'jpeg', 'webp', 'gif', 'svg']
const USED = { size: '1024x1024', quality: 'low', output_format: 'png', background: 'opaque' }
/** Of an image that is sent. */
const TOKENS_SEEN = 3_044
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
  const seen = count * TOKENS_SEEN * filesIn(body).length
  const images = count * (TOKENS[quality] ?? 0)
  return {
    input_tokens: text + seen,
    input_tokens_details: { text_tokens: text, image_tokens: seen },
    output_tokens: images,
    total_tokens: text + seen + images,
  }
}

/** Each image may be shown on the way; usage comes with the complete ones, each of which has its share. */
export function imageEvents(kind: 'image_generation' | 'image_edit') {
  return function* events(answer: JsonObject, body: JsonObject): Iterable<StreamEvent> {
    const { data, usage, ...used } = answer as { data: JsonObject[]; usage?: JsonObject }
    const partials = Number(body['partial_images'] ?? 0)
    for (const image of data) {
      const event = (type: string, more: JsonObject) => ({
        event: `${kind}.${type}`,
        data: { type: `${kind}.${type}`, ...image, ...used, ...more },
      })
      for (let at = 0; at < partials; at += 1)
        yield { phase: 'content', ...event('partial_image', { partial_image_index: at }) }
      yield {
        phase: 'finish',
        ...event('completed', usage === undefined ? {} : { usage: shareOf(usage, data.length, partials) }),
      }
    }
  }
}

/** An image on the way costs 100 tokens. */
function shareOf(usage: JsonObject, count: number, partials: number): JsonObject {
  const each = (name: string) => Number(usage[name]) / count
  const { input_tokens_details: details } = usage as { input_tokens_details: JsonObject }
  const output = each('output_tokens') + 100 * partials
  return {
    ...{ input_tokens: each('input_tokens'), output_tokens: output, total_tokens: each('input_tokens') + output },
    input_tokens_details: {
      text_tokens: Number(details['text_tokens']) / count,
      image_tokens: Number(details['image_tokens']) / count,
    },
  }
}

interface SentFile {
  name: string
  bytes: number
}

/** Of an edit: `image` once, or `image[]` as often as there are images. */
function filesIn(body: JsonObject): SentFile[] {
  return [body['image'] ?? [], body['image[]'] ?? [], body['mask'] ?? []].flat() as SentFile[]
}

export const imageEdits: MediaOperation = {
  path: '/v1/images/edits',
  read: readForm,
  answer(fields) {
    const [, scenario = ''] = /sim-([a-z0-9-]+)$/.exec(String(fields['model'])) ?? []
    const problem = problemWithImages(fields) ?? problemWithFiles(filesIn(fields))
    if (problem !== null) return failed(400, problem.message, problem.param ?? null, problem.code)
    if (/^\d{3}$/.test(scenario)) return failed(Number(scenario), 'Something went wrong.', null)
    const answer = writeImages(fields, scenario === 'no-usage' ? { embeddings: { usage: 'none' } } : {})
    if (fields['stream'] === 'true') {
      const events = [...imageEvents('image_edit')(answer, fields)]
      const body = events.map(({ data }) => Buffer.from(`data: ${JSON.stringify(data)}\n\n`))
      if (scenario === 'cut') return { status: 200, type: 'text/event-stream', body: body.slice(0, 1), ending: 'cut' }
      return { status: 200, type: 'text/event-stream', body }
    }
    return { status: 200, type: 'application/json', body: JSON.stringify(answer) }
  },
}

function problemWithFiles(files: readonly SentFile[]): OpenaiError | null {
  if (files.length === 0 || files.some(({ bytes }) => typeof bytes !== 'number'))
    return { message: "Missing required parameter: 'image'.", param: 'image', code: 'missing_required_parameter' }
  if (files.every(({ name }) => /\.(png|webp|jpe?g)$/i.test(name))) return null
  return { message: 'Invalid image file or mode.', param: 'image', code: 'invalid_image_file' }
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
