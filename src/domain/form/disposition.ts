/** What a part says of itself; null: nothing. */
export interface Disposition {
  name: string | null
  filename: string | null
}

const NOTHING: Disposition = { name: null, filename: null }
const PARAMETER = /\s*;\s*([a-z-]+)(\*?)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/iy

/** Only a head that is read to its end says anything, and each name once. */
export function readDisposition(value: string): Disposition {
  const begin = /^form-data(?=\s*;)/i.exec(value)
  if (begin === null) return NOTHING
  const found = new Map<string, string>()
  let at = begin[0].length
  while (at < value.length) {
    PARAMETER.lastIndex = at
    const [all, word = '', star = '', quoted, plain = ''] = PARAMETER.exec(value) ?? []
    const key = word.toLowerCase() + star
    if (all === undefined || found.has(key)) return NOTHING
    found.set(key, quoted === undefined ? plain : unquoted(quoted))
    at += all.length
  }
  const name = found.get('name')
  const filename = found.get('filename') ?? extended(found.get('filename*'))
  return {
    name: name === undefined || name === '' || hasControl(name) ? null : name,
    filename: filename === null ? null : baseName(filename),
  }
}

/** Browsers and clients write a quote as `%22`; older ones with a backslash, which others mean as it is. */
function unquoted(text: string): string {
  return text
    .replace(/\\(["\\])/g, '$1')
    .replaceAll('%22', '"')
    .replaceAll(/%0[AD]/gi, '')
}

/** RFC 5987. */
function extended(value: string | undefined): string | null {
  const encoded = /^utf-8'[^']*'(.*)$/i.exec(value ?? '')?.[1]
  if (encoded === undefined) return value === undefined ? null : ''
  try {
    return decodeURIComponent(encoded)
  } catch {
    return ''
  }
}

const LONGEST = 255

/** Never a path, and safe in a head; the extension stays, for vendors go by it. */
function baseName(filename: string): string {
  const base = filename.slice(Math.max(filename.lastIndexOf('/'), filename.lastIndexOf('\\')) + 1)
  const safe = [...base].filter((letter) => letter !== '"' && !hasControl(letter)).join('')
  if (Buffer.byteLength(safe) <= LONGEST) return safe
  const dot = safe.lastIndexOf('.')
  const extension = dot < 0 ? '' : safe.slice(dot)
  const room = LONGEST - Buffer.byteLength(extension)
  return room <= 0 ? beginning(safe, LONGEST) : beginning(safe, room) + extension
}

function beginning(text: string, bytes: number): string {
  return Buffer.from(text).subarray(0, bytes).toString('utf8').replaceAll('\ufffd', '')
}

function hasControl(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  return /[\u0000-\u001f\u007f]/.test(text)
}
