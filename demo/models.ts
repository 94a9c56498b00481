import type { Random } from '../simulator/random.ts'
import { lognormal } from './draw.ts'

/** How a model answers. */
interface Pace {
  /** Until the first token. */
  firstMs: number
  msPerToken: number
  /** Reasoning tokens for each token of the answer. */
  thought: number
}

const PACES: readonly (readonly [beginning: string, Pace])[] = [
  ['claude-opus', { firstMs: 900, msPerToken: 6.5, thought: 0.6 }],
  ['claude-fable', { firstMs: 1200, msPerToken: 6.5, thought: 0.8 }],
  ['claude-sonnet', { firstMs: 650, msPerToken: 5.5, thought: 0.2 }],
  ['claude-haiku', { firstMs: 350, msPerToken: 4, thought: 0 }],
  ['gpt-6-astra', { firstMs: 1500, msPerToken: 5.5, thought: 1.2 }],
  ['gpt-6.1-sol', { firstMs: 1000, msPerToken: 5.5, thought: 0.8 }],
  ['gpt-6.1-terra', { firstMs: 700, msPerToken: 6, thought: 0.3 }],
  ['gpt-5.4-mini', { firstMs: 420, msPerToken: 4, thought: 0.1 }],
  ['gpt-sim-', { firstMs: 140, msPerToken: 0, thought: 0 }],
  ['llama', { firstMs: 180, msPerToken: 9, thought: 0 }],
]
const USUAL: Pace = { firstMs: 320, msPerToken: 4, thought: 0 }

export function paceOf(model: string): Pace {
  return PACES.find(([beginning]) => model.startsWith(beginning))?.[1] ?? USUAL
}

/** How long an answer of this many tokens takes, reasoning included, in milliseconds. */
export function answerMs(model: string, tokens: number, random: Random): number {
  const { firstMs, msPerToken, thought } = paceOf(model)
  const written = tokens * (1 + thought)
  return Math.round(lognormal(random, firstMs, 0.35) + written * lognormal(random, msPerToken, 0.2))
}

/** Events of the simulator have about this many tokens. */
const EVENT_TOKENS = 3

/** How a stream of the model comes: thinking before its first content, then event by event. */
export function streamPace(model: string): { firstMs: number; gapMs: number } {
  const { firstMs, msPerToken } = paceOf(model)
  return { firstMs, gapMs: Math.max(20, msPerToken * EVENT_TOKENS * 2) }
}
