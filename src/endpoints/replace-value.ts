/**
 * JSON in which one value is another, and every other byte is as it was. `path` names the fields that lead to it; where
 * there is none, nothing changes. The JSON must be valid.
 */
export function replaceValue(json: string, path: readonly string[], by: string): string {
  let span = { from: skipBlanks(json, 0), to: json.length }
  for (const name of path) {
    const found = json[span.from] === '{' ? memberOf(json, span.from, name) : null
    if (found === null) return json
    span = found
  }
  return json.slice(0, span.from) + by + json.slice(span.to)
}

interface Span {
  from: number
  to: number
}

/** The value of a field of the object that begins here. */
function memberOf(json: string, start: number, name: string): Span | null {
  let at = skipBlanks(json, start + 1)
  while (json[at] === '"') {
    const end = endOfText(json, at)
    const key = json.slice(at, end)
    const from = skipBlanks(json, skipBlanks(json, end) + 1)
    const to = endOfValue(json, from)
    if (JSON.parse(key) === name) return { from, to }
    at = skipBlanks(json, to)
    if (json[at] !== ',') return null
    at = skipBlanks(json, at + 1)
  }
  return null
}

const BLANKS = /[ \n\r\t]*/y
const BRACKETS = /["{}[\]]/g
const PLAIN = /[^,}\]\s]*/y

function skipBlanks(json: string, from: number): number {
  BLANKS.lastIndex = from
  BLANKS.exec(json)
  return BLANKS.lastIndex
}

function endOfValue(json: string, from: number): number {
  const first = json[from]
  if (first === '"') return endOfText(json, from)
  if (first !== '{' && first !== '[') {
    PLAIN.lastIndex = from
    PLAIN.exec(json)
    return PLAIN.lastIndex
  }
  let depth = 0
  for (let at = from; ; ) {
    BRACKETS.lastIndex = at
    const found = BRACKETS.exec(json)
    if (found === null) return json.length
    const [bracket] = found
    if (bracket === '"') {
      at = endOfText(json, found.index)
      continue
    }
    depth += bracket === '{' || bracket === '[' ? 1 : -1
    at = found.index + 1
    if (depth === 0) return at
  }
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
