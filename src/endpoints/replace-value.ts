/**
 * JSON in which one value is another, and every other byte is as it was. `path` names the fields that lead to it; where
 * there is none, nothing changes. The JSON must be valid, at least up to the value.
 */
export function replaceValue(json: string, path: readonly string[], by: string): string {
  const span = placeOf(json, path)
  return span === null ? json : json.slice(0, span.from) + by + json.slice(span.to)
}

interface Span {
  from: number
  to: number
}

/** Where the value is. */
export function placeOf(json: string, path: readonly string[]): Span | null {
  let span = { from: skipBlanks(json, 0), to: json.length }
  for (const name of path) {
    const found = json[span.from] === '{' ? memberOf(json, span.from, name) : null
    if (found === null) return null
    span = found
  }
  return span
}

/** The value of a field of the object that begins here. */
function memberOf(json: string, start: number, name: string): Span | null {
  let at = skipBlanks(json, start + 1)
  while (json[at] === '"') {
    const end = endOfText(json, at)
    const key = json.slice(at + 1, end - 1)
    const from = skipBlanks(json, skipBlanks(json, end) + 1)
    const to = endOfValue(json, from)
    if (key === name || (key.includes('\\') && JSON.parse(`"${key}"`) === name)) return { from, to }
    at = skipBlanks(json, to)
    if (json[at] !== ',') return null
    at = skipBlanks(json, at + 1)
  }
  return null
}

/** Space, line feed, carriage return, tab. */
const BLANKS = [0x20, 0x0a, 0x0d, 0x09]
const QUOTE = 0x22
/** `{` and `[` */
const OPENING = [0x7b, 0x5b]
/** `}` and `]` */
const CLOSING = [0x7d, 0x5d]
/** After a number, true, false or null. */
const ENDING = [0x2c, ...CLOSING, ...BLANKS]

function skipBlanks(json: string, from: number): number {
  let at = from
  while (BLANKS.includes(json.charCodeAt(at))) at += 1
  return at
}

/** Behind it: at the comma or bracket that follows, or a blank before that. */
function endOfValue(json: string, from: number): number {
  let depth = 0
  for (let at = from; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === QUOTE) at = endOfText(json, at) - 1
    else if (OPENING.includes(code)) depth += 1
    else if (depth === 0) {
      if (ENDING.includes(code)) return at
      continue
    } else if (CLOSING.includes(code)) depth -= 1
    else continue
    if (depth === 0) return at + 1
  }
  return json.length
}

/** Behind the closing quote. */
function endOfText(json: string, from: number): number {
  for (let at = from + 1; ; at++) {
    at = json.indexOf('"', at)
    if (at < 0) return json.length
    let backslashes = 0
    while (json[at - 1 - backslashes] === '\\') backslashes++
    if (backslashes % 2 === 0) return at + 1
  }
}
