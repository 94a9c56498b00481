import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import { refuse } from '../../../domain/request/rejection.ts'
import { worded } from '../../../domain/wording/worded.ts'

/** Content of the Messages API as content of Converse, where a cache marker is its own block. */
export function converseBlocks(content: unknown, names: DocumentNames): JsonObject[] {
  if (typeof content === 'string') return [{ text: content }]
  if (!Array.isArray(content)) return []
  return content.filter(isJsonObject).flatMap((block) => {
    const marker = block['cache_control']
    const own = converseBlock(block, names)
    return isJsonObject(marker) ? [own, cachePoint(marker)] : [own]
  })
}

function cachePoint({ ttl }: JsonObject): JsonObject {
  return { cachePoint: { type: 'default', ...(ttl === undefined ? {} : { ttl }) } }
}

function converseBlock(block: JsonObject, names: DocumentNames): JsonObject {
  const { type, source } = block
  switch (type) {
    case 'image':
      return imageBlock(isJsonObject(source) ? source : {})
    case 'document':
      return documentBlock(isJsonObject(source) ? source : {}, names.next(block['title']))
    case 'thinking':
      return { reasoningContent: { reasoningText: { text: block['thinking'], signature: block['signature'] } } }
    case 'redacted_thinking':
      return { reasoningContent: { redactedContent: block['data'] } }
    case 'tool_use':
      return { toolUse: { toolUseId: block['id'], name: block['name'], input: block['input'] } }
    case 'tool_result':
      return { toolResult: toolResult(block, names) }
    default:
      return { text: block['text'] }
  }
}

/** The service fetches nothing, and neither does the gateway. */
function imageBlock({ type, media_type: mediaType, data }: JsonObject): JsonObject {
  if (type !== 'base64') refuse(worded`image_url: this provider takes images as data: URLs only`)
  return { image: { format: String(mediaType).slice('image/'.length), source: { bytes: data } } }
}

function documentBlock({ type, data }: JsonObject, name: string): JsonObject {
  const isText = type === 'text'
  const bytes = isText ? Buffer.from(String(data)).toString('base64') : data
  return { document: { format: isText ? 'txt' : 'pdf', name, source: { bytes } } }
}

/** A result may not be blank. */
function toolResult(
  { tool_use_id: toolUseId, content, is_error: isError }: JsonObject,
  names: DocumentNames,
): JsonObject {
  const blocks = converseBlocks(content, names).filter(({ text }) => typeof text !== 'string' || /\S/.test(text))
  return {
    toolUseId,
    content: blocks.length === 0 ? [{ text: '(no output)' }] : blocks,
    ...(isError === true ? { status: 'error' } : {}),
  }
}

/** Names of documents in one request: of few characters, and no two the same. */
export class DocumentNames {
  readonly #used = new Set<string>()

  next(title: unknown): string {
    const words = typeof title === 'string' ? title.replace(/[^A-Za-z0-9()[\]-]+/g, ' ').trim() : ''
    const base = words.slice(0, 150) || 'document'
    let name = base
    for (let count = 2; this.#used.has(name); count++) name = `${base} ${count}`
    this.#used.add(name)
    return name
  }
}

/** A document needs a text beside it. */
export function withText(blocks: JsonObject[]): JsonObject[] {
  const hasDocument = blocks.some((block) => 'document' in block)
  return hasDocument && !blocks.some((block) => 'text' in block) ? [...blocks, { text: '(see the document)' }] : blocks
}
