import { endOf, type Interval, startsOf } from '../../charts/chart-data.ts'
import { spanText } from '../../charts/time-axis.ts'
import { count, percent } from '../../format/number.ts'

/** What a strip needs of a row of the providers' health. */
export interface HealthRow {
  start: string | null
  provider: string
  attempts: number
  failures: number
  rescued: number
  codes: Readonly<Record<string, number>>
}

export interface Cell {
  start: string
  attempts: number
  failures: number
  /** Share of failed attempts, from 0 to 1; null without calls. */
  share: number | null
  tone: 'none' | 'good' | 'warn' | 'bad'
  title: string
}

export interface Strip {
  provider: string
  attempts: number
  failures: number
  rescued: number
  cells: Cell[]
  /** The one with the largest failing share, where any failed. */
  worst: Cell | null
  /** All of it in a sentence. */
  label: string
}

/** From these shares on it is worth a look, and bad. */
const LOOK = 0.1
const BAD = 0.3
/** A single failure of three calls is no outage. */
const FEW = 5

/** For each provider one cell an interval, those with most calls first. */
export function stripsOf(
  rows: readonly HealthRow[],
  { from, to, interval }: { from: string; to: string; interval: Interval },
): Strip[] {
  const starts = startsOf(from, to, interval)
  const byProvider = Map.groupBy(rows, ({ provider }) => provider)
  return [...byProvider]
    .map(([provider, its]) => {
      const at = new Map(its.map((row) => [row.start, row]))
      const cells = starts.map((start) => cellOf(start, interval, at.get(start)))
      const sum = (field: 'attempts' | 'failures' | 'rescued') => its.reduce((all, row) => all + row[field], 0)
      const totals = { attempts: sum('attempts'), failures: sum('failures'), rescued: sum('rescued') }
      const worst = worstOf(cells)
      return { provider, ...totals, cells, worst, label: labelOf(provider, totals, worst) }
    })
    .toSorted((a, b) => b.attempts - a.attempts || a.provider.localeCompare(b.provider))
}

function cellOf(start: string, interval: Interval, row: HealthRow | undefined): Cell {
  const { attempts, failures, codes } = row ?? { attempts: 0, failures: 0, codes: {} }
  const share = attempts === 0 ? null : failures / attempts
  const when = spanText(start, interval)
  const names = Object.keys(codes).join(', ')
  const what =
    attempts === 0
      ? 'not called'
      : failures === 0
        ? `${count(attempts)} calls, none failed`
        : `${count(failures)} of ${count(attempts)} calls failed (${percent(failures, attempts)}): ${names}`
  return { start, attempts, failures, share, tone: toneOf(share, attempts), title: `${when}: ${what}` }
}

function toneOf(share: number | null, attempts: number): Cell['tone'] {
  if (share === null) return 'none'
  if (share < LOOK) return 'good'
  return share >= BAD && attempts >= FEW ? 'bad' : 'warn'
}

function worstOf(cells: readonly Cell[]): Cell | null {
  const failing = cells.filter(({ failures }) => failures > 0)
  const weight = ({ share, attempts }: Cell) => (share ?? 0) * (attempts >= FEW ? 1 : 0.01)
  return failing.toSorted((a, b) => weight(b) - weight(a) || b.failures - a.failures)[0] ?? null
}

function labelOf(provider: string, { attempts, failures }: { attempts: number; failures: number }, worst: Cell | null) {
  const all = `${provider}: ${percent(failures, attempts)} of ${count(attempts)} calls failed`
  return worst === null ? all : `${all}. Worst: ${worst.title}`
}

/** Where the requests of a cell are. Not those of the provider alone: the list knows one by who served in the end. */
export function cellSpan({ start }: Cell, interval: Interval): { from: string; to: string } {
  return { from: start, to: endOf(start, interval) }
}
