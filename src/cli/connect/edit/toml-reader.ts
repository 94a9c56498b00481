import { problemAt, type UnreadableFile } from './setting.ts'

/** Deeper than any settings; what is deeper would end the stack. */
const DEEPEST = 200

const SPACE = /[ \t]*/y
const TRIVIA = /(?:[ \t\r\n\uFEFF]|#[^\n]*)*/y
const LINE_END = /[ \t]*(?:#[^\n]*?)?(?:\r?\n|$)/y
const PART = /[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/y
const STRING = /"""(?:[^\\]|\\[\s\S])*?"{3,5}|'''[\s\S]*?'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/y
const BARE =
  /true|false|[+-]?(?:inf|nan)|\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?(?:[Zz]|[+-]\d\d:\d\d)?|\d\d:\d\d(?::\d\d(?:\.\d+)?)?|0[xob][\da-fA-F_]+|[+-]?\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d[\d_]*)?/y

/** Goes through a TOML text; what a value says is looked at by none. */
export class TomlReader {
  at = 0
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length
  }

  fail(message: string, offset = this.at): UnreadableFile {
    return problemAt(this.text, offset, message)
  }

  sees(sign: string): boolean {
    return this.text.startsWith(sign, this.at)
  }

  expect(sign: string, where: string): void {
    if (!this.sees(sign)) throw this.fail(`${sign} was expected ${where}`)
    this.at += sign.length
  }

  /** Blanks, empty lines and comments. */
  skip(): void {
    this.#take(TRIVIA)
  }

  endLine(): void {
    if (this.#take(LINE_END) === undefined) throw this.fail('nothing was expected after the value')
  }

  key(): string[] {
    const parts: string[] = []
    do {
      if (parts.length > 0) this.at++
      this.#take(SPACE)
      const part = this.#take(PART)
      if (part === undefined) throw this.fail('a name was expected')
      parts.push(plainText(part) ?? part)
      this.#take(SPACE)
    } while (this.sees('.'))
    return parts
  }

  /** `= value`; where the value begins. */
  assigned(name: string): number {
    this.expect('=', `after ${name}`)
    this.#take(SPACE)
    const start = this.at
    this.#value(0)
    return start
  }

  #value(depth: number): void {
    if (depth > DEEPEST) throw this.fail('it is nested too deeply')
    if (this.sees('[')) this.#listed(']', () => this.#value(depth + 1))
    else if (this.sees('{')) this.#listed('}', () => this.#member(depth + 1))
    else if ((this.#take(STRING) ?? this.#take(BARE)) === undefined) throw this.fail('a value was expected')
  }

  #member(depth: number): void {
    const name = this.key().join('.')
    this.expect('=', `after ${name}`)
    this.#take(SPACE)
    this.#value(depth)
  }

  #listed(close: string, item: () => void): void {
    this.at++
    for (this.skip(); !this.sees(close); this.skip()) {
      item()
      this.skip()
      if (this.sees(',')) this.at++
      else if (!this.sees(close)) throw this.fail(`a comma or ${close} was expected`)
    }
    this.at++
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const [found] = pattern.exec(this.text) ?? []
    this.at += found?.length ?? 0
    return found
  }
}

/** Of a string on one line without escapes that JSON does not know; else undefined. */
export function plainText(written: string): string | undefined {
  if (/^'[^'\n]*'$/.test(written)) return written.slice(1, -1)
  if (!/^"[^\n]*"$/.test(written) || written.startsWith('"""')) return undefined
  try {
    return JSON.parse(written)
  } catch {
    return undefined
  }
}
