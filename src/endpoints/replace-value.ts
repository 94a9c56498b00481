import { endOfText, endOfValue, skipBlanks } from '../domain/request/json-text.ts'

const [QUOTE, BACKSLASH] = [0x22, 0x5c]

/**
 * JSON in which one value is another, and every other byte is as it was. `path` names the fields that lead to it; where
 * there is none, nothing changes. The JSON must be valid, at least up to the value.
 */
export function replaceValue(json: string, path: readonly string[], by: string): string {
  const span = placeOf(json, path)
  return span === null ? json : json.slice(0, span.from) + by + json.slice(span.to)
}

/**
 * The JSON of an object in which these fields have other values, and every other byte is as it was. Null where one of
 * them is not there exactly once, or a name is written with escapes: the object must be written again.
 */
export function replaceFields(json: string, names: readonly string[], by: readonly string[]): string | null {
  let [text, copied, found] = ['', 0, 0]
  let at = skipBlanks(json, 0)
  if (json[at] !== '{') return null
  at = skipBlanks(json, at + 1)
  while (json.charCodeAt(at) === QUOTE) {
    const end = endOfText(json, at)
    const from = skipBlanks(json, skipBlanks(json, end) + 1)
    const to = endOfValue(json, from)
    const place = nameAt(json, at + 1, end - 1, names)
    if (place === null || (place >= 0 && (found & (1 << place)) !== 0)) return null
    if (place >= 0) {
      text += json.slice(copied, from) + by[place]
      copied = to
      found |= 1 << place
    }
    at = skipBlanks(json, to)
    if (json[at] !== ',') break
    at = skipBlanks(json, at + 1)
  }
  return found === (1 << names.length) - 1 ? text + json.slice(copied) : null
}

/** Its index; -1: another name. Null: it has escapes. */
function nameAt(json: string, from: number, to: number, names: readonly string[]): number | null {
  for (let at = from; at < to; at++) if (json.charCodeAt(at) === BACKSLASH) return null
  for (let index = 0; index < names.length; index++) {
    const name = names[index]
    if (name?.length === to - from && json.startsWith(name, from)) return index
  }
  return -1
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
