import { isJsonObject } from '../../domain/request/call-request.ts'
import type { ChatRequest } from '../../domain/request/chat.ts'

/**
 * An image counts as at most this many tokens, whatever its size. Well above what vendors state for their newest
 * models, because some older ones bill many more tokens for the same image; no vendor states a bound for all of them.
 */
export const IMAGE_TOKENS = 50_000
/** Providers add instructions of their own to tools and schemas. */
export const INSTRUCTION_TOKENS = 1_000

/**
 * No tokenizer makes more tokens than a text has bytes, so the bytes of the request's JSON are the bound: they include
 * every text. An image counts by its own bound instead of the bytes of its data. Null for a request with a document:
 * its pages are compressed or stored at the provider, so only the context window bounds them. `bytes`: the length of
 * the JSON as received, if known.
 */
export function promptTokensBound(request: ChatRequest, bytes: number | null = null): number | null {
  // Most requests are plain text: no text in them is longer than received, so their JSON need not be written again.
  // Schemas can grow: a provider may spell out numbers such as 1e20.
  if (isTextAlone(request) && bytes !== null) return bytes
  const instructions = isInstructed(request) ? INSTRUCTION_TOKENS : 0
  // Faster than a visit to each value, and images can be nowhere else.
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

/** Its text is part of the request. */
function isPlainText(file: unknown): boolean {
  const data = isJsonObject(file) ? file['file_data'] : undefined
  return typeof data === 'string' && /^data:text\/plain\b/i.test(data)
}
