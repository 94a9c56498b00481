import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'
import { mistake, quoted, refuse, requiredText } from '../../domain/request/rejection.ts'
import { worded } from '../../domain/wording/worded.ts'

/** The content of an input message for chat: a text where that is enough, else parts. */
export function chatContent(content: unknown, path: string): string | JsonObject[] {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return mistake(worded`${path}: expected a string or an array of parts`)
  const parts = content.map((part, at) => chatPart(part, `${path}[${at}]`))
  const [only, ...others] = parts
  return only?.['type'] === 'text' && others.length === 0 ? requiredText(only['text'], path) : parts
}

/** The texts of parts that hold nothing else, as those of a model's own messages. */
export function plainText(content: unknown, path: string): { text: string; refusal: string } {
  if (typeof content === 'string') return { text: content, refusal: '' }
  if (!Array.isArray(content)) return mistake(worded`${path}: expected a string or an array of parts`)
  const found = { text: '', refusal: '' }
  for (const [at, part] of content.entries()) {
    const place = `${path}[${at}]`
    if (isJsonObject(part) && part['type'] === 'refusal') {
      found.refusal += requiredText(part['refusal'], `${place}.refusal`)
      continue
    }
    const { type, text } = chatPart(part, place)
    if (type !== 'text') mistake(worded`${place}.type: an assistant message holds only text`)
    found.text += requiredText(text, place)
  }
  return found
}

function chatPart(part: unknown, path: string): JsonObject {
  if (!isJsonObject(part)) return mistake(worded`${path}: expected an object`)
  switch (part['type']) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return { type: 'text', text: requiredText(part['text'], `${path}.text`) }
    case 'input_image':
      return imagePart(part, path)
    case 'input_file':
      return filePart(part, path)
    default:
      return refuse(worded`${path}.type: ${quoted(part['type'])} is not supported by this entry`)
  }
}

function imagePart({ image_url: url, file_id: file, detail }: JsonObject, path: string): JsonObject {
  if ((file ?? null) !== null) refuseFileId(path)
  const image: JsonObject = { url: requiredText(url, `${path}.image_url`) }
  if (detail === 'low' || detail === 'high' || detail === 'auto') image['detail'] = detail
  return { type: 'image_url', image_url: image }
}

function filePart({ file_data: data, file_url: url, file_id: id, filename }: JsonObject, path: string): JsonObject {
  if ((id ?? null) !== null) refuseFileId(path)
  if ((url ?? null) !== null) {
    // Families that take documents by address know them as images of another type.
    refuse(worded`${path}.file_url: this entry takes no files by address; send file_data`)
  }
  const file: JsonObject = { file_data: requiredText(data, `${path}.file_data`) }
  if (typeof filename === 'string') file['filename'] = filename
  return { type: 'file', file }
}

function refuseFileId(path: string): never {
  return refuse(worded`${path}.file_id: files are kept by one provider only; send the data itself`)
}
