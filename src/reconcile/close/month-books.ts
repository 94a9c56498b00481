import { picodollarsOfUsd, signedUsd } from '../../domain/pricing/price.ts'

/** Amounts are USD as text, times RFC 3339. The order of the fields is part of what is hashed: add at the end only. */
export interface HeadLine {
  line: 'month'
  form: 1
  month: string
  closed_at: string
  closed_by: string
  comment: string | null
  /** Of the month that was closed before: an old one cannot be changed without changing every later one. */
  previous_month: string | null
  previous_sha256: string | null
  /** Requests before it had been deleted by retention, so only their sums could be looked at; null: none. */
  rows_deleted_before: string | null
}

/** The month was closed although its books are not whole. */
export interface OverrideLine {
  line: 'override'
  sentence: string
  reason: string
  by: string
}

export interface UsageLine {
  line: 'usage'
  workspace: string
  key_id: string
  key_name: string | null
  /** Empty: refused before any provider. */
  provider: string
  requests: number
  cost_usd: string
  unconfirmed_estimate_usd: string
  unconfirmed_most_usd: string
}

/** Calls of a closed month that reached the log after its close. */
export interface LateLine {
  line: 'late'
  month: string
  workspace: string
  key_id: string
  key_name: string | null
  provider: string
  requests: number
  cost_usd: string
}

export interface CorrectionLine {
  line: 'correction'
  id: string
  /** Of the call that it is about. */
  month: string
  workspace: string
  key_id: string
  provider: string | null
  model: string | null
  kind: string
  cost_usd: string
  reason: string
  actor: string
  created_at: string
  request_id: string | null
}

export interface ReportLine {
  line: 'report'
  id: string
  source: string
  provider: string
  name: string
  sha256: string
  imported_at: string
  imported_by: string
}

/** What a provider reports against what was booked, for the days that its reports cover. */
export interface DifferenceLine {
  line: 'difference'
  provider: string
  days: number
  ours_usd: string
  theirs_usd: string
  difference_usd: string
  quantity_usd: string
  price_usd: string
  unexplained_usd: string
}

export interface CauseLine {
  line: 'cause'
  provider: string
  cause: string
  amount_usd: string
  sentence: string
}

/** What reports bill for a key that no provider of this gateway has: in no other line. */
export interface ForeignLine {
  line: 'foreign'
  provider: string
  account: string
  theirs_usd: string | null
}

export interface TotalLine {
  line: 'total'
  usage_usd: string
  late_usd: string
  corrections_usd: string
  total_usd: string
}

export type BookLine =
  | HeadLine
  | OverrideLine
  | UsageLine
  | LateLine
  | CorrectionLine
  | ReportLine
  | DifferenceLine
  | CauseLine
  | ForeignLine
  | TotalLine

type Named<Name extends BookLine['line']> = Extract<BookLine, { line: Name }>

export function linesOf<Name extends BookLine['line']>(lines: readonly BookLine[], name: Name): Named<Name>[] {
  return lines.filter((each): each is Named<Name> => each.line === name)
}

/** A line of JSON each, so that the same books are always the same bytes. */
export function textOfBooks(lines: readonly BookLine[]): string {
  return lines.map((each) => `${JSON.stringify(each)}\n`).join('')
}

export function booksOfText(text: string): BookLine[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as BookLine)
}

/** Of an amount that may be negative. */
export function picodollarsOf(usd: string): bigint {
  return usd.startsWith('-') ? -picodollarsOfUsd(usd.slice(1)) : picodollarsOfUsd(usd)
}

export function sumOfUsd(lines: readonly { cost_usd: string }[]): bigint {
  return lines.reduce((sum, { cost_usd: cost }) => sum + picodollarsOf(cost), 0n)
}

export function totalLine(lines: readonly BookLine[]): TotalLine {
  const sums = (['usage', 'late', 'correction'] as const).map((name) => sumOfUsd(linesOf(lines, name)))
  const [usage = 0n, late = 0n, corrections = 0n] = sums
  return {
    line: 'total',
    ...{ usage_usd: signedUsd(usage), late_usd: signedUsd(late), corrections_usd: signedUsd(corrections) },
    total_usd: signedUsd(usage + late + corrections),
  }
}
