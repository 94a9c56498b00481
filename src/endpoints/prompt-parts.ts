import type { PromptTokens } from '../domain/request/bounds.ts'
import { isJsonObject, type JsonObject } from '../domain/request/call-request.ts'

/** What a prompt has beside the texts in its JSON. */
export interface PromptParts {
  /** They count by the bound of an image instead of their bytes. */
  images: Set<unknown>
  /** Packed, or stored at the provider: only the context window bounds it. */
  hasFile: boolean
  /** Of a kind that is not known here, which may refer to anything. */
  hasUnknown: boolean
}

export function newParts(): PromptParts {
  return { images: new Set(), hasFile: false, hasUnknown: false }
}

/** `visible`: the bound as far as the JSON shows it. */
export function promptOf(visible: number | null, hasUnknown = false, hasImages = false): PromptTokens {
  const most = hasUnknown ? null : visible
  return { most, visible, likely: null, isOpaque: most === null || hasImages }
}

/** Null values ask for nothing. */
export function hasOnly(object: JsonObject, names: ReadonlySet<string>): boolean {
  for (const name in object) if (!names.has(name) && (object[name] ?? null) !== null) return false
  return true
}

/** Providers fetch web addresses as images; elsewhere the name of the file decides what it is. */
const IMAGE = /^(?:data:image\/|https?:|(?!data:)[a-z][a-z0-9+.-]*:.*\.(?:png|jpe?g|webp)$)/i

export function isImage(url: unknown): boolean {
  return typeof url === 'string' && IMAGE.test(url)
}

/** `isKnown`: the part has no fields beside those of an image. */
export function countImage(part: JsonObject, url: unknown, isKnown: boolean, parts: PromptParts): void {
  // Some clients send a PDF as an image.
  if (typeof url === 'string' && /^data:(?!image\/)/i.test(url)) parts.hasFile = true
  parts.images.add(part)
  if (!isKnown || !isImage(url)) parts.hasUnknown = true
}

/** The bytes of the JSON without the images. */
export function textBytes(request: JsonObject, { images }: PromptParts): number {
  return Buffer.byteLength(JSON.stringify(request, (_name, value: unknown) => (images.has(value) ? undefined : value)))
}

const FILE_FIELDS: ReadonlySet<string> = new Set(['type', 'file_data', 'filename'])

/** Its text is part of the request. */
export function isPlainText(file: unknown): boolean {
  if (!isJsonObject(file) || !hasOnly(file, FILE_FIELDS)) return false
  const { file_data: data } = file
  return typeof data === 'string' && /^data:text\/plain\b/i.test(data)
}
