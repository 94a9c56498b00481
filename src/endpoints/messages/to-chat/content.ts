import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import { mistake, quoted, refuse, requiredText } from '../../../domain/request/rejection.ts'
import { worded } from '../../../domain/wording/worded.ts'
import { marked, type Notes } from './notes.ts'

/** A part of a chat message. */
export interface Part extends JsonObject {
  type: string
}

export function isMarked(part: Part): boolean {
  return part['cache_control'] !== undefined
}

export function textPart(text: string): Part {
  return { type: 'text', text }
}

/** A block of a user message, or of a tool's result, as parts of chat. */
export function contentParts(block: JsonObject, path: string, notes: Notes): Part[] {
  const parts = unmarkedParts(block, path, notes)
  const last = parts.at(-1)
  if (last !== undefined) Object.assign(last, marked(block, notes))
  return parts
}

function unmarkedParts(block: JsonObject, path: string, notes: Notes): Part[] {
  switch (block['type']) {
    case 'text':
      return [textPart(requiredText(block['text'], `${path}.text`))]
    case 'image':
      return [imagePart(block['source'], `${path}.source`)]
    case 'document':
      return documentParts(block, path, notes)
    default:
      return refuse(worded`${path}.type: ${quoted(block['type'])} is not supported by this provider`)
  }
}

function imagePart(source: unknown, path: string): Part {
  if (!isJsonObject(source)) return mistake(worded`${path}: expected an object`)
  switch (source['type']) {
    case 'base64':
      return { type: 'image_url', image_url: { url: dataUrl(source, path) } }
    case 'url':
      return { type: 'image_url', image_url: { url: requiredText(source['url'], `${path}.url`) } }
    default:
      return refuse(worded`${path}.type: ${quoted(source['type'])} is not supported by this provider`)
  }
}

function documentParts({ source, title }: JsonObject, path: string, notes: Notes): Part[] {
  const place = `${path}.source`
  if (!isJsonObject(source)) return mistake(worded`${place}: expected an object`)
  switch (source['type']) {
    case 'text':
      return [textPart(requiredText(source['data'], `${place}.data`))]
    case 'base64': {
      const filename = typeof title === 'string' && title !== '' ? title : 'document.pdf'
      return [{ type: 'file', file: { filename, file_data: dataUrl(source, place) } }]
    }
    case 'content':
      return nestedParts(source['content'], `${place}.content`, notes)
    default:
      return refuse(worded`${place}.type: ${quoted(source['type'])} is not supported by this provider`)
  }
}

/** Documents in documents do not exist. */
export function nestedParts(content: unknown, path: string, notes: Notes): Part[] {
  if (typeof content === 'string') return [textPart(content)]
  if (!Array.isArray(content)) return mistake(worded`${path}: expected a string or an array of blocks`)
  return content.flatMap((block: unknown, at) => {
    const place = `${path}[${at}]`
    if (!isJsonObject(block)) return mistake(worded`${place}: expected an object`)
    if (block['type'] === 'document' && isJsonObject(block['source']) && block['source']['type'] === 'content') {
      return refuse(worded`${place}: a document of blocks is not supported by this provider`)
    }
    return contentParts(block, place, notes)
  })
}

function dataUrl({ media_type: type, data }: JsonObject, path: string): string {
  return `data:${requiredText(type, `${path}.media_type`)};base64,${requiredText(data, `${path}.data`)}`
}
