import type { PromptTokens } from '../../domain/request/bounds.ts'
import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'
import type { ChatMessage, ChatRequest } from '../../domain/request/chat.ts'
import { countImage, hasOnly, isPlainText, newParts, type PromptParts, promptOf, textBytes } from '../prompt-parts.ts'

/**
 * An image counts as at most this many tokens, of any size. Well above what vendors state for their newest models,
 * because some older ones bill many more tokens for the same image; no vendor states a bound for all of them.
 */
export const IMAGE_TOKENS = 50_000
/** Providers add their own instructions to tools and schemas. */
export const INSTRUCTION_TOKENS = 1_000

/**
 * No tokenizer makes more tokens than a text has bytes, so the bytes of the request's JSON are the bound: they include
 * every text. An image counts by its own bound instead of the bytes of its data. Documents and recordings are packed or
 * stored at the provider, and an unknown part may be an address: only the context window bounds them. `bytes`: the
 * length of the JSON as received, if known.
 */
export function promptTokens(request: ChatRequest, bytes: number | null = null): PromptTokens {
  const { messages, tools, functions, response_format: format } = request
  const instructions = (tools ?? functions ?? format ?? null) === null ? 0 : INSTRUCTION_TOKENS
  if (messages.every(isText)) {
    // Most requests are plain text: no text in them is longer than received, so their JSON need not be written again.
    // Schemas can grow: a provider may spell out numbers such as 1e20.
    if (instructions === 0 && bytes !== null) return promptOf(bytes)
    return promptOf(Buffer.byteLength(JSON.stringify(request)) + instructions)
  }
  const parts = newParts()
  for (const message of messages) countMessage(message, parts)
  if (parts.hasFile) return promptOf(null)
  const { images, hasUnknown } = parts
  return promptOf(textBytes(request, parts) + images.size * IMAGE_TOKENS + instructions, hasUnknown, images.size > 0)
}

/** Fields of a message that are text, or calls. A provider may keep what others refer to. */
const MESSAGE_FIELDS: ReadonlySet<string> = new Set([
  'role',
  'content',
  'name',
  'tool_calls',
  'tool_call_id',
  'function_call',
  'refusal',
  'annotations',
  'reasoning',
  'reasoning_content',
  'reasoning_details',
  'thinking_blocks',
  'cache_control',
  'extra_content',
  'is_error',
  'partial',
  'prefix',
])

const TEXTS: ReadonlySet<unknown> = new Set(['text', 'refusal', 'thinking'])
const TEXT_FIELDS: ReadonlySet<string> = new Set([
  'type',
  'text',
  'refusal',
  'thinking',
  'signature',
  'annotations',
  'cache_control',
])

function isText(message: ChatMessage): boolean {
  const { content } = message
  if (!hasOnly(message, MESSAGE_FIELDS)) return false
  return !Array.isArray(content) || content.every(isTextPart)
}

function isTextPart(part: unknown): boolean {
  return isJsonObject(part) && TEXTS.has(part['type']) && hasOnly(part, TEXT_FIELDS)
}

function countMessage(message: ChatMessage, parts: PromptParts): void {
  if (!hasOnly(message, MESSAGE_FIELDS)) parts.hasUnknown = true
  const { content } = message
  if (!Array.isArray(content)) return
  for (const part of content) if (!isTextPart(part)) countPart(part, parts)
}

const IMAGE_FIELDS: ReadonlySet<string> = new Set(['type', 'image_url', 'cache_control'])
const ADDRESS_FIELDS: ReadonlySet<string> = new Set(['url', 'detail', 'format'])
const FILE_FIELDS: ReadonlySet<string> = new Set(['type', 'file', 'cache_control'])

function countPart(part: JsonObject, parts: PromptParts): void {
  const { type, image_url: image, file } = part
  if (type === 'image_url') {
    const isKnown = hasOnly(part, IMAGE_FIELDS) && (!isJsonObject(image) || hasOnly(image, ADDRESS_FIELDS))
    countImage(part, isJsonObject(image) ? image['url'] : image, isKnown, parts)
  } else if (type !== 'file') parts.hasUnknown = true
  else if (!isPlainText(file) || !hasOnly(part, FILE_FIELDS)) parts.hasFile = true
}
