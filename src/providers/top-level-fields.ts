/** Where a field of a body begins, and its value. */
export interface FieldPlace {
  key: number
  start: number
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]

/**
 * The places of a body's own fields, skipping nested ones: their names may be the same. Null for a field that occurs
 * twice, or whose name is written with escapes. The body must be valid JSON. Over bytes, where
 * `endpoints/replace-value.ts` is over text: bodies are sent on as bytes, and large ones are never one text.
 */
export function topLevelFields(source: Buffer): ReadonlyMap<string, FieldPlace | null> {
  const fields = new Map<string, FieldPlace | null>()
  let at = skipBlanks(source, 0) + 1
  for (at = skipBlanks(source, at); source[at] === QUOTE; at = skipBlanks(source, at + 1)) {
    const key = at
    const end = afterText(source, key)
    const written = source.toString('utf8', key, end)
    const isPlain = !written.includes('\\')
    const name: string = isPlain ? written.slice(1, -1) : JSON.parse(written)
    const start = skipBlanks(source, skipBlanks(source, end) + 1)
    fields.set(name, isPlain && !fields.has(name) ? { key, start } : null)
    at = skipBlanks(source, afterValue(source, start))
    if (source[at] !== COMMA) break
  }
  return fields
}

/** Most texts are short, but most bytes are in long ones: there the search for a quote is faster. */
const SHORT_TEXT = 32

function afterText(source: Buffer, quote: number): number {
  let at = quote + 1
  const far = at + SHORT_TEXT
  while (at < far && source[at] !== QUOTE) at += source[at] === BACKSLASH ? 2 : 1
  while (source[at] !== QUOTE || isEscaped(source, at)) {
    at = source.indexOf(QUOTE, at + 1)
    if (at < 0) return source.length
  }
  return at + 1
}

/** Preceded by an odd number of backslashes. */
function isEscaped(source: Buffer, at: number): boolean {
  let before = at - 1
  while (source[before] === BACKSLASH) before -= 1
  return (at - before) % 2 === 0
}

function afterValue(source: Buffer, start: number): number {
  let depth = 0
  for (let at = start; at < source.length; at++) {
    const byte = source[at]
    if (byte === QUOTE) at = afterText(source, at) - 1
    else if (isOpening(byte)) depth += 1
    else if (isClosing(byte)) {
      if (depth === 0) return at
      depth -= 1
    } else if (depth === 0 && byte === COMMA) return at
  }
  return source.length
}

/** `{` and `[` */
function isOpening(byte: number | undefined): boolean {
  return byte === 0x7b || byte === 0x5b
}

/** `}` and `]` */
function isClosing(byte: number | undefined): boolean {
  return byte === 0x7d || byte === 0x5d
}

function skipBlanks(source: Buffer, from: number): number {
  let at = from
  while (source[at] === 0x20 || source[at] === 0x0a || source[at] === 0x0d || source[at] === 0x09) at += 1
  return at
}
