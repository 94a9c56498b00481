import type { JsonObject } from '../domain/request/call-request.ts'
import type { Chunk, ServerSentEvent } from '../domain/request/stream.ts'

/** In what two events that are alike may differ: the text, by its names in all formats, and what no reader looks at. */
const FREE =
  /[{,][ \t]*"(?:(content|reasoning_content|reasoning|refusal|arguments|text|thinking|partial_json|delta)|obfuscation|sequence_number)"[ \t]*:[ \t]*(?:"|(?=\d))/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON has none in a text.
const TEXT = /[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[^"\\\u0000-\u001f]*)*/y
const NUMBER = /0|[1-9]\d*/y
/** Before the last bracket. */
const PADDING = /[ \t]*/y

/** Characters: longer ones are rare, and a regular expression may run out of its stack. */
const LONGEST = 16 * 1024

/** An event as what stays, and what is free between each two of these pieces. */
interface Pattern {
  chunk: Chunk
  event: string | null
  same: string[]
  free: RegExp[]
  /** Which of them is the text, and where it ends in the chunk. */
  text: number
  textEnd: number
}

/**
 * Most events of a stream are the one before with another text. Such an event is compared, not parsed: everything made
 * of the one before applies to it, except the length of the text. Any other event is read, and becomes the next
 * pattern.
 */
export class Repeats {
  #pattern: Pattern | null = null

  /** Null: it must be read. */
  read({ event, data }: ServerSentEvent): Chunk | null {
    const pattern = this.#pattern
    if (pattern === null) return null
    const bytes = pattern.event === event ? textBytes(data, pattern) : 0
    if (bytes > 0) return new RepeatedChunk(data, bytes, pattern.chunk)
    this.#pattern = null
    return null
  }

  /**
   * A chunk was read that passes as it came, has content and ends nothing. Read again, it would leave its reader as it
   * is. `count`: what that one takes for content.
   */
  learn(chunk: Chunk, event: string | null, count: (value: JsonObject) => number): void {
    const { json, contentBytes } = chunk
    const pattern = patternOf(chunk, event)
    if (pattern === null || textBytes(json, pattern) !== contentBytes) return
    // With a longer text there must be more content: else another one is counted.
    const longer = `${json.slice(0, pattern.textEnd)}x${json.slice(pattern.textEnd)}`
    if (count(JSON.parse(longer)) === contentBytes + 1) this.#pattern = pattern
  }
}

/** Parsed only if more than `like` is needed. */
class RepeatedChunk implements Chunk {
  readonly type = 'chunk'
  readonly isEnd = false
  readonly json: string
  readonly contentBytes: number
  readonly like: Chunk

  constructor(json: string, contentBytes: number, like: Chunk) {
    this.json = json
    this.contentBytes = contentBytes
    this.like = like
  }

  get value(): JsonObject {
    return JSON.parse(this.json)
  }
}

/** UTF-8 bytes of its text; 0: it is no such event, or has none. */
function textBytes(json: string, { same, free, text }: Pattern): number {
  if (json.length > LONGEST) return 0
  let at = 0
  let written = ''
  for (let place = 0; place < same.length; place++) {
    const piece = same[place] as string
    // `startsWith` takes ten times as long: it compares letter by letter.
    const from = at
    at += piece.length
    if (json.slice(from, at) !== piece) return 0
    const rule = free[place]
    if (rule === undefined) break
    rule.lastIndex = at
    if (!rule.test(json)) return 0
    if (place === text) written = json.slice(at, rule.lastIndex)
    at = rule.lastIndex
  }
  if (at < json.length) return 0
  return Buffer.byteLength(written.includes('\\') ? JSON.parse(`"${written}"`) : written)
}

/** Null: no event with one text. Without backslashes every `"` in what stays begins or ends a text or a name. */
function patternOf(chunk: Chunk, event: string | null): Pattern | null {
  const { json } = chunk
  const [same, free]: [string[], RegExp[]] = [[], []]
  let text = -1
  let textEnd = 0
  let from = 0
  const add = (start: number, end: number, rule: RegExp) => {
    same.push(json.slice(from, start))
    free.push(rule)
    from = end
  }
  FREE.lastIndex = 0
  for (let found = FREE.exec(json); found !== null; found = FREE.exec(json)) {
    const start = FREE.lastIndex
    const rule = found[0].endsWith('"') ? TEXT : NUMBER
    rule.lastIndex = start
    if (!rule.test(json) || rule.lastIndex === start) continue
    FREE.lastIndex = rule.lastIndex
    if (found[1] !== undefined) {
      if (text >= 0) return null
      text = free.length
      textEnd = rule.lastIndex
    }
    add(start, rule.lastIndex, rule)
  }
  let end = json.length - 1
  while (json[end - 1] === ' ' || json[end - 1] === '\t') end -= 1
  if (end < json.length - 1) add(end, json.length - 1, PADDING)
  same.push(json.slice(from))
  return text < 0 || same.some((piece) => /[\\\r\n]/.test(piece)) ? null : { chunk, event, same, free, text, textEnd }
}
