import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'
import type { ResponsesRequest } from '../../domain/request/responses.ts'
import { IMAGE_TOKENS, INSTRUCTION_TOKENS } from '../chat-completions/prompt-bound.ts'
import { declaredTools } from './tools.ts'

/** What a tool grows by where it is translated: a wrapping, a longer name. */
const TOOL_TOKENS = 400

/** Parts of a prompt that the provider keeps: nobody here knows their length. */
export const KEPT = ['previous_response_id', 'conversation', 'prompt', 'context_management'] as const
const IMAGES: ReadonlySet<unknown> = new Set(['input_image', 'computer_screenshot', 'image_generation_call'])
const UNKNOWN: ReadonlySet<unknown> = new Set(['item_reference', 'compaction', 'input_audio'])

/**
 * At most the bytes of the request's JSON, as for chat (chat-completions/prompt-bound.ts). Null where the provider adds
 * to the prompt: with what it keeps, with documents, or with what its own tools find.
 */
export function promptTokensBound(request: ResponsesRequest, bytes: number | null = null): number | null {
  if (KEPT.some((name) => (request[name] ?? null) !== null)) return null
  const isPlain = isTextAlone(request)
  if (isPlain && bytes !== null) return bytes
  const { own, hosted } = declaredTools(request)
  // Where a hard budget counts on this bound, a search is refused or dropped: an agent that offers one can still call.
  if (hosted.some(({ type, isCallers }) => !isCallers && !isSearch(type))) return null
  const counted = isPlain ? { bytes: jsonBytes(request), images: 0, isKnown: true } : counts(request)
  if (!counted.isKnown) return null
  return counted.bytes + counted.images * IMAGE_TOKENS + INSTRUCTION_TOKENS + own.length * TOOL_TOKENS
}

function isSearch(type: string): boolean {
  return type.startsWith('web_search')
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}

/** Neither tools, schemas, images nor documents. */
function isTextAlone({ input, tools, text }: ResponsesRequest): boolean {
  if ((tools ?? text ?? null) !== null) return false
  return typeof input === 'string' || (Array.isArray(input) && input.every(isTextItem))
}

function isTextItem({ type, content }: JsonObject): boolean {
  if ((type ?? 'message') !== 'message') return false
  return typeof content === 'string' || (Array.isArray(content) && content.every(isTextPart))
}

function isTextPart(part: unknown): boolean {
  return isJsonObject(part) && (part['type'] === 'input_text' || part['type'] === 'output_text')
}

function counts(request: ResponsesRequest): { bytes: number; images: number; isKnown: boolean } {
  let images = 0
  let isKnown = true
  const text = JSON.stringify(request, (_name, value: unknown) => {
    if (!isJsonObject(value)) return value
    const { type } = value
    if (IMAGES.has(type) && !isDocument(value['image_url'])) {
      images++
      return undefined
    }
    if (IMAGES.has(type) || UNKNOWN.has(type) || (type === 'input_file' && !isPlainText(value))) isKnown = false
    return value
  })
  return { bytes: Buffer.byteLength(text), images, isKnown }
}

/** Some clients send a PDF as an image. */
function isDocument(url: unknown): boolean {
  return typeof url === 'string' && /^data:(?!image\/)/i.test(url)
}

/** Its text is part of the request. */
function isPlainText({ file_data: data }: JsonObject): boolean {
  return typeof data === 'string' && /^data:text\/plain\b/i.test(data)
}
