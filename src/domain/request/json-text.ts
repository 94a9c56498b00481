const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]

/** Space, line feed, carriage return, tab. */
function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}

/** `{` and `[` */
function isOpening(code: number): boolean {
  return code === 0x7b || code === 0x5b
}

/** `}` and `]` */
function isClosing(code: number): boolean {
  return code === 0x7d || code === 0x5d
}

export function skipBlanks(json: string, from: number): number {
  let at = from
  while (isBlank(json.charCodeAt(at))) at += 1
  return at
}

/** Behind it: at the comma or bracket that follows, or a blank before that. */
export function endOfValue(json: string, from: number): number {
  let depth = 0
  for (let at = from; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === QUOTE) at = endOfText(json, at) - 1
    else if (isOpening(code)) depth += 1
    else if (depth === 0) {
      // After a number, true, false or null.
      if (code === COMMA || isClosing(code) || isBlank(code)) return at
      continue
    } else if (isClosing(code)) depth -= 1
    else continue
    if (depth === 0) return at + 1
  }
  return json.length
}

/** Behind the closing quote. */
export function endOfText(json: string, from: number): number {
  for (let at = from + 1; ; at++) {
    at = json.indexOf('"', at)
    if (at < 0) return json.length
    let backslashes = 0
    while (json.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return at + 1
  }
}

/** Where a field of an object begins, and its value. */
export interface FieldPlace {
  key: number
  start: number
}

/**
 * The places of an object's own fields, skipping nested ones: their names may be the same. Null for a field
 * that is there twice, or whose name is written with escapes. The JSON must be valid.
 */
export function topLevelFields(json: string): ReadonlyMap<string, FieldPlace | null> {
  const fields = new Map<string, FieldPlace | null>()
  let at = skipBlanks(json, skipBlanks(json, 0) + 1)
  while (json.charCodeAt(at) === QUOTE) {
    const key = at
    const end = endOfText(json, key)
    const written = json.slice(key, end)
    const isPlain = !written.includes('\\')
    const name: string = isPlain ? written.slice(1, -1) : JSON.parse(written)
    const start = skipBlanks(json, skipBlanks(json, end) + 1)
    fields.set(name, isPlain && !fields.has(name) ? { key, start } : null)
    at = skipBlanks(json, endOfValue(json, start))
    if (json.charCodeAt(at) !== COMMA) break
    at = skipBlanks(json, at + 1)
  }
  return fields
}
