import type { ReportLine } from './line.ts'
import { aboutLine, type OrderedLine } from './read-report.ts'

export interface StoredLine extends OrderedLine {
  lineId: string
  source: string
}

export interface Merge {
  insert: OrderedLine[]
  /** Ids of stored lines. */
  remove: string[]
  unchanged: number
  /** What is stored and what the file says instead; empty where the file replaces it. */
  conflicts: { stored: StoredLine; given: OrderedLine }[]
}

/**
 * A file against what was imported before: the same lines change nothing, new ones are added, other figures for the same
 * thing collide. To replace is to take the file's word for its days and accounts, as long as it is the same source.
 */
export function mergeLines(
  stored: readonly StoredLine[],
  given: readonly OrderedLine[],
  { source, replaces }: { source: string; replaces: boolean },
): Merge {
  const own = stored.filter((line) => line.source === source)
  const byName = new Map(own.map((line) => [nameOf(line), line]))
  const same = new Set<OrderedLine>()
  const kept = new Set<StoredLine>()
  for (const line of given) {
    const before = byName.get(nameOf(line))
    if (before === undefined || !isSame(before, line)) continue
    same.add(line)
    kept.add(before)
  }
  const fresh = given.filter((line) => !same.has(line))
  const other = collisions(
    stored.filter((line) => line.source !== source && isCost(line)),
    fresh.filter(isCost),
    () => '',
  )
  const colliding = collisions(
    own.filter((line) => !kept.has(line)),
    fresh,
    subjectOf,
  )
  const base = { insert: fresh, unchanged: same.size }
  if (!replaces || other.length > 0) {
    const remaining = replaces ? other : [...other, ...colliding]
    return { ...base, remove: [], conflicts: remaining }
  }
  const replaced = own.filter((line) => !kept.has(line) && isCovered(line, given))
  return { ...base, remove: replaced.map(({ lineId }) => lineId), conflicts: [] }
}

function nameOf(line: OrderedLine): string {
  return `${aboutLine(line)} ${line.ordinal}`
}

function isSame(a: ReportLine, b: ReportLine): boolean {
  return a.quantity === b.quantity && a.amount === b.amount && a.requests === b.requests
}

const isCost = ({ amount }: ReportLine) => amount !== null

function subjectOf(line: ReportLine): string {
  return JSON.stringify([line.account, line.model, line.tier, line.class, isCost(line)])
}

/** Pairs about the same subject whose periods overlap. */
function collisions(
  stored: readonly StoredLine[],
  given: readonly OrderedLine[],
  subject: (line: ReportLine) => string,
): Merge['conflicts'] {
  const bySubject = Map.groupBy(stored, subject)
  return given.flatMap((line) => {
    const before = bySubject.get(subject(line))?.find(({ start, end }) => start < line.end && end > line.start)
    return before === undefined ? [] : [{ stored: before, given: line }]
  })
}

/** The file says something about this account in this period. */
function isCovered(line: StoredLine, given: readonly OrderedLine[]): boolean {
  return given.some(
    ({ start, end, account, amount }) =>
      account === line.account && (amount === null) === (line.amount === null) && start < line.end && end > line.start,
  )
}
