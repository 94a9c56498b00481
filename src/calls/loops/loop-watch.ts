import { randomBytes } from 'node:crypto'
import { type Answered, afterAnswer } from '../../domain/loops/growth.ts'
import { type Incoming, type Judged, judgeCall } from '../../domain/loops/judge.ts'
import { freshState, type Stop } from '../../domain/loops/session-state.ts'
import type { LoopSettings } from '../../domain/loops/settings.ts'
import { LoopSessions } from './loop-sessions.ts'

/** A session of a caller was stopped; its other threads learn of it. */
export interface StopNews {
  caller: string
  session: string
  resumedAt: number
  stop: Stop
}

export interface LoopWatchOptions {
  /** Sessions that are remembered. */
  most: number
  now(): number
  onStop(news: StopNews): void
}

export interface SessionOf {
  /** A key, or who shares it by a token. */
  caller: string
  /** Null: nothing names the session. */
  session: string | null
}

/** Whether sessions loop, as this thread sees them; stops are known to all threads of a gateway. */
export class LoopWatch {
  /** Hashes of tool calls mean nothing elsewhere. */
  readonly salt = randomBytes(16).toString('base64url')
  readonly #sessions: LoopSessions
  readonly #now: () => number
  readonly #onStop: LoopWatchOptions['onStop']

  constructor({ most, now, onStop }: LoopWatchOptions) {
    this.#sessions = new LoopSessions(most)
    this.#now = now
    this.#onStop = onStop
  }

  get size(): number {
    return this.#sessions.size
  }

  judge({ caller, session }: SessionOf, call: Omit<Incoming, 'now' | 'usualUsd'>, settings: LoopSettings): Judged {
    const now = this.#now()
    const name = session ?? conversationName(call.tools.first)
    const known = name === null ? null : this.#sessions.stateOf(caller, name)
    const isSpending = settings.spend_times_usual !== undefined && known !== null && name !== null
    const usualUsd = isSpending ? this.#sessions.usualUsd(caller, name) : null
    const judged = judgeCall(known, { ...call, now, usualUsd }, settings)
    if (name === null) return judged
    const { state } = judged
    this.#sessions.keep(caller, name, state, now)
    if (state.stop !== null && state.stop !== known?.stop) {
      this.#onStop({ caller, session: name, resumedAt: state.resumedAt, stop: state.stop })
    }
    return judged
  }

  /** `firstTool`: of the conversation, where nothing names its session. */
  answered(
    { caller, session }: SessionOf,
    firstTool: string | null,
    answer: Omit<Answered, 'now'>,
    settings: LoopSettings,
  ): void {
    const name = session ?? conversationName(firstTool)
    const state = name === null ? null : this.#sessions.stateOf(caller, name)
    if (name === null || state === null) return
    const now = this.#now()
    const leastTokens = settings.context_growth?.tokens ?? null
    this.#sessions.keep(caller, name, afterAnswer(state, { ...answer, now }, leastTokens), now)
  }

  /** Another thread has stopped it. A person may have resumed it in the meantime. */
  adopt({ caller, session, resumedAt, stop }: StopNews): void {
    const state = this.#sessions.stateOf(caller, session) ?? freshState(resumedAt)
    if (state.resumedAt <= resumedAt) this.#sessions.keep(caller, session, { ...state, stop }, this.#now())
  }
}

/** No name of a session begins with a space. */
function conversationName(firstTool: string | null): string | null {
  return firstTool === null ? null : ` ${firstTool}`
}
