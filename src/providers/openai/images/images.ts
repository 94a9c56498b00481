import { failure } from '../../../domain/failure.ts'
import type { Bounds, Choice } from '../../../domain/request/bounds.ts'
import { isJsonObject } from '../../../domain/request/call-request.ts'
import type { ImageEditRequest } from '../../../domain/request/media/image-edits.ts'
import { type ImagesRequest, imageCount, imageUnit } from '../../../domain/request/media/images.ts'
import { worded } from '../../../domain/wording/worded.ts'
import type { Reading, Target, Translation, Translator } from '../../family.ts'
import { failureFromErrorBody } from '../failure.ts'
import { costlyField } from '../free-fields.ts'
import { targetOf } from '../target.ts'
import { ImageStream, imageParts, LARGE_EVENTS } from './image-stream.ts'
import { imageChoices, imageTokens, withPartials } from './output-tokens.ts'
import { countedImages } from './usage.ts'

/** What costs nothing beside the images that are held. Not `svg`: a second model bills, too. */
const FREE_FIELDS: ReadonlySet<string> = new Set([
  ...['model', 'prompt', 'n', 'size', 'quality', 'background', 'output_format', 'output_compression', 'moderation'],
  ...['response_format', 'style', 'user', 'safety_identifier', 'complexity', 'frame_count', 'frame_duration_ms'],
  ...['image', 'mask', 'markup', 'input_fidelity', 'stream', 'partial_images'],
])

/** Tokens of these are not those of one picture. */
const OTHER_FORMATS: readonly unknown[] = ['gif', 'svg']

export const images: Translator<ImagesRequest> = {
  target: (provider, model) => targetOf(provider, '/images/generations', model),
  toWire,
  fromWire,
  isVerbatim: true,
  stream: {
    framing: LARGE_EVENTS,
    open: (request, model = '') => new ImageStream(request, model),
    partsOf: imageParts,
  },
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
    choices: choicesOf(request, model),
    ...{ namedPercent: 100, accountPercent: 100 },
  }
}

/** With the images on the way, which stay. */
function choicesOf(request: ImagesRequest, model: string): Choice[] {
  return imageChoices(model, request.size).map(({ words, outputTokens }) => {
    return { words, outputTokens: withPartials(outputTokens, request['partial_images']) ?? outputTokens }
  })
}

function fromWire(body: unknown, request: ImagesRequest, model = ''): Reading {
  const data = isJsonObject(body) ? body['data'] : undefined
  if (!isJsonObject(body) || !Array.isArray(data) || data.length === 0 || !data.every(isJsonObject)) {
    const failed = isJsonObject(body) ? failureFromErrorBody(body) : null
    const message = worded`The provider answered without an image.`
    return { kind: 'failure', failure: failed ?? failure('upstream_error', message, 200, { retry: 'no' }) }
  }
  const made = Math.min(data.length, imageCount(request))
  const counted = countedImages({ body, made, request, model })
  return { kind: 'answer', answer: { body, ...counted, finishReason: null, warning: null } }
}
