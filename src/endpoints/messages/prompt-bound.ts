import type { PromptTokens } from '../../domain/request/bounds.ts'
import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'
import type { MessagesRequest } from '../../domain/request/messages.ts'
import { IMAGE_TOKENS, INSTRUCTION_TOKENS } from '../chat-completions/prompt-bound.ts'

/** As for chat: bytes bound the tokens of a text, images have a bound of their own, documents have none. */
export function promptTokens(request: MessagesRequest, bytes: number | null): PromptTokens {
  return { most: promptTokensBound(request, bytes), likely: null }
}

export function promptTokensBound(request: MessagesRequest, bytes: number | null): number | null {
  // Most of the conversation is at the provider.
  if ((request['thread'] ?? null) !== null) return null
  const instructions = instructionTokens(request)
  const counted = newCounted()
  for (const { content } of request.messages) countBlocks(content, counted)
  if (counted.isUnbounded) return null
  // No text is longer than received, but numbers may be: a schema may be written anew, with 1e20 in digits.
  const isText = counted.images === 0 && instructions === 0
  if (isText && bytes !== null) return bytes
  return Buffer.byteLength(JSON.stringify(request)) - counted.imageBytes + counted.images * IMAGE_TOKENS + instructions
}

interface Counted {
  images: number
  /** Of their data, which is written in ASCII. */
  imageBytes: number
  isUnbounded: boolean
}

function newCounted(): Counted {
  return { images: 0, imageBytes: 0, isUnbounded: false }
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

function countBlocks(blocks: unknown, counted: Counted, level = 0): void {
  if (!Array.isArray(blocks)) return
  for (const block of blocks) if (isJsonObject(block)) countBlock(block, counted, level)
}

/** Texts, thinking and calls are in the request as they are; what only refers to content is not. */
function countBlock(block: JsonObject, counted: Counted, level: number): void {
  const { type, source, content } = block
  if (level > MOST_LEVELS || type === 'container_upload') counted.isUnbounded = true
  else if (type === 'image') countImage(source, counted)
  else if (type === 'document') countDocument(source, counted, level)
  else countBlocks(content, counted, level + 1)
}

function countImage(source: unknown, counted: Counted): void {
  counted.images += 1
  const data = isJsonObject(source) ? source['data'] : undefined
  // Base64: other characters may take more bytes, and are no image.
  if (typeof data === 'string') counted.imageBytes += data.length
}

/** The pages of a file are compressed, or are somewhere else. */
function countDocument(source: unknown, counted: Counted, level: number): void {
  const type = isJsonObject(source) ? source['type'] : undefined
  if (isJsonObject(source) && type === 'content') countBlocks(source['content'], counted, level + 1)
  else if (type !== 'text') counted.isUnbounded = true
}
