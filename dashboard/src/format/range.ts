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
  const end = millisecondsOf(to) - periodMs
  return { from: isoAt(millisecondsOf(from) - periodMs), to: isoAt(end - (end % stepMs)) }
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
