import type { ReportLine } from '../line.ts'

export interface ReadOptions {
  /** USD for one unit of a currency, by its upper-case code. */
  rates: Readonly<Record<string, string>>
}

/** A form of report. A new one is a file here and a row in `sources.ts`. */
export interface ReportSource {
  label: string
  /** How long after a day's end its figures may still change. */
  settleMs: number
  /** The same figures for the same period may be there twice: cloud exports split by dimensions that are not read. */
  mayRepeat: boolean
  read(chunks: AsyncIterable<string> | Iterable<string>, options: ReadOptions): AsyncGenerator<ReportLine>
}

export const HOUR_MS = 3_600_000
