/** What a guardrail masked, by the placeholder that the model reads in its place. */
export type Masked = Readonly<Record<string, string>>

/** A text without its end, if that may be the beginning of a placeholder. */
export interface Restored {
  text: string
  /** The longest end that may still become a placeholder: it waits for what follows. */
  held: string
}

/**
 * Puts back what placeholders stand for, the longest of several at one place; what is put in is not looked at again. A
 * text that comes in pieces gives the same as the whole one.
 */
export class Placeholders {
  readonly #isJson: boolean
  readonly #values = new Map<string, string>()
  readonly #any: RegExp
  readonly #longest: number
  /** In their order, so that those with a beginning are neighbours. */
  readonly #names: readonly string[]
  /** First characters: most ends of a text need no further look. */
  readonly #firsts: ReadonlySet<string>

  /** `isJson`: for texts that are JSON, or a piece of it. */
  constructor(masked: Masked, isJson = false) {
    this.#isJson = isJson
    for (const [placeholder, value] of Object.entries(masked)) {
      if (!isJson) this.#values.set(placeholder, value)
      else for (const written of inJson(placeholder)) this.#values.set(written, inside(value))
    }
    const names = [...this.#values.keys()].sort((a, b) => b.length - a.length)
    // An escape is one character: what stands behind its backslash begins nothing.
    const others = isJson ? [ESCAPE] : names.length === 0 ? [NOTHING] : []
    this.#any = new RegExp([...names.map(asPattern), ...others].join('|'), 'gs')
    this.#names = names.toSorted()
    this.#longest = Math.max(names[0]?.length ?? 0, LONGEST_ESCAPE)
    this.#firsts = new Set([...names.map((name) => name.charAt(0)), ...(isJson ? ['\\'] : [])])
  }

  /** `isWhole`: nothing follows, so nothing is held. */
  restore(text: string, isWhole = true): Restored {
    let [done, at, end] = ['', 0, isWhole ? text.length : this.#undecided(text, 0)]
    for (;;) {
      if (at > end) end = this.#undecided(text, at)
      this.#any.lastIndex = at
      const match = this.#any.exec(text)
      if (match === null || match.index >= end) return { text: done + text.slice(at, end), held: text.slice(end) }
      const [found] = match
      done += text.slice(at, match.index) + (this.#values.get(found) ?? found)
      at = match.index + found.length
    }
  }

  /** The first place from which all that follows may become a placeholder. */
  #undecided(text: string, from: number): number {
    for (let at = Math.max(from, text.length - this.#longest + 1); at < text.length; at++) {
      if (this.#firsts.has(text.charAt(at)) && this.#isBeginning(text.slice(at))) return at
    }
    return text.length
  }

  #isBeginning(end: string): boolean {
    if (this.#isJson && CUT_ESCAPE.test(end)) return true
    let [from, to] = [0, this.#names.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if ((this.#names[middle] as string) <= end) from = middle + 1
      else to = middle
    }
    return this.#names[from]?.startsWith(end) === true
  }
}

const NOTHING = '(?!)'
const ESCAPE = '\\\\(?:u[0-9a-fA-F]{4}|[^u])'
const CUT_ESCAPE = /^\\(?:u[0-9a-fA-F]{0,3})?$/
const LONGEST_ESCAPE = '\\u0000'.length

function asPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

/** A text as it stands between the quotes of JSON. */
function inside(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** Models and servers escape in several ways: as usual, also for HTML, also all that is not ASCII. */
function inJson(text: string): string[] {
  const usual = inside(text)
  const html = usual.replace(/[<>&]/g, escaped)
  return [usual, html].flatMap((written) => [written, written.replace(/[^\x20-\x7e]/g, escaped)])
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
