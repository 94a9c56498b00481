import { failure } from '../../../domain/failure.ts'
import { NO_USAGE, type TokenUsage, tokenCount, withOutput } from '../../../domain/pricing/usage.ts'
import type { Bounds } from '../../../domain/request/bounds.ts'
import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import type { ImageEditRequest } from '../../../domain/request/media/image-edits.ts'
import { type ImagesRequest, imageCount, imageUnit, madeUnit } from '../../../domain/request/media/images.ts'
import { worded } from '../../../domain/wording/worded.ts'
import type { Reading, Target, Translation, Translator } from '../../family.ts'
import { failureFromErrorBody } from '../failure.ts'
import { costlyField } from '../free-fields.ts'
import { targetOf } from '../target.ts'
import { imageTokens, withPartials } from './output-tokens.ts'

/** What costs nothing beside the images that are held. Not `svg`: a second model bills, too. */
const FREE_FIELDS: ReadonlySet<string> = new Set([
  ...['model', 'prompt', 'n', 'size', 'quality', 'background', 'output_format', 'output_compression', 'moderation'],
  ...['response_format', 'style', 'user', 'safety_identifier', 'complexity', 'frame_count', 'frame_duration_ms'],
  ...['image', 'mask', 'markup', 'input_fidelity'],
])

/** Tokens of these are not those of one picture. */
const OTHER_FORMATS: readonly unknown[] = ['gif', 'svg']

export const images: Translator<ImagesRequest> = {
  target: (provider, model) => targetOf(provider, '/images/generations', model),
  toWire,
  fromWire,
  isVerbatim: true,
}

/** `image` in the request makes it an edit. */
export const imageEdits = {
  ...images,
  target: (provider, model) => targetOf(provider, '/images/edits', model),
} as Translator<ImageEditRequest>

function toWire(request: ImagesRequest, target: Target): Translation {
  const costly = target.isStrict === true ? costlyField(request, FREE_FIELDS) : null
  if (costly !== null) return { kind: 'refused', code: 'unsupported_parameter', message: costly }
  const body = { ...request, model: target.model }
  return { kind: 'wire', body, ignored: [], adjustments: [], bounds: boundsOf(request, target) }
}

/** Whether tokens or images are billed is for the prices of the model to say. */
function boundsOf(request: ImagesRequest, { model, traits }: Target): Bounds {
  const { size, quality } = request
  const isPicture = !OTHER_FORMATS.includes(request['output_format'])
  const tokens = (isPicture ? imageTokens(model, size, quality) : null) ?? traits.maxOutputTokens
  const count = imageCount(request)
  return {
    ...{ outputTokens: withPartials(tokens, request['partial_images']), answers: count },
    ...('image' in request ? {} : { isTextPrompt: true }),
    units: [{ name: imageUnit(size, quality), most: count, orTokens: true }],
    ...{ namedPercent: 100, accountPercent: 100 },
  }
}

function fromWire(body: unknown, request: ImagesRequest): Reading {
  const data = isJsonObject(body) ? body['data'] : undefined
  if (!isJsonObject(body) || !Array.isArray(data) || data.length === 0 || !data.every(isJsonObject)) {
    const failed = isJsonObject(body) ? failureFromErrorBody(body) : null
    const message = worded`The provider answered without an image.`
    return { kind: 'failure', failure: failed ?? failure('upstream_error', message, 200, { retry: 'no' }) }
  }
  const made = Math.min(data.length, imageCount(request))
  const usage = usageFromWire(body, 'image' in request)
  usage.uses = { ...usage.uses, [madeUnit(request, body)]: made }
  return { kind: 'answer', answer: { body, usage, finishReason: null, warning: null } }
}

/** Without details the answer is an image, and so is a prompt that has some. */
export function usageFromWire(body: JsonObject, hasImages = false): TokenUsage {
  const counted = objectIn(body['usage'])
  const [prompt, answer] = [objectIn(counted['input_tokens_details']), objectIn(counted['output_tokens_details'])]
  const all = tokenCount(counted['input_tokens'])
  const isUntold = hasImages && counted['input_tokens_details'] == null
  const imageInput = isUntold ? all : Math.min(tokenCount(prompt['image_tokens']), all)
  const output = tokenCount(counted['output_tokens'])
  const texts = Math.min(tokenCount(answer['text_tokens']), output)
  const usage = withOutput({ ...NO_USAGE, input: all - imageInput, imageInput, imageOutput: output - texts }, output)
  // A model of its own, at a price that this one's does not say.
  const drawing = tokenCount(objectIn(body['svg_usage'])['total_tokens'])
  return drawing === 0 ? usage : { ...usage, uses: { svg_model_token: drawing } }
}

function objectIn(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {}
}
