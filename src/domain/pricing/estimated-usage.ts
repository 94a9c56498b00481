import type { UsageSource } from '../log/stream-words.ts'
import { NO_USAGE, promptTokens, type TokenUsage, withOutput } from './usage.ts'

/** What is known of an answer whose tokens were not counted to the end. */
export interface Uncounted {
  /** What the provider has counted so far; null: nothing. */
  counted: TokenUsage | null
  /** Tokens of the prompt: an estimate, and a bound if there is one. `held`: counts in their place. */
  prompt: { likely: number; most: number | null; held?: Partial<TokenUsage> | null }
  /** Pieces of generated text that arrived, their characters and UTF-8 bytes. */
  received: { deltas: number; characters: number; bytes: number }
  /** The most output that was asked for; null: not bounded. */
  mostOutput: number | null
}

export interface EstimatedUsage {
  source: Exclude<UsageSource, 'provider'>
  usage: TokenUsage
  /** What is certain, and what is possible at most. */
  least: TokenUsage
  most: TokenUsage
}

/** Usual English text and code; other scripts have fewer bytes a token. */
const LATIN_BYTES_PER_TOKEN = 4
const OTHER_BYTES_PER_TOKEN = 2

/** The cost of a call is never zero because its last event did not come, and never more than what was asked for. */
export function estimateUsage({ counted, prompt, received, mostOutput }: Uncounted): EstimatedUsage {
  const isPromptCounted = counted !== null && promptTokens(counted) > 0
  const held = isPromptCounted ? null : (prompt.held ?? null)
  const input = (tokens: number): TokenUsage => (isPromptCounted ? counted : { ...NO_USAGE, ...counted, input: tokens })
  const known = held === null ? null : { ...NO_USAGE, ...counted, ...held }
  const bound = mostOutput ?? Number.POSITIVE_INFINITY
  const least = Math.min(Math.max(received.deltas, counted?.output ?? 0), bound)
  const perToken = received.bytes > 1.5 * received.characters ? OTHER_BYTES_PER_TOKEN : LATIN_BYTES_PER_TOKEN
  const likely = Math.min(Math.max(least, Math.ceil(received.bytes / perToken)), bound)
  const most = mostOutput ?? Math.max(likely, received.bytes)
  return {
    source: isPromptCounted ? 'provider_partial' : held === null ? 'estimated' : 'prompt_held',
    usage: withOutput(known ?? input(prompt.likely), likely),
    least: withOutput(input(0), least),
    most: withOutput(known ?? input(Math.max(prompt.likely, prompt.most ?? 0)), most),
  }
}
