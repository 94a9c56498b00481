import { isoAt } from './time.ts'

export interface Range {
  from: string
  to: string
}

const MINUTE_MS = 60_000

/** The same stretch one period earlier: equally long, and cut at the same time of the day. */
export function rangeBefore({ from, to }: Range, periodMs: number): Range {
  return { from: earlier(from, periodMs), to: earlier(to, periodMs) }
}

/** While another period loads, the former answer is still in sight: the two must not be compared. */
export function isComparable(now: Range, before: Range, periodMs: number): boolean {
  const expected = rangeBefore(now, periodMs)
  return before.from === expected.from && Math.abs(millisecondsOf(before.to) - millisecondsOf(expected.to)) < MINUTE_MS
}

function earlier(at: string, milliseconds: number): string {
  return isoAt(millisecondsOf(at) - milliseconds)
}

function millisecondsOf(at: string): number {
  return new Date(at).getTime()
}
