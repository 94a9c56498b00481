/** What every head begins with. */
const BEGINNING = 'HTTP/1.'

/** Parts of expressions, by the grammar of RFC 9110; the text is Latin-1, one letter for each byte. */
export const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const VISIBLE = '[\\t\\x20-\\x7e\\x80-\\xff]*'
const FIELD = `${TOKEN}:${VISIBLE}`

/** No two parts begin with the same letter, so it runs in linear time. The reason may be missing together with its blank. */
const HEAD = new RegExp(`^HTTP/1\\.([01]) ([1-5]\\d\\d)(?: ${VISIBLE})?(?:\\r\\n${FIELD})*$`)
const FIELD_LINE = new RegExp(`^${FIELD}$`)
/** A piece of a head, from anywhere in it. */
const HEAD_PIECE = new RegExp(`^\\n?${VISIBLE}(?:\\r\\n${VISIBLE})*\\r?$`)

const NONE: readonly string[] = []
/** The names that we ask for are few, and the same for every response. */
const needles = new Map<string, string>()

function needleOf(name: string): string {
  const known = needles.get(name)
  if (known !== undefined) return known
  const needle = `\r\n${name}:`
  needles.set(name, needle)
  return needle
}

/** Status and fields of a response. A field is searched for when it is asked for: few are. */
export class ResponseHead {
  readonly status: number
  readonly isOld: boolean
  readonly #text: string
  readonly #lower: string

  /** `text`: the head without the empty line at its end. Throws when it breaks the grammar. */
  constructor(text: string) {
    const parts = HEAD.exec(text)
    if (parts === null) throw new SyntaxError('this is not an HTTP response')
    this.isOld = parts[1] === '0'
    this.status = Number(parts[2])
    this.#text = `${text}\r\n`
    this.#lower = this.#text.toLowerCase()
  }

  /** The first of this name, given in lower case. */
  get(name: string): string | undefined {
    const found = this.#valueFrom(0, name)
    return found === null ? undefined : withoutBlanks(found.value)
  }

  /** All of this name, in lower case, with the blanks around them. */
  all(name: string): readonly string[] {
    let found = this.#valueFrom(0, name)
    if (found === null) return NONE
    const all: string[] = []
    for (; found !== null; found = this.#valueFrom(found.end, name)) all.push(found.value.toLowerCase())
    return all
  }

  /** Every field, in order; of a repeated name each. */
  *entries(): Iterable<readonly [name: string, value: string]> {
    for (const line of this.#text.split('\r\n').slice(1, -1)) {
      const colon = line.indexOf(':')
      yield [line.slice(0, colon).toLowerCase(), withoutBlanks(line.slice(colon + 1))]
    }
  }

  #valueFrom(from: number, name: string): { value: string; end: number } | null {
    const begin = this.#lower.indexOf(needleOf(name), from)
    if (begin < 0) return null
    const end = this.#lower.indexOf('\r\n', begin + 2)
    return { value: this.#text.slice(begin + name.length + 3, end), end }
  }
}

/** Whether an incomplete head can become a valid one; bytes before `seen` were checked already. */
export function mayBecomeHead(bytes: Buffer, seen: number): boolean {
  if (!BEGINNING.startsWith(bytes.toString('latin1', 0, BEGINNING.length))) return false
  return HEAD_PIECE.test(bytes.toString('latin1', Math.max(0, seen - 1)))
}

export function isFieldLine(line: string): boolean {
  return FIELD_LINE.test(line)
}

/** Spaces and tabs only: `trim()` removes more. */
export function withoutBlanks(text: string): string {
  let [begin, end] = [0, text.length]
  while (begin < end && isBlank(text.charCodeAt(begin))) begin += 1
  while (end > begin && isBlank(text.charCodeAt(end - 1))) end -= 1
  return text.slice(begin, end)
}

function isBlank(letter: number): boolean {
  return letter === 0x20 || letter === 0x09
}
