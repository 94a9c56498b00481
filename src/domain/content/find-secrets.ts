/**
 * How secrets begin. What follows is measured by hand: a pattern for all of it would read the same text again from each
 * beginning, and `eyJ-` 200,000 times keeps such a pattern busy for 15 s.
 */
const HEADS =
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----|(?:sk|pk|rk|gw_live|gw_admin|ghp|gho|ghs|github_pat|glpat|xox[abposr]|npm|hf)[-_]|AKIA|ASIA|AIza|eyJ|[Bb]earer /g
const KEY_END = /-----END [A-Z ]{0,30}PRIVATE KEY-----/y
const WORD = /\w/
/** Long enough that no word, and no name of a variable, is meant. */
const RANDOM = 20

const isUpperOrDigit = (code: number) => (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a)
const isAlphanumeric = (code: number) => isUpperOrDigit(code) || (code >= 0x61 && code <= 0x7a)
/** Of base64url: letters, digits, `-` and `_`. */
const isBase64Url = (code: number) => isAlphanumeric(code) || code === 0x2d || code === 0x5f
/** Beside these also `.`, `~`, `+` and `/`. */
const isToken = (code: number) => isBase64Url(code) || code === 0x2e || code === 0x7e || code === 0x2b || code === 0x2f
const isNotDash = (code: number) => code !== 0x2d

/** Where characters of a kind end. Asked from left to right: none is looked at twice. */
class Runs {
  steps = 0
  readonly #text: string
  readonly #isKind: (code: number) => boolean
  #from = 0
  #end = 0

  constructor(text: string, isKind: (code: number) => boolean) {
    this.#text = text
    this.#isKind = isKind
  }

  end(from: number): number {
    if (from >= this.#from && from < this.#end) return this.#end
    let at = from
    while (at < this.#text.length && this.#isKind(this.#text.charCodeAt(at))) at += 1
    this.steps += at - from + 1
    this.#from = from
    this.#end = at
    return at
  }
}

/** The secrets in a text. Linear in its length. */
export class SecretFinder {
  readonly #text: string
  readonly #base64: Runs
  readonly #body: Runs
  readonly #signature: Runs
  readonly #upper: Runs
  readonly #token: Runs
  readonly #key: Runs
  /** The next run of letters and digits that looks random. */
  #random = { from: 0, end: 0 }
  #steps = 0

  constructor(text: string) {
    this.#text = text
    this.#base64 = new Runs(text, isBase64Url)
    this.#body = new Runs(text, isBase64Url)
    this.#signature = new Runs(text, isBase64Url)
    this.#upper = new Runs(text, isUpperOrDigit)
    this.#token = new Runs(text, isToken)
    this.#key = new Runs(text, isNotDash)
  }

  /** Characters looked at, and beginnings found. */
  get steps(): number {
    const runs = [this.#base64, this.#body, this.#signature, this.#upper, this.#token, this.#key]
    return runs.reduce((sum, { steps }) => sum + steps, this.#steps)
  }

  replace(mark: () => string): string {
    let [left, done] = ['', 0]
    HEADS.lastIndex = 0
    for (let found = HEADS.exec(this.#text); found !== null; found = HEADS.exec(this.#text)) {
      this.#steps += 1
      const { 0: head, index } = found
      const end = this.#endOf(head, index)
      // A beginning within another one counts, too.
      HEADS.lastIndex = end ?? index + 1
      if (end === null) continue
      left += this.#text.slice(done, index) + mark()
      done = end
    }
    return left + this.#text.slice(done)
  }

  /** Where the secret that begins here ends; null: it is none. */
  #endOf(head: string, index: number): number | null {
    const start = index + head.length
    if (head.startsWith('-----')) return this.#endOfKey(start)
    if (head === 'eyJ') return this.#endOfJwt(start)
    const isGlued = index > 0 && WORD.test(this.#text.charAt(index - 1))
    if (head === 'AKIA' || head === 'ASIA') {
      const end = this.#upper.end(start)
      const isAlone = !isGlued && end - start === 16 && !WORD.test(this.#text.charAt(end))
      return isAlone || (end - start >= 16 && this.#hasDigit(start, start + 16)) ? end : null
    }
    if (head.endsWith(' ')) {
      const end = this.#token.end(start)
      return end - start >= 16 && !(isGlued && !this.#isRandom(start, end)) ? this.#padded(end) : null
    }
    const end = this.#base64.end(start)
    if (head === 'AIza') return end - start >= 30 ? end : null
    return end - start >= 16 && !(isGlued && !this.#isRandom(start, end)) ? end : null
  }

  #endOfKey(start: number): number {
    KEY_END.lastIndex = this.#key.end(start)
    return KEY_END.test(this.#text) ? KEY_END.lastIndex : this.#key.end(start)
  }

  /** Three parts separated by dots, the last of which may be empty. */
  #endOfJwt(start: number): number | null {
    const header = this.#base64.end(start)
    if (header - start < 8 || this.#text.charAt(header) !== '.') return null
    const body = this.#body.end(header + 1)
    if (body - header <= 8 || this.#text.charAt(body) !== '.') return null
    return this.#signature.end(body + 1)
  }

  #padded(end: number): number {
    let at = end
    while (at < end + 2 && this.#text.charAt(at) === '=') at += 1
    return at
  }

  #hasDigit(from: number, end: number): boolean {
    for (let at = from; at < end; at++) if (this.#text.charCodeAt(at) <= 0x39) return true
    return false
  }

  /** Right after a letter, `sk-` may be the end of `risk-`: what follows must not read like words. */
  #isRandom(start: number, end: number): boolean {
    while (this.#random.end - Math.max(this.#random.from, start) < RANDOM) {
      const from = this.#nextRun(Math.max(this.#random.end, start))
      if (from >= end) return false
    }
    return this.#random.from < end
  }

  /** Moves to the next run of letters and digits, skipping those without a digit. */
  #nextRun(from: number): number {
    const text = this.#text
    let at = from
    while (at < text.length && !isAlphanumeric(text.charCodeAt(at))) at += 1
    const begin = at
    let hasDigit = false
    for (; at < text.length && isAlphanumeric(text.charCodeAt(at)); at++)
      if (text.charCodeAt(at) <= 0x39) hasDigit = true
    this.#steps += at - from + 1
    this.#random = hasDigit ? { from: begin, end: at } : { from: at, end: at }
    return begin
  }
}
