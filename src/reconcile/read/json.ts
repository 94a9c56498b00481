import { ReportProblem } from '../line.ts'

/** A value of JSON whose numbers are their own text: no amount passes through a float. */
export type JsonText = string | boolean | null | JsonText[] | { [name: string]: JsonText }
export type JsonObject = { [name: string]: JsonText }

const MOST_DOCUMENT = 64 * 1024 * 1024

type Chunks = AsyncIterable<string> | Iterable<string>

/** The reviver's third argument is newer than TypeScript's library. */
const parse = JSON.parse as (
  text: string,
  reviver: (name: string, value: unknown, context: { source?: string }) => unknown,
) => JsonText

export function parseJson(text: string, place: string): JsonText {
  try {
    return parse(text, (_name, value, context) => (typeof value === 'number' ? context.source : value) as JsonText)
  } catch {
    // The engine's message quotes the file.
    throw new ReportProblem(place, 'is not complete JSON; the file may be truncated')
  }
}

/** The objects of a file: one, an array of them, or one on each line. */
export async function* jsonObjects(chunks: Chunks): AsyncGenerator<{ place: number; object: JsonObject }> {
  let [place, rest, isLines] = [0, '', true]
  const objects = function* (text: string) {
    for (const found of [parseJson(text, `document ${place + 1}`)].flat()) {
      place++
      yield { place, object: objectOf(found, `document ${place}`) }
    }
  }
  for await (const chunk of chunks) {
    rest += place === 0 && rest === '' && chunk.startsWith('\uFEFF') ? chunk.slice(1) : chunk
    if (rest.length > MOST_DOCUMENT) throw new ReportProblem(`document ${place + 1}`, 'is larger than 64 MiB')
    if (place === 0) isLines = startsWithLine(rest)
    if (!isLines) continue
    const lines = rest.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.trim() !== '') yield* objects(line)
  }
  if (rest.trim() !== '') yield* objects(rest)
  if (place === 0) throw new ReportProblem('document 1', 'the file is empty')
}

/** Whether the first line is a whole document; otherwise the file is one. */
function startsWithLine(text: string): boolean {
  const end = text.indexOf('\n')
  if (end < 0) return false
  try {
    JSON.parse(text.slice(0, end))
    return true
  } catch {
    return false
  }
}

export function objectOf(value: JsonText | undefined, place: string): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw new ReportProblem(place, 'is not an object')
}

export function listOf(value: JsonText | undefined, place: string): JsonText[] {
  if (Array.isArray(value)) return value
  throw new ReportProblem(place, 'is not a list')
}

/** A text or the text of a number; null where it is absent or null. */
export function textOf(value: JsonText | undefined, place: string): string | null {
  if (value === undefined || value === null) return null
  if (typeof value === 'string') return value
  throw new ReportProblem(place, 'is not a text or number')
}

export function countOf(value: JsonText | undefined, place: string): bigint {
  const text = textOf(value, place) ?? '0'
  if (!/^\d{1,18}$/.test(text)) throw new ReportProblem(place, 'is not a whole number of at least 0')
  return BigInt(text)
}
