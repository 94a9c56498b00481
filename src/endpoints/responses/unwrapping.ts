/** How the arguments of a wrapped tool begin (chat-tools.ts). */
const OPENING = /^\s*\{\s*"input"\s*:\s*"/

/** The text of a custom tool while the JSON around it arrives, so that a caller sees a long one grow. */
export class Unwrapping {
  #json = ''
  /** Where the part of the text that was not given out yet begins; null: its beginning has not come. */
  #at: number | null = null
  #isBroken = false
  /** What was given out so far. */
  text = ''

  /** What this fragment adds to the text; empty where that is not certain yet. */
  push(fragment: string): string {
    this.#json += fragment
    this.#at ??= OPENING.exec(this.#json)?.[0].length ?? null
    if (this.#at === null || this.#isBroken) return ''
    const end = endOfWhole(this.#json, this.#at)
    const piece = decoded(this.#json.slice(this.#at, end))
    if (piece === null) this.#isBroken = true
    this.#at = end
    this.text += piece ?? ''
    return piece ?? ''
  }
}

/** Null where a model wrote what is no JSON. */
function decoded(written: string): string | null {
  try {
    return JSON.parse(`"${written}"`) as string
  } catch {
    return null
  }
}

/** Up to where the written text has only whole characters, at most to its closing quote. */
function endOfWhole(json: string, from: number): number {
  let at = from
  for (;;) {
    const length = lengthOfCharacter(json, at)
    if (length === 0 || at + length > json.length) return at
    at += length
  }
}

/** How many characters of JSON write the character that begins here; 0: the text ends here. */
function lengthOfCharacter(json: string, at: number): number {
  const first = json[at]
  if (first === undefined || first === '"') return 0
  if (first !== '\\') return isHigh(json.charCodeAt(at)) ? 2 : 1
  if (json[at + 1] !== 'u') return 2
  // The second half of a pair is written the same way.
  return isHigh(Number.parseInt(json.slice(at + 2, at + 6), 16)) ? 12 : 6
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}
