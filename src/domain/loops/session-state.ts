import { type Minute, NOTHING_YET } from './minute.ts'
import type { LoopSignal } from './signals.ts'

/** Calls of one agent in a row that each sent more than the one before, almost none of it cached. */
interface Growth {
  calls: number
  lastTokens: number
}

/** What is known of a session: a value of hashes and figures. */
export interface LoopState {
  /** When a person last resumed it, Unix milliseconds; 0: never. */
  resumedAt: number
  /** After a stop: by conversation, the tool call up to which repetition is forgiven. Null: it was never stopped. */
  forgiven: ReadonlyMap<string, string> | null
  calls: Minute
  /** USD. */
  spent: Minute
  /** All it has spent, and the minutes in which it did. */
  total: { usd: number; minutes: number; lastMinute: number }
  /** By agent. */
  growth: ReadonlyMap<string, Growth>
  /** While it is slowed down, another call passes from then on. */
  nextAt: number
  stop: Stop | null
}

export interface Stop {
  signal: LoopSignal
  used: number
  limit: number
  /** Unix milliseconds. */
  until: number
}

const NO_GROWTH: ReadonlyMap<string, Growth> = new Map()
const NO_TOTAL = { usd: 0, minutes: 0, lastMinute: 0 }

/** Of a session that was resumed, only what it costs in all is still known. */
export function freshState(resumedAt: number, before: LoopState | null = null): LoopState {
  return {
    resumedAt,
    forgiven: resumedAt === 0 ? null : new Map(),
    calls: NOTHING_YET,
    spent: NOTHING_YET,
    total: before?.total ?? NO_TOTAL,
    growth: NO_GROWTH,
    nextAt: 0,
    stop: null,
  }
}
