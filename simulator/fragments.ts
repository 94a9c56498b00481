import { stringOrNull } from './json.ts'

/** Cut where the simulator's log probabilities cut, so that each piece has its own; lazily, for texts of many megabytes. */
export function* wordsOf(text: unknown): Iterable<string> {
  const whole = stringOrNull(text) ?? ''
  let end = 0
  for (const match of whole.matchAll(/\s*\S+/g)) {
    end = match.index + match[0].length
    yield match[0]
  }
  if (end < whole.length) yield whole.slice(end)
}

/** Pieces of whole characters. */
export function fragmentsOf(text: unknown): string[] {
  return (stringOrNull(text) ?? '').match(/.{1,12}/gsu) ?? []
}
