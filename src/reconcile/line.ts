import { TOKEN_CLASSES } from '../domain/pricing/classes.ts'

/** A line of a provider's report. What a report does not say is null, never a guess. */
export interface ReportLine {
  /** Unix milliseconds; the end is exclusive. */
  start: number
  end: number
  /** Zone in which the source cuts its days, IANA name. */
  zone: string
  /** Key, project or workspace of the provider. */
  account: string | null
  /** As the report writes it. */
  model: string | null
  tier: string | null
  class: LineClass
  /** In whole units; null: not reported, or not a whole number of them. */
  quantity: bigint | null
  unit: string | null
  /** Picodollars; null: the report counts, but names no money. */
  amount: bigint | null
  /** As the report writes it, before a rate was applied. */
  stated: string | null
  currency: string | null
  requests: bigint | null
  /** By how many picodollars the source's rounding may move the amount. */
  tolerance: bigint
  /** The source's own id of the line. */
  id: string | null
  /** Where it is in the file: the line of a CSV file, the result of a JSON page. */
  place: number
}

/** `input_per_mtok` → `input`: the names that reports in CSV and the API give the classes. */
export const LINE_CLASSES = TOKEN_CLASSES.map(({ price }) => price.replace('_per_mtok', ''))
const TOKEN_NAMES: ReadonlySet<string> = new Set(LINE_CLASSES)

/** A token class, `tool:NAME`, `fee`, `credit`, `tax`, or `other:TEXT` for what has no known meaning. */
export type LineClass = string

const CHARGES: ReadonlySet<string> = new Set(['fee', 'credit', 'tax'])

export function isTokenClass(name: LineClass): boolean {
  return TOKEN_NAMES.has(name)
}

export function isTool(name: LineClass): boolean {
  return name.startsWith('tool:')
}

/** Neither tokens nor tools: never compared with usage. */
export function isCharge(name: LineClass): boolean {
  return CHARGES.has(name) || name.startsWith('other:')
}

export function isKnownClass(name: LineClass): boolean {
  return isTokenClass(name) || CHARGES.has(name) || /^tool:[a-z0-9_]{1,64}$/.test(name)
}

const MOST_TEXT = 200

/** Text of a report for a message or a column: short, and on one line. */
export function quoted(text: string): string {
  return `"${clipped(text)}"`
}

export function clipped(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}]/gu, ' ')
  return line.length > MOST_TEXT ? `${line.slice(0, MOST_TEXT)}…` : line
}

/** What nothing in the report says. */
export const UNSAID = {
  account: null,
  model: null,
  tier: null,
  quantity: null,
  unit: null,
  amount: null,
  stated: null,
  currency: null,
  requests: null,
  tolerance: 0n,
  id: null,
} as const

/** The file cannot be imported; the message names the place and the field. */
export class ReportProblem extends Error {
  constructor(place: string, problem: string) {
    super(`${place}: ${problem}`)
    this.name = 'ReportProblem'
  }
}

/** From the first beginning to the last end. */
export function extentOf(periods: readonly { start: number; end: number }[]): { start: number; end: number } {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const { start, end } of periods) {
    first = Math.min(first, start)
    last = Math.max(last, end)
  }
  return { start: first, end: last }
}
