import type { JsonObject } from '../../../domain/request/call-request.ts'
import { fieldOf, objectField, textField } from '../../../domain/request/contents.ts'
import { mistake, quoted, refuse, requiredText } from '../../../domain/request/rejection.ts'
import { worded } from '../../../domain/wording/worded.ts'

/** A part of a chat message. */
export interface Part extends JsonObject {
  type: string
}

/** What a user says, shows or attaches. */
export function userParts(part: JsonObject, path: string, ignored: Set<string>): Part[] {
  if (part['thought'] === true) return []
  if ((fieldOf(part, 'videoMetadata') ?? null) !== null) {
    return refuse(worded`${path}.videoMetadata: videos are not supported by this provider`)
  }
  if ((fieldOf(part, 'mediaResolution') ?? null) !== null) ignored.add('mediaResolution')
  if (typeof part['text'] === 'string') return part['text'] === '' ? [] : [{ type: 'text', text: part['text'] }]
  const inline = objectField(part, 'inlineData')
  if (inline !== null) return [inlinePart(inline, `${path}.inlineData`)]
  const file = objectField(part, 'fileData')
  if (file !== null) return [filePart(file, `${path}.fileData`)]
  const [kind] = Object.keys(part)
  if (kind === undefined) return mistake(worded`${path}: the part is empty`)
  return refuse(worded`${path}: this kind of part is not supported by this provider`)
}

/** Names of audio formats that chat knows. */
const SOUNDS: ReadonlyMap<string, string> = new Map([
  ['audio/wav', 'wav'],
  ['audio/x-wav', 'wav'],
  ['audio/mp3', 'mp3'],
  ['audio/mpeg', 'mp3'],
])

function inlinePart(inline: JsonObject, path: string): Part {
  const type = requiredText(fieldOf(inline, 'mimeType'), `${path}.mimeType`).toLowerCase()
  const data = requiredText(inline['data'], `${path}.data`)
  const url = `data:${type};base64,${data}`
  if (type.startsWith('image/')) return { type: 'image_url', image_url: { url } }
  const format = SOUNDS.get(type)
  if (format !== undefined) return { type: 'input_audio', input_audio: { data, format } }
  if (type === 'application/pdf') {
    const filename = textField(inline, 'displayName') ?? 'document.pdf'
    return { type: 'file', file: { filename, file_data: url } }
  }
  if (type.startsWith('text/')) return { type: 'text', text: Buffer.from(data, 'base64').toString('utf8') }
  return refuse(worded`${path}.mimeType: ${quoted(type)} is not supported by this provider`)
}

function filePart(file: JsonObject, path: string): Part {
  const uri = requiredText(fieldOf(file, 'fileUri'), `${path}.fileUri`)
  const type = textField(file, 'mimeType') ?? 'image/'
  if (/^https:\/\//i.test(uri) && type.startsWith('image/')) return { type: 'image_url', image_url: { url: uri } }
  return refuse(worded`${path}.fileUri: files that a provider keeps or fetches are not supported by this provider`)
}
