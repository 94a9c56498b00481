import { failure } from '../../domain/failure.ts'
import { NO_USAGE } from '../../domain/pricing/usage.ts'
import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'
import { type ImagesRequest, imagesTokens, imageUnit } from '../../domain/request/media/images.ts'
import { named, worded } from '../../domain/wording/worded.ts'
import type { Reading, Target, Translation, Translator } from '../family.ts'
import { blockedBy } from './blocked.ts'
import type { Door } from './door.ts'
import { refused } from './embeddings.ts'
import { failureIn } from './failure.ts'
import { shownName } from './finish-reason.ts'
import { usageFromWire } from './usage.ts'
import { responseOf, textIn } from './wire.ts'

/** One image, made by a model that answers with parts. */
export function imagesThrough(door: Door): Translator<ImagesRequest> {
  return {
    target: (provider, model) => door.target(provider, model, 'generateContent'),
    namesModel: true,
    toWire,
    fromWire,
  }
}

const HANDLED: ReadonlySet<string> = new Set(['model', 'prompt', 'size'])
const HINTS: ReadonlySet<string> = new Set(['user', 'safety_identifier'])
/** What asks for nothing that these models do not do. */
const USUAL: ReadonlyMap<string, readonly unknown[]> = new Map<string, readonly unknown[]>([
  ['n', [1]],
  ['quality', ['auto']],
  ['background', ['auto', 'opaque']],
  ['output_format', ['png']],
  ['response_format', ['b64_json']],
  ['moderation', ['auto']],
  ['stream', [false]],
  ['partial_images', [0]],
])

function toWire(request: ImagesRequest, { settings }: Target): Translation {
  const ignored: string[] = []
  for (const [name, value] of Object.entries(request)) {
    if (value == null || HANDLED.has(name) || USUAL.get(name)?.includes(value) === true) continue
    if (!HINTS.has(name))
      return refused(worded`${named(name.slice(0, 60))}: this provider takes no other value than the usual one`)
    ignored.push(name)
  }
  const config = configOf(request.size ?? 'auto')
  if (config === null)
    return refused(worded`size: expected one with a ratio of ${named(Object.keys(RATIOS).join(', '))}, up to 4K`)
  const safety = settings?.['safety_settings']
  const body: JsonObject = {
    contents: [{ role: 'user', parts: [{ text: request.prompt }] }],
    generationConfig: { responseModalities: ['IMAGE'], ...config },
    ...(safety !== undefined && { safetySettings: safety }),
  }
  const bounds = {
    // Thoughts and all: only the model's own limit.
    ...{ outputTokens: null, answers: 1, isTextPrompt: true as const, namedPercent: 100, accountPercent: 100 },
    choices: [],
    units: [{ name: imageUnit(request.size, null), most: 1, orTokens: true as const }],
  }
  return { kind: 'wire', body, ignored, adjustments: [], bounds }
}

const RATIOS: Readonly<Record<string, number>> = Object.fromEntries(
  ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9'].map((ratio) => {
    const [width = 1, height = 1] = ratio.split(':').map(Number)
    return [ratio, width / height]
  }),
)
/** By the pixels that are asked for; the first is the default, and not all models take another. */
const STEPS: readonly (readonly [pixels: number, size: string | null])[] = [
  [1_700_000, null],
  [5_000_000, '2K'],
  [20_000_000, '4K'],
]

/** Null: there is no such size. */
function configOf(size: string): JsonObject | null {
  if (size === 'auto') return {}
  const [, width, height] = (/^([1-9]\d{1,3})x([1-9]\d{1,3})$/.exec(size) ?? []).map(Number)
  if (width === undefined || height === undefined) return null
  const ratio = Object.keys(RATIOS).find((each) => RATIOS[each] === width / height)
  const step = STEPS.find(([pixels]) => width * height <= pixels)
  if (ratio === undefined || step === undefined) return null
  return { imageConfig: { aspectRatio: ratio, ...(step[1] !== null && { imageSize: step[1] }) } }
}

const FILTERED =
  /^(?:IMAGE_(?:SAFETY|PROHIBITED_CONTENT|RECITATION|OTHER)|SAFETY|RECITATION|BLOCKLIST|PROHIBITED_CONTENT|SPII)$/

function fromWire(body: unknown, request: ImagesRequest): Reading {
  const response = responseOf(body)
  const failed = isJsonObject(body) && body['candidates'] !== undefined ? null : failureIn(body)
  const candidate = response?.candidates[0]
  const images = (candidate?.parts ?? []).filter(({ thought }) => thought !== true).flatMap(imageIn)
  const [image] = images
  if (failed !== null || response === null || image === undefined) {
    const reason = candidate?.finishReason ?? null
    const isFiltered = reason !== null && FILTERED.test(reason)
    const message = worded`The provider answered without an image (finishReason ${named(shownName(reason))}).`
    const none = isFiltered
      ? failure('content_filtered', message, 200)
      : failure('upstream_error', message, 200, { retry: 'no' })
    const blocked = response === null ? null : blockedBy(response)
    return { kind: 'failure', failure: failed ?? blocked ?? none }
  }
  const uses = { [imageUnit(request.size, null)]: 1 }
  const counted = response.usage === null ? null : usageFromWire(response.usage, undefined)
  const usage = counted ?? NO_USAGE
  const { imageOutput, output } = usage
  const prompt = usage.input + usage.cachedInput
  const stated = {
    ...{ input_tokens: prompt, output_tokens: output, total_tokens: prompt + output },
    input_tokens_details: { text_tokens: prompt, image_tokens: 0 },
    output_tokens_details: { text_tokens: output - imageOutput, image_tokens: imageOutput },
  }
  const made = {
    data: [{ b64_json: image.data }],
    output_format: image.format,
    ...(counted !== null && { usage: stated }),
  }
  const answer = { body: made, usage: { ...usage, uses }, finishReason: null, warning: null }
  if (counted !== null) return { kind: 'answer', answer }
  return { kind: 'answer', answer: { ...answer, orTokens: likelyTokens(request) } }
}

function imageIn(part: JsonObject): { data: string; format: string }[] {
  const inline = isJsonObject(part['inlineData']) ? part['inlineData'] : {}
  const [data, type] = [textIn(inline, 'data'), /^image\/([a-z]{1,10})$/.exec(String(inline['mimeType']))?.[1]]
  return data === null || type === undefined ? [] : [{ data, format: type }]
}

/** Of an answer without a count: the largest size has more. */
function likelyTokens(request: ImagesRequest) {
  const isLargest = JSON.stringify(configOf(request.size ?? 'auto')).includes('4K')
  const output = isLargest ? 2_000 : 1_120
  return { ...NO_USAGE, input: imagesTokens(request).likely ?? 0, output, imageOutput: output }
}
