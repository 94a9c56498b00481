import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import { mistake, quoted, refuse, requiredText } from '../../../domain/request/rejection.ts'
import { worded } from '../../../domain/wording/worded.ts'
import { cleanBase64, isDataUrl, parseDataUrl, provenImageType } from '../../data-url.ts'
import type { Draft } from './draft.ts'

/** A part of a content: a text, a file, a call or its result. */
export type Part = JsonObject

/** All parts of a message's `content`, without empty texts, which the API refuses. */
export function partsOf(content: unknown, path: string, draft: Draft): Part[] {
  if (content === null || content === undefined || content === '') return []
  if (typeof content === 'string') return [{ text: content }]
  if (!Array.isArray(content)) return mistake(worded`${path}: expected a string or an array of parts`)
  return content.map((part, index) => partOf(part, `${path}[${index}]`, draft)).filter(({ text }) => text !== '')
}

function partOf(part: unknown, path: string, draft: Draft): Part {
  if (!isJsonObject(part)) return mistake(worded`${path}: expected an object`)
  if ((part['cache_control'] ?? null) !== null) draft.ignored.add('cache_control')
  switch (part['type']) {
    case 'text':
      return { text: requiredText(part['text'], `${path}.text`) }
    case 'refusal':
      return { text: requiredText(part['refusal'], `${path}.refusal`) }
    case 'image_url':
      return image(part['image_url'], `${path}.image_url`, draft)
    case 'input_audio':
      return audio(part['input_audio'], `${path}.input_audio`)
    case 'file':
      return file(part['file'], `${path}.file`, draft)
    case undefined:
    case null:
      return mistake(worded`${path}.type: expected the type of the part`)
    default:
      return refuse(worded`${path}.type: ${quoted(part['type'])} parts are not supported by this provider`)
  }
}

function image(value: unknown, path: string, draft: Draft): Part {
  if (typeof value === 'string') return byUrl(value, path, draft)
  if (!isJsonObject(value)) return mistake(worded`${path}: expected an object with a url`)
  if ((value['detail'] ?? 'auto') !== 'auto') draft.ignored.add('detail')
  return byUrl(requiredText(value['url'], `${path}.url`), `${path}.url`, draft)
}

/** The gateway never fetches the URL: it could point into the operator's network. */
function byUrl(url: string, path: string, { door }: Draft): Part {
  if (isDataUrl(url)) return inlineUrl(url, path)
  if (!door.readsStorage || !url.startsWith('gs://')) {
    const taken = door.readsStorage ? worded`data: and gs: URLs are` : worded`data: URLs are`
    return refuse(worded`${path}: only ${taken} supported by this provider`)
  }
  const type = TYPES_BY_ENDING.get(url.slice(url.lastIndexOf('.') + 1).toLowerCase())
  if (type === undefined) return refuse(worded`${path}: the name of the file does not tell its type`)
  return { fileData: { mimeType: type, fileUri: url } }
}

const TYPES_BY_ENDING: ReadonlyMap<string, string> = new Map([
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['webp', 'image/webp'],
  ['pdf', 'application/pdf'],
  ['txt', 'text/plain'],
  ['mp3', 'audio/mp3'],
  ['wav', 'audio/wav'],
  ['mp4', 'video/mp4'],
])

function inlineUrl(url: string, path: string): Part {
  const data = parseDataUrl(url)
  if (data === null) return mistake(worded`${path}: the data cannot be decoded`)
  const declared = data.mediaType === 'image/jpg' ? 'image/jpeg' : data.mediaType
  const type = provenImageType(data.base64) ?? declared
  return type === '' ? mistake(worded`${path}: the URL names no media type`) : inline(type, data.base64)
}

function inline(mimeType: string, data: string): Part {
  return { inlineData: { mimeType, data } }
}

function audio(value: unknown, path: string): Part {
  if (!isJsonObject(value)) return mistake(worded`${path}: expected an object with data and format`)
  const data = cleanBase64(requiredText(value['data'], `${path}.data`))
  if (data === null) return mistake(worded`${path}.data: the data cannot be decoded`)
  const format = requiredText(value['format'], `${path}.format`)
  return /^[a-z0-9]{1,16}$/.test(format)
    ? inline(`audio/${format}`, data)
    : mistake(worded`${path}.format: is not a format`)
}

function file(value: unknown, path: string, draft: Draft): Part {
  if (!isJsonObject(value)) return mistake(worded`${path}: expected an object with file_data`)
  if ((value['file_data'] ?? null) === null && (value['file_id'] ?? null) !== null) {
    return refuse(worded`${path}.file_id: the id of a file at another provider is not supported`)
  }
  const data = requiredText(value['file_data'], `${path}.file_data`)
  if (isDataUrl(data) || data.startsWith('gs://')) return byUrl(data, `${path}.file_data`, draft)
  const base64 = cleanBase64(data)
  if (base64 === null) return mistake(worded`${path}.file_data: the data cannot be decoded`)
  // Some clients send base64 without the `data:` prefix; a PDF is known by its first bytes, `%PDF-`.
  if (!base64.startsWith('JVBERi0'))
    return refuse(worded`${path}.file_data: send it as a data: URL, which names its type`)
  return inline('application/pdf', base64)
}
