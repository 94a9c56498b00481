import { NO_USAGE, type TokenUsage, tokenCount, withOutput } from '../../../domain/pricing/usage.ts'
import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import { imageEditTokens, isEdit } from '../../../domain/request/media/image-edits.ts'
import { type ImagesRequest, imageCount, imagesTokens, madeUnit } from '../../../domain/request/media/images.ts'
import { imageTokens } from './output-tokens.ts'

export interface ImagesCount {
  usage: TokenUsage
  /** Of an answer without a count: those of such images, where they are known. */
  orTokens?: TokenUsage
}

interface Made {
  /** Names what was made. */
  body: JsonObject
  made: number
  request: ImagesRequest
  model: string
}

export function countedImages({ body, made, request, model }: Made): ImagesCount {
  const usage = usageFromWire(body, isEdit(request))
  const unit = madeUnit(request, body)
  usage.uses = { ...usage.uses, [unit]: made }
  const [, size, quality] = unit.split(':')
  const each = usage.output === 0 ? imageTokens(model, size, quality) : null
  if (each === null) return { usage }
  const prompt = isEdit(request) ? imageEditTokens(request) : imagesTokens(request)
  const [input, output] = [Math.ceil(((prompt.likely ?? 0) * made) / imageCount(request)), made * each]
  return { usage, orTokens: { ...NO_USAGE, input, output, imageOutput: output } }
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
