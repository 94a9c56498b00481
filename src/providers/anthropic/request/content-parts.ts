import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import { mistake, refuse, requiredText } from '../../../domain/request/rejection.ts'
import { worded } from '../../../domain/wording/worded.ts'
import { cleanBase64, decodedText, isDataUrl, parseDataUrl, provenImageType } from '../../data-url.ts'
import { cacheMarker } from './cache-control.ts'
import type { Notes } from './notes.ts'

/** A content block of the Messages API. */
export interface Block extends JsonObject {
  type: string
}

export function textBlock(text: string): Block {
  return { type: 'text', text }
}

const NON_BLANK = /\S/

export function isBlank(text: string): boolean {
  return !NON_BLANK.test(text)
}

/** Drops texts that the API rejects: empty ones always, whitespace when there is nothing else beside it. */
export function withoutBlanks(blocks: Block[]): Block[] {
  if (!blocks.some(isSubstantial)) return []
  return blocks.filter((block) => block['text'] !== '')
}

/** Not just whitespace. */
export function isSubstantial(block: Block): boolean {
  return block.type !== 'text' || NON_BLANK.test(String(block['text']))
}

/** All blocks of a message's `content`, including blank ones. */
export function contentBlocks(content: unknown, path: string, notes: Notes): Block[] {
  if (content === null || content === undefined) return []
  if (typeof content === 'string') return [textBlock(content)]
  if (!Array.isArray(content)) return mistake(worded`${path}: expected a string or an array of parts`)
  return content.map((part, index) => partBlock(part, `${path}[${index}]`, notes))
}

function partBlock(part: unknown, path: string, notes: Notes): Block {
  if (!isJsonObject(part)) return mistake(worded`${path}: expected an object`)
  const block = blockOfType(part, path, notes)
  // The API rejects a marker on blank text.
  const marker = isSubstantial(block) ? cacheMarker(part, path, notes) : undefined
  if (marker !== undefined) block['cache_control'] = marker
  return block
}

function blockOfType(part: JsonObject, path: string, notes: Notes): Block {
  switch (part['type']) {
    case 'text':
      return textBlock(requiredText(part['text'], `${path}.text`))
    case 'refusal':
      return textBlock(requiredText(part['refusal'], `${path}.refusal`))
    case 'image_url':
      return imageBlock(part['image_url'], `${path}.image_url`, notes)
    case 'file':
      return fileBlock(part['file'], `${path}.file`)
    case undefined:
    case null:
      return mistake(worded`${path}.type: expected the type of the part`)
    default:
      return refuse(worded`${path}.type: ${quoted(part['type'])} parts are not supported by this provider`)
  }
}

/** A caller's value for a message: quoted and of limited length. */
export function quoted(value: unknown): string {
  return typeof value === 'string' ? `'${value.slice(0, 200)}'` : typeof value
}

function imageBlock(image: unknown, path: string, notes: Notes): Block {
  if (typeof image === 'string') return imageOfUrl(image, path)
  if (!isJsonObject(image)) return mistake(worded`${path}: expected an object with a url`)
  const block = imageOfUrl(requiredText(image['url'], `${path}.url`), `${path}.url`)
  const detail = image['detail'] ?? 'auto'
  if (detail !== 'auto') notes.ignored.add('detail')
  return block
}

const IMAGE_TYPES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp'])

/** The gateway never fetches the URL: it could point into the operator's network. */
function imageOfUrl(url: string, path: string): Block {
  if (/^https:\/\//i.test(url)) return { type: 'image', source: { type: 'url', url } }
  if (!isDataUrl(url)) return refuse(worded`${path}: only https: and data: URLs are supported by this provider`)
  const data = parseDataUrl(url)
  if (data === null) return mistake(worded`${path}: the data cannot be decoded`)
  if (data.mediaType === 'application/pdf') return pdfBlock(data.base64)
  const declared = data.mediaType === 'image/jpg' ? 'image/jpeg' : data.mediaType
  if (!IMAGE_TYPES.has(declared)) return refuse(worded`${path}: ${quoted(declared)} is not supported by this provider`)
  const mediaType = provenImageType(data.base64) ?? declared
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data: data.base64 } }
}

function fileBlock(file: unknown, path: string): Block {
  if (!isJsonObject(file)) return mistake(worded`${path}: expected an object with file_data`)
  const data = file['file_data'] ?? null
  if (data === null && (file['file_id'] ?? null) !== null) {
    return refuse(worded`${path}.file_id: the id of a file at another provider is not supported`)
  }
  const block = documentBlock(requiredText(data, `${path}.file_data`), `${path}.file_data`)
  const filename = file['filename']
  if (typeof filename === 'string' && filename !== '') block['title'] = filename
  return block
}

function documentBlock(fileData: string, path: string): Block {
  const data = isDataUrl(fileData) ? parseDataUrl(fileData) : bareFile(fileData)
  if (data === null) return mistake(worded`${path}: the data cannot be decoded`)
  switch (data.mediaType) {
    case 'application/pdf':
      return pdfBlock(data.base64)
    case 'text/plain':
      return {
        type: 'document',
        source: { type: 'text', media_type: 'text/plain', data: decodedText(data.base64) },
      }
    default:
      return refuse(worded`${path}: ${quoted(data.mediaType)} is not supported by this provider`)
  }
}

/** Some clients send base64 without the `data:` prefix; a PDF is recognised by its first bytes, `%PDF-`. */
function bareFile(text: string): { mediaType: string; base64: string } | null {
  const base64 = cleanBase64(text)
  if (base64 === null) return null
  return { mediaType: base64.startsWith('JVBERi0') ? 'application/pdf' : '', base64 }
}

function pdfBlock(base64: string): Block {
  return { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: base64 } }
}
