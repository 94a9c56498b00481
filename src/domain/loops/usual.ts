import type { LoopState } from './session-state.ts'

/** With fewer, one that is dear by its nature would decide. */
export const LEAST_SESSIONS = 5
/** The most recent ones say what is usual. */
const MOST_SESSIONS = 64

/** What a session spends in a minute in which it spends at all: the median of those given, the oldest first. */
export function usualUsd(sessions: Iterable<Pick<LoopState, 'total'>>): number | null {
  const rates: number[] = []
  for (const { total } of sessions) if (total.minutes > 0) rates.push(total.usd / total.minutes)
  const recent = rates.slice(-MOST_SESSIONS).sort((a, b) => a - b)
  if (recent.length < LEAST_SESSIONS) return null
  const middle = Math.floor(recent.length / 2)
  const [low = 0, high = 0] = [recent[recent.length % 2 === 0 ? middle - 1 : middle], recent[middle]]
  return (low + high) / 2
}
