import type { LoopState } from '../../domain/loops/session-state.ts'
import { usualUsd } from '../../domain/loops/usual.ts'
import { KnownSessions } from '../attribution/known-sessions.ts'

export const MOST_OF_CALLER = 1_000
export const MOST_IN_ALL = 20_000
const IDLE_MS = 86_400_000

export class LoopSessions extends KnownSessions<LoopState> {
  constructor(most = MOST_IN_ALL) {
    super({ mostOfCaller: MOST_OF_CALLER, most, idleMs: IDLE_MS })
  }

  /** What the other sessions of a caller usually spend in a minute; null: too few are known. */
  usualUsd(caller: string, session: string): number | null {
    return usualUsd(this.othersOf(caller, session))
  }
}
