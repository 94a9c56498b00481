/** The content of a `data:` URL. */
export interface DataUrl {
  /** Lower case, without parameters; empty when the URL names none. */
  mediaType: string
  base64: string
}

export function isDataUrl(url: string): boolean {
  return url.slice(0, 5).toLowerCase() === 'data:'
}

/** Reads `data:<type>[;param…][;base64],<data>` (RFC 2397); null when the data cannot be decoded. */
export function parseDataUrl(url: string): DataUrl | null {
  const comma = url.indexOf(',')
  if (comma === -1) return null
  const [type = '', ...parameters] = url.slice('data:'.length, comma).split(';')
  const mediaType = type.trim().toLowerCase()
  const data = url.slice(comma + 1)
  const isBase64 = parameters.at(-1)?.trim().toLowerCase() === 'base64'
  const base64 = isBase64 ? cleanBase64(data) : base64OfPercentEncoded(data)
  return base64 === null ? null : { mediaType, base64 }
}

/** Without whitespace and with padding; null when it is empty or not base64. */
export function cleanBase64(text: string): string | null {
  const unescaped = text.includes('%') ? percentDecoded(text) : text
  const compact = /\s/.test(unescaped) ? unescaped.replace(/\s+/g, '') : unescaped
  const padding = compact.indexOf('=')
  const digits = padding === -1 ? compact : compact.slice(0, padding)
  const tail = padding === -1 ? '' : compact.slice(padding)
  if (digits === '' || /[^A-Za-z0-9+/]/.test(digits) || digits.length % 4 === 1) return null
  const needed = '='.repeat((4 - (digits.length % 4)) % 4)
  if (tail === needed) return compact
  return tail === '' ? digits + needed : null
}

export function decodedText(base64: string): string {
  return Buffer.from(base64, 'base64').toString('utf8')
}

function base64OfPercentEncoded(text: string): string | null {
  const bytes = percentDecoded(text)
  for (let index = 0; index < bytes.length; index += 1) if (bytes.charCodeAt(index) > 0xff) return null
  return bytes === '' ? null : Buffer.from(bytes, 'latin1').toString('base64')
}

/** One character per byte. */
function percentDecoded(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

/** The image format by its first bytes, or null: the API rejects a declared type that contradicts them. */
export function provenImageType(base64: string): string | null {
  const bytes = Buffer.from(base64.slice(0, 16), 'base64').toString('latin1')
  if (bytes.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (bytes.startsWith('\x89PNG')) return 'image/png'
  if (bytes.startsWith('GIF8')) return 'image/gif'
  if (bytes.startsWith('RIFF') && bytes.slice(8, 12) === 'WEBP') return 'image/webp'
  return null
}
