import type { PromptTokens } from '../../domain/request/bounds.ts'
import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'
import type { MessagesRequest } from '../../domain/request/messages.ts'
import { IMAGE_TOKENS, INSTRUCTION_TOKENS } from '../chat-completions/prompt-bound.ts'
import { isImage, promptOf } from '../prompt-parts.ts'

/** As for chat: bytes bound the tokens of a text, images have their own bound, documents have none. */
export function promptTokens(request: MessagesRequest, bytes: number | null): PromptTokens {
  // Most of the conversation is at the provider.
  if ((request['thread'] ?? null) !== null) return promptOf(null)
  const instructions = instructionTokens(request)
  const counted: Counted = { images: 0, imageBytes: 0, isUnbounded: false, hasUnknown: false }
  countBlocks(request.system, counted)
  for (const { content } of request.messages) countBlocks(content, counted)
  const { images, imageBytes, isUnbounded, hasUnknown } = counted
  if (isUnbounded) return promptOf(null)
  // No text is longer than received, but numbers may be: a schema may be serialized again, with 1e20 in digits.
  if (images === 0 && instructions === 0 && bytes !== null) return promptOf(bytes, hasUnknown)
  const text = Buffer.byteLength(JSON.stringify(request)) - imageBytes
  return promptOf(text + images * IMAGE_TOKENS + instructions, hasUnknown, images > 0)
}

interface Counted {
  images: number
  /** Of their data, which is written in ASCII. */
  imageBytes: number
  isUnbounded: boolean
  hasUnknown: boolean
}

/** A provider describes each of its own tools to the model. */
function instructionTokens({ tools, output_config: config, ...rest }: MessagesRequest): number {
  const ofTools = Array.isArray(tools) ? tools.filter(({ type }) => (type ?? null) !== null).length : 0
  const hasAny = Array.isArray(tools) && tools.length > 0
  const format = (isJsonObject(config) ? config['format'] : null) ?? rest['output_format'] ?? null
  return (ofTools + (hasAny ? 1 : 0) + (format === null ? 0 : 1)) * INSTRUCTION_TOKENS
}

/** Deeper than blocks are nested. */
const MOST_LEVELS = 8

/** Texts and calls, which are in the request as they are. */
const TEXTS: ReadonlySet<unknown> = new Set([
  'text',
  'thinking',
  'redacted_thinking',
  'tool_use',
  'tool_result',
  'server_tool_use',
  'mcp_tool_use',
  'mcp_tool_result',
  'search_result',
  'web_search_tool_result',
  'web_search_result',
  'tool_search_tool_result',
  'tool_search_tool_search_result',
  'tool_reference',
])

function countBlocks(blocks: unknown, counted: Counted, level = 0): void {
  if (isJsonObject(blocks)) countBlock(blocks, counted, level)
  else if (Array.isArray(blocks)) for (const block of blocks) countBlocks(block, counted, level)
}

function countBlock(block: JsonObject, counted: Counted, level: number): void {
  const { type, source, content } = block
  if (level > MOST_LEVELS || type === 'container_upload') counted.isUnbounded = true
  else if (type === 'image') countImage(source, counted)
  else if (type === 'document') countDocument(source, counted, level)
  else {
    if (!TEXTS.has(type)) counted.hasUnknown = true
    countBlocks(content, counted, level + 1)
  }
}

function countImage(source: unknown, counted: Counted): void {
  counted.images += 1
  const { type, data, url } = isJsonObject(source) ? source : {}
  // Base64: other characters may take more bytes, and are no image.
  if (typeof data === 'string') counted.imageBytes += data.length
  if (type !== 'base64' && !(type === 'url' && isImage(url))) counted.hasUnknown = true
}

/** The pages of a file are compressed, or are somewhere else. */
function countDocument(source: unknown, counted: Counted, level: number): void {
  const type = isJsonObject(source) ? source['type'] : undefined
  if (isJsonObject(source) && type === 'content') countBlocks(source['content'], counted, level + 1)
  else if (type !== 'text') counted.isUnbounded = true
}
