import { isJsonObject } from '../request/call-request.ts'
import type { Rule } from './redactions.ts'

/** How often each rule has matched. */
export type RedactionCounts = Record<string, number>

/** Numbers with fewer digits are not looked at. */
const LONG_NUMBER = 1e11

/** Replaces what rules find in the texts of a body, and counts. */
export class Redactor {
  readonly counts: RedactionCounts = {}
  readonly #rules: readonly Rule[]

  constructor(rules: readonly Rule[]) {
    this.#rules = rules
  }

  /** In every text of a JSON value, names included. A text that is JSON itself, such as tool input, is looked into. */
  value(value: unknown): unknown {
    if (typeof value === 'string') return this.#textOrJson(value)
    if (typeof value === 'number') return Math.abs(value) < LONG_NUMBER ? value : this.#number(value)
    if (Array.isArray(value)) return value.map((item) => this.value(item))
    if (!isJsonObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [this.text(name), this.value(field)]))
  }

  text(text: string): string {
    let left = text
    for (const { name, replace } of this.#rules) {
      left = replace(left, () => {
        this.counts[name] = (this.counts[name] ?? 0) + 1
        return `[redacted:${name}]`
      })
    }
    return left
  }

  #number(value: number): number | string {
    const text = this.text(String(value))
    return text === String(value) ? value : text
  }

  #textOrJson(text: string): string {
    const inner = jsonIn(text)
    if (inner === undefined) return this.text(text)
    const before = JSON.stringify(inner)
    const after = JSON.stringify(this.value(inner))
    return before === after ? text : after
  }
}

function jsonIn(text: string): unknown {
  if (!/^\s{0,100}[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
