import type { CallKind } from '../attribution.ts'
import { withAmount } from './minute.ts'
import type { LoopState } from './session-state.ts'

/** A call that was answered. */
export interface Answered {
  /** Unix milliseconds. */
  now: number
  agent: string | null
  kind: CallKind | null
  /** As the provider counted them; null: it did not. */
  tokens: { prompt: number; cached: number } | null
  /** Null: the price is unknown. */
  usd: number | null
}

/** Other kinds of calls have prompts of their own, beside the conversation. */
const CONVERSING: ReadonlySet<CallKind | null> = new Set([null, 'main', 'subagent'])
const CACHED_SHARE = 0.1
/** Agents of a session whose growth is followed; the one that came first is forgotten first. */
const MOST_AGENTS = 64
const MINUTE_MS = 60_000

/** `leastTokens`: prompts with less do not count; null: growth is not watched. */
export function afterAnswer(state: LoopState, answered: Answered, leastTokens: number | null): LoopState {
  const spent = withSpent(state, answered)
  const { agent, kind, tokens } = answered
  if (leastTokens === null || tokens === null || !CONVERSING.has(kind)) return spent
  const last = state.growth.get(agent ?? '')
  const isCached = tokens.cached >= tokens.prompt * CACHED_SHARE
  const isCounted = !isCached && tokens.prompt >= leastTokens
  const isMore = last !== undefined && tokens.prompt > last.lastTokens
  const calls = isCounted ? (isMore ? last.calls + 1 : 1) : 0
  const growth = new Map([...state.growth, [agent ?? '', { calls, lastTokens: tokens.prompt }] as const])
  for (const oldest of growth.keys()) if (growth.size > MOST_AGENTS) growth.delete(oldest)
  return { ...spent, growth }
}

export function growthOf({ growth }: LoopState, agent: string | null): number {
  return growth.get(agent ?? '')?.calls ?? 0
}

function withSpent(state: LoopState, { now, usd }: Answered): LoopState {
  if (usd === null || usd <= 0) return state
  const { total } = state
  const minute = Math.floor(now / MINUTE_MS)
  const minutes = total.minutes + (minute === total.lastMinute ? 0 : 1)
  return {
    ...state,
    spent: withAmount(state.spent, now, usd),
    total: { usd: total.usd + usd, minutes, lastMinute: minute },
  }
}
