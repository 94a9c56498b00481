import { isJsonObject } from '../../domain/request/call-request.ts'
import type { ChatRequest } from '../../domain/request/chat.ts'

/**
 * An image is taken to cost no more than this, however large it is. Ten times what vendors state for their newest
 * models, because some older ones bill many more tokens for the same picture; no vendor states a bound for all of them.
 */
export const IMAGE_TOKENS = 50_000
/** Tools and schemas come with instructions of the provider's own that are no part of the request. */
export const INSTRUCTION_TOKENS = 1_000

/**
 * No tokenizer makes more tokens than a text has bytes, so the bytes of the request's JSON are the bound: it holds
 * every text and more. An image counts by its own bound instead of the bytes of its data. Null when there is a document
 * in it: its pages are packed, or lie at the provider, and only the model's window bounds what they come to.
 * `bytes`: how long the JSON was as it came, where that is known.
 */
export function promptTokensBound(request: ChatRequest, bytes: number | null = null): number | null {
  // Most requests are text alone: their JSON need not be written again, for no text in it can be longer than it came.
  // Schemas can: a provider may spell out numbers that came as 1e20.
  if (isTextAlone(request) && bytes !== null) return bytes
  const instructions = isInstructed(request) ? INSTRUCTION_TOKENS : 0
  // Without a look at each value this is ten times as fast, and images stand nowhere else.
  if (request.messages.every(isText)) return Buffer.byteLength(JSON.stringify(request)) + instructions
  let images = 0
  let documents = 0
  const text = JSON.stringify(request, (_name, value: unknown) => {
    if (!isJsonObject(value)) return value
    if (value['type'] === 'image_url' && !isDocument(value['image_url'])) {
      images++
      return undefined
    }
    if (value['type'] === 'image_url' || (value['type'] === 'file' && !isPlainText(value['file']))) documents++
    return value
  })
  if (documents > 0) return null
  return Buffer.byteLength(text) + images * IMAGE_TOKENS + instructions
}

/** Neither tools, schemas, images nor documents. */
export function isTextAlone(request: ChatRequest): boolean {
  return !isInstructed(request) && request.messages.every(isText)
}

function isText({ content }: ChatRequest['messages'][number]): boolean {
  return !Array.isArray(content) || content.every((part) => isJsonObject(part) && part['type'] === 'text')
}

function isInstructed({ tools, functions, response_format: format }: ChatRequest): boolean {
  return (tools ?? functions ?? format ?? null) !== null
}

/** Some clients send a PDF as an image. */
function isDocument(image: unknown): boolean {
  const url = isJsonObject(image) ? image['url'] : image
  return typeof url === 'string' && /^data:(?!image\/)/i.test(url)
}

/** Its text is in the request as it is. */
function isPlainText(file: unknown): boolean {
  const data = isJsonObject(file) ? file['file_data'] : undefined
  return typeof data === 'string' && /^data:text\/plain\b/i.test(data)
}
