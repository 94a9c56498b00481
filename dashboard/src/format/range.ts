import { isoAt } from './time.ts'

export interface Range {
  from: string
  to: string
}

const MINUTE_MS = 60_000

/**
 * The same stretch one period earlier: equally long, and cut at the same time of the day. Cut at a whole `stepMs`, it
 * stays the same for a while and need not be asked for again with every refresh.
 */
export function rangeBefore({ from, to }: Range, periodMs: number, stepMs = 1): Range {
  const begin = millisecondsOf(from) - periodMs
  const end = millisecondsOf(to) - periodMs
  const cut = end - (end % stepMs)
  // Right after midnight nothing would be left of a day so far.
  return { from: isoAt(begin), to: isoAt(cut > begin ? cut : end) }
}

/** While another period loads, the former answer is still in sight: the two must not be compared. */
export function isComparable(now: Range, before: Range, periodMs: number, stepMs = 1): boolean {
  const expected = rangeBefore(now, periodMs)
  const late = millisecondsOf(expected.to) - millisecondsOf(before.to)
  return before.from === expected.from && Math.abs(late) < MINUTE_MS + stepMs
}

function millisecondsOf(at: string): number {
  return new Date(at).getTime()
}
