import type { Output } from './output.ts'

export interface MoveProgress {
  /** So many rows there are in all. */
  begin(total: number): void
  at(table: string, rows: number): void
  end(): void
}

/** Without a terminal, a new line now and then instead of one that changes. */
const LINE_MS = 5_000
const REDRAW_MS = 200

/** Rows done, their share, the pace of this run and the time that is left at it. */
export function createMoveProgress(
  output: Pick<Output, 'note' | 'progress'>,
  { isTerminal, now }: { isTerminal: boolean; now(): number },
): MoveProgress {
  let total = 0
  let first: { at: number; rows: number } | null = null
  let shownRows = -1
  let shownAt = Number.NEGATIVE_INFINITY
  return {
    begin(rows) {
      total = rows
    },
    at(table, rows) {
      const time = now()
      first ??= { at: time, rows }
      const isSoon = time - shownAt < (isTerminal ? REDRAW_MS : LINE_MS)
      if (rows === shownRows || (isSoon && rows < total)) return
      shownAt = time
      shownRows = rows
      const line = progressLine({ table, rows, total, rowsOfRun: rows - first.rows, ms: time - first.at })
      if (isTerminal) output.progress(line)
      else output.note(line)
    },
    end() {
      output.progress(null)
    },
  }
}

export interface ProgressFigures {
  table: string
  rows: number
  total: number
  /** Moved since the first measurement of this run, and how long that took. */
  rowsOfRun: number
  ms: number
}

export function progressLine({ table, rows, total, rowsOfRun, ms }: ProgressFigures): string {
  const share = total === 0 ? 100 : Math.floor((100 * rows) / total)
  const done = `${rows.toLocaleString('en')} of ${total.toLocaleString('en')} rows (${share} %)`
  if (rowsOfRun <= 0 || ms <= 0) return `${done}, ${table}`
  const pace = rowsOfRun / (ms / 1000)
  const left = rows >= total ? '' : `, ${timeText((total - rows) / pace)} left`
  return `${done}, ${Math.round(pace).toLocaleString('en')} rows/s${left}, ${table}`
}

function timeText(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`
  return seconds < 5_400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`
}
