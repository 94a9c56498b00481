/** What a head begins with, as far as one has come. */
const BEGINNING = 'HTTP/1.'
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-5]\d\d)(?= |\r\n|$)/

const NONE: readonly string[] = []

/** Status and fields of an answer. A field is looked for when somebody asks for it, which is for few of them. */
export class ReplyHead {
  readonly status: number
  readonly isOld: boolean
  readonly #text: string
  readonly #lower: string

  /** `text`: all of the head but the empty line at its end. Throws when it is none. */
  constructor(text: string) {
    const line = STATUS_LINE.exec(text)
    if (line === null) throw new SyntaxError('this is not an HTTP answer')
    this.isOld = line[1] === '0'
    this.status = Number(line[2])
    this.#text = `${text}\r\n`
    this.#lower = this.#text.toLowerCase()
  }

  /** The first of this name, which is in small letters. */
  get(name: string): string | undefined {
    return this.#valueFrom(0, name)?.value
  }

  /** All of this name, each taken apart at its commas, in small letters. */
  list(name: string): readonly string[] {
    let found = this.#valueFrom(0, name)
    if (found === null) return NONE
    const all: string[] = []
    for (; found !== null; found = this.#valueFrom(found.end, name)) all.push(...found.value.toLowerCase().split(','))
    return all.map((item) => item.trim()).filter((item) => item !== '')
  }

  #valueFrom(from: number, name: string): { value: string; end: number } | null {
    const begin = this.#lower.indexOf(`\r\n${name}:`, from)
    if (begin < 0) return null
    const end = this.#lower.indexOf('\r\n', begin + 2)
    return { value: this.#text.slice(begin + name.length + 3, end).trim(), end }
  }
}

/** Whether bytes that are not a whole head yet can become one. */
export function mayBecomeHead(bytes: Buffer): boolean {
  const seen = bytes.toString('latin1', 0, BEGINNING.length)
  return BEGINNING.startsWith(seen)
}
