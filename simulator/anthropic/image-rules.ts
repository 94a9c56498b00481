import { isObject } from '../json.ts'
import { type Check, literal, object, tagged, text } from './shape.ts'

const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const

/** The media type the first bytes prove, or null when they prove none of the four. */
function provenType(bytes: Buffer): string | null {
  if (bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))) return 'image/jpeg'
  if (bytes.subarray(0, 4).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47]))) return 'image/png'
  if (bytes.toString('latin1', 0, 4) === 'GIF8') return 'image/gif'
  if (bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP') return 'image/webp'
  return null
}

const base64: Check = (value, path) => {
  const problem = text(value, path)
  if (problem) return problem
  const isEncoded = value !== '' && /^[A-Za-z0-9+/]+={0,2}$/.test(value as string)
  return isEncoded ? null : `${path}: Input should be valid base64 data`
}

const httpsUrl: Check = (value, path) =>
  text(value, path) ?? (/^https:\/\//i.test(value as string) ? null : `${path}: Only HTTPS URLs are supported.`)

/** Bytes that prove no type are let through: tests send images of a few bytes. */
const imageData: Check = (value, path) => {
  const shape = object({ type: literal('base64'), media_type: literal(...IMAGE_TYPES), data: base64 })(value, path)
  if (shape || !isObject(value)) return shape
  const proven = provenType(Buffer.from(String(value['data']), 'base64'))
  if (proven === null || proven === value['media_type']) return null
  return `${path}: The image was specified using the ${value['media_type']} media type, but the image appears to be a ${proven} image`
}

const url = object({ type: literal('url'), url: httpsUrl })

const IMAGE = tagged({ base64: imageData, url })

const DOCUMENT = tagged({
  base64: object({ type: literal('base64'), media_type: literal('application/pdf'), data: base64 }),
  text: object({ type: literal('text'), media_type: literal('text/plain'), data: text }),
  url,
})

export function sourceCheck(kind: 'image' | 'document'): Check {
  return kind === 'image' ? IMAGE : DOCUMENT
}
