import type { RequestBody } from '../../bodies/request-body.ts'
import type { UsageSource } from '../../domain/log/stream-words.ts'
import { estimateUsage } from '../../domain/pricing/estimated-usage.ts'
import type { TokenUsage } from '../../domain/pricing/usage.ts'
import type { StreamUsage } from '../../domain/request/stream.ts'
import type { Candidate } from '../chain/assess.ts'

export interface Use {
  usage: TokenUsage
  usageSource: UsageSource
  /** Of an estimate. */
  bounds: { least: TokenUsage; most: TokenUsage } | null
}

/** What is known of an answer when it ended. */
export interface Arrived {
  counted: StreamUsage | null
  deltas: number
  bytes: number
  /** Those of the bytes beyond one a character. */
  otherBytes: number
}

/** The provider's count if it counted the whole answer, else an estimate within bounds. */
export function usageOf({ counted, deltas, bytes, otherBytes }: Arrived, candidate: Candidate, body: RequestBody): Use {
  if (counted?.isFinal === true) return { usage: counted.tokens, usageSource: 'provider', bounds: null }
  const { usage, source, ...bounds } = estimateUsage({
    counted: counted?.tokens ?? null,
    prompt: { likely: body.promptTokens.likely ?? Math.ceil((body.length ?? 0) / 4), most: body.promptTokens.most },
    received: { deltas, characters: bytes - otherBytes, bytes },
    mostOutput: mostOutputOf(candidate),
  })
  return { usage, usageSource: source, bounds }
}

/** The most output that was asked for; null: not bounded. */
export function mostOutputOf({ bounds: { outputTokens, answers }, traits }: Candidate): number | null {
  const perAnswer = outputTokens ?? traits.maxOutputTokens
  return perAnswer === null ? null : perAnswer * answers
}
