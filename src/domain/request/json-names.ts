import { GatewayError } from '../errors.ts'
import { pathText } from '../problem-text.ts'
import { type Worded, worded } from '../wording/worded.ts'
import { MAX_DEPTH, tooDeep } from './faithful.ts'

const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c]
const [OBJECT, OBJECT_END, ARRAY, ARRAY_END] = [0x7b, 0x7d, 0x5b, 0x5d]

/** Bodies beyond these are refused: what they cost to read and translate grows with their fields, not their bytes. */
export const MOST_FIELDS = 50_000
export const MOST_VALUES = 1_000_000

/**
 * How many names the objects of a JSON text have. A parser keeps only the last of those that are the same, so a value
 * with fewer has lost some. Throws where the text is beyond a bound. Nothing is allocated: every call is counted.
 */
export function nameCount(json: string): number {
  let [names, values, depth] = [0, 1, 0]
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === QUOTE) at = endOfText(json, at)
    else if (code === COLON) names += 1
    else if (code === COMMA) values += 1
    else if (code === OBJECT || code === ARRAY) {
      values += 1
      depth += 1
      if (depth > MAX_DEPTH + 1) throw tooDeep()
    } else if (code === OBJECT_END || code === ARRAY_END) depth -= 1
    if (names > MOST_FIELDS) throw beyond(worded`The body has more than ${MOST_FIELDS} fields.`)
    if (values > MOST_VALUES) throw beyond(worded`The body has more than ${MOST_VALUES} values.`)
  }
  return names
}

function beyond(what: Worded): GatewayError {
  return new GatewayError('invalid_request', what)
}

/** Where its closing quote is. Over text, where the search for a quote costs least. */
function endOfText(json: string, quote: number): number {
  for (let at = quote; ; ) {
    at = json.indexOf('"', at + 1)
    if (at < 0) return json.length
    let before = at
    while (json.charCodeAt(before - 1) === BACKSLASH) before -= 1
    if ((at - before) % 2 === 0) return at
  }
}

/** An object or a list that is being read. */
interface Level {
  /** Null: a list. */
  names: Set<string> | null
  /** The name or index of the value that is being read. */
  step: string | number
}

/** The way to the first name that an object has twice, as in `messages[0].content`. The text must be valid JSON. */
export function repeatedName(json: string): string | null {
  const levels: Level[] = []
  let text = 0
  let textEnd = 0
  for (let at = 0; at < json.length; at++) {
    const level = levels.at(-1)
    switch (json.charCodeAt(at)) {
      case QUOTE:
        text = at
        at = endOfText(json, at)
        textEnd = at + 1
        break
      case OBJECT:
        levels.push({ names: new Set(), step: '' })
        break
      case ARRAY:
        levels.push({ names: null, step: 0 })
        break
      case OBJECT_END:
      case ARRAY_END:
        levels.pop()
        break
      case COMMA:
        if (typeof level?.step === 'number') level.step += 1
        break
      case COLON: {
        if (level === undefined || level.names === null) break
        level.step = JSON.parse(json.slice(text, textEnd)) as string
        if (level.names.has(level.step)) return pathText(levels.map(({ step }) => step))
        level.names.add(level.step)
      }
    }
  }
  return null
}

/** Longer than any path that helps. */
const LONGEST_PATH = 200

/** Of two values under one name, `JSON.parse` keeps the last: guardrail, hold and provider might each read another. */
export function repetition(json: string): GatewayError {
  const path = repeatedName(json)
  const what =
    path === null
      ? worded`The names in the body are ambiguous.`
      : worded`${path.slice(0, LONGEST_PATH)}: this name appears more than once in its object. Send each name once.`
  return new GatewayError('invalid_request', what)
}
