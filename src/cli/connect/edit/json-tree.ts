import { problemAt } from './setting.ts'

/** A JSON value and where it is in its text. Comments and commas at the end of a list are allowed, as the tools allow them. */
export type JsonNode = {
  start: number
  end: number
} & ({ kind: 'object'; members: Member[] } | { kind: 'array' } | { kind: 'scalar'; value: unknown })

export interface Member {
  key: string
  keyStart: number
  value: JsonNode
}

const SCALAR = /"(?:[^"\\\n]|\\.)*"|-?\d[\d.eE+-]*|true|false|null/y
const TRIVIA = /(?:[\s\uFEFF]|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y
/** Deeper than any settings; what is deeper would end the stack. */
const DEEPEST = 200

export function readJson(text: string): JsonNode {
  let at = 0
  const fail = (message: string) => problemAt(text, at, message)
  const skip = () => {
    TRIVIA.lastIndex = at
    at += TRIVIA.exec(text)?.[0].length ?? 0
  }

  function scalar(): JsonNode & { kind: 'scalar' } {
    SCALAR.lastIndex = at
    const [found] = SCALAR.exec(text) ?? []
    if (found === undefined) throw fail(at >= text.length ? 'the file ends in the middle' : 'a value was expected')
    const start = at
    try {
      const value: unknown = JSON.parse(found)
      at += found.length
      return { kind: 'scalar', start, end: at, value }
    } catch {
      throw fail('a value was expected')
    }
  }

  function member(depth: number): Member {
    const keyStart = at
    if (text[at] !== '"') throw fail('a name in double quotes was expected')
    const key = String(scalar().value)
    skip()
    if (text[at] !== ':') throw fail(`a colon was expected after "${key}"`)
    at++
    return { key, keyStart, value: value(depth) }
  }

  function listed(close: string, item: () => void): void {
    at++
    for (skip(); text[at] !== close; skip()) {
      item()
      skip()
      if (text[at] === ',') at++
      else if (text[at] !== close) throw fail(`a comma or ${close} was expected`)
    }
    at++
  }

  function value(depth: number): JsonNode {
    skip()
    const start = at
    if (depth > DEEPEST) throw fail('it is nested too deeply')
    if (text[at] === '{') {
      const members: Member[] = []
      listed('}', () => members.push(member(depth + 1)))
      return { kind: 'object', start, end: at, members }
    }
    if (text[at] === '[') {
      listed(']', () => value(depth + 1))
      return { kind: 'array', start, end: at }
    }
    return scalar()
  }

  const root = value(0)
  skip()
  if (at < text.length) throw fail('nothing was expected after the end')
  return root
}
