import { type ReportLine, ReportProblem } from './line.ts'
import type { ReadOptions, ReportSource } from './sources/source.ts'

/** Lines of models in one file; all others are skipped as they are read and cost nothing. */
const MOST_LINES = 200_000

export interface OrderedLine extends ReportLine {
  /** Among the lines of the file with the same period, account, model, tier and class. */
  ordinal: number
}

/** Period, account, model, tier and class: what a line is about. `usage` counts, `cost` charges: they do not collide. */
export function aboutLine(line: ReportLine): string {
  return JSON.stringify([line.start, line.end, ...subject(line)])
}

function subject(line: ReportLine): unknown[] {
  return [line.account, line.model, line.tier, line.class, line.amount === null ? 'usage' : 'cost']
}

/** The lines of a file in an order of their own, so that the order of the file changes nothing. */
export async function readReport(
  source: ReportSource,
  chunks: AsyncIterable<string> | Iterable<string>,
  options: ReadOptions & { accounts?: readonly string[] },
): Promise<OrderedLine[]> {
  const lines: ReportLine[] = []
  const taken = options.accounts === undefined || options.accounts.length === 0 ? null : new Set(options.accounts)
  for await (const line of source.read(chunks, options)) {
    if (taken !== null && !taken.has(line.account ?? '')) continue
    refuseHuge(line)
    lines.push(line)
    if (lines.length > MOST_LINES) {
      throw new ReportProblem(`line ${line.place}`, `more than ${MOST_LINES} lines of models; split the file by days`)
    }
  }
  refuseRepeats(lines, source.mayRepeat)
  refuseOverlaps(lines)
  return ordered(lines)
}

const LARGEST = 2n ** 63n - 1n

/** Both databases store 64 bits; nine million dollars on a line of tokens is a mistake. */
function refuseHuge({ amount, quantity, requests, place }: ReportLine): void {
  for (const [field, value] of Object.entries({ amount, quantity, requests })) {
    if (value !== null && (value > LARGEST || value < -LARGEST)) {
      throw new ReportProblem(`line ${place}, ${field}`, 'is too large to be stored')
    }
  }
}

function refuseRepeats(lines: readonly ReportLine[], mayRepeat: boolean): void {
  const seen = new Map<string, number>()
  for (const line of lines) {
    if (mayRepeat && line.id === null) continue
    const { quantity, stated, requests } = line
    const figures = [quantity?.toString(), stated, requests?.toString()]
    const name = line.id ?? `${aboutLine(line)} ${JSON.stringify(figures)}`
    const before = seen.get(name)
    if (before !== undefined) {
      throw new ReportProblem(`line ${line.place}`, `repeats line ${before}; remove it, or add both up in one line`)
    }
    seen.set(name, line.place)
  }
}

/** A day and one of its hours would count twice. */
function refuseOverlaps(lines: readonly ReportLine[]): void {
  const sorted = lines.toSorted((a, b) => a.start - b.start || a.end - b.end)
  const last = new Map<string, ReportLine>()
  for (const line of sorted) {
    const name = JSON.stringify(subject(line))
    const before = last.get(name)
    if (before !== undefined && before.end > line.start && (before.start !== line.start || before.end !== line.end)) {
      const periods = [line, before].map(({ start, end }) => `${time(start)} to ${time(end)}`)
      throw new ReportProblem(
        `line ${line.place}`,
        `${periods[0]} overlaps line ${before.place}, ${periods[1]}, of the same account, model and class`,
      )
    }
    if (before === undefined || line.end >= before.end) last.set(name, line)
  }
}

function time(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(':00.000Z', 'Z')
}

function ordered(lines: readonly ReportLine[]): OrderedLine[] {
  const counts = new Map<string, number>()
  const named = lines.map((line) => ({ line, about: aboutLine(line) }))
  named.sort((a, b) => compare(a.about, b.about) || compareFigures(a.line, b.line))
  return named.map(({ line, about }) => {
    const ordinal = counts.get(about) ?? 0
    counts.set(about, ordinal + 1)
    return { ...line, ordinal }
  })
}

function compare<T extends string | bigint>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function compareFigures(a: ReportLine, b: ReportLine): number {
  return compare(a.amount ?? 0n, b.amount ?? 0n) || compare(a.quantity ?? 0n, b.quantity ?? 0n)
}
