import type { UsageSource } from '../../domain/log/stream-words.ts'
import { estimateUsage } from '../../domain/pricing/estimated-usage.ts'
import { costOf, dearestPromptClass } from '../../domain/pricing/price.ts'
import type { TokenUsage } from '../../domain/pricing/usage.ts'
import type { StreamUsage } from '../../domain/request/stream.ts'
import type { Candidate } from '../chain/assess.ts'
import { promptBound } from '../chain/chain-hold.ts'
import type { Resolved } from '../stages.ts'

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
export function usageOf(arrived: Arrived, candidate: Candidate, call: Pick<Resolved, 'body' | 'snapshot'>): Use {
  const { counted, deltas, bytes, otherBytes } = arrived
  if (counted?.isFinal === true) return countedUse(counted.tokens, counted.source, counted.orTokens, candidate, call)
  const { promptTokens, length } = call.body
  const most = promptBound(candidate, promptTokens)
  const { usage, source, ...bounds } = estimateUsage({
    counted: counted?.tokens ?? null,
    prompt: {
      likely: promptTokens.likely ?? Math.ceil((length ?? 0) / 4),
      most,
      held: most === null ? null : heldPrompt(most, candidate, call),
    },
    received: { deltas, characters: bytes - otherBytes, bytes },
    mostOutput: mostOutputOf(candidate),
  })
  const { heldPercent, expectedPercent } = candidate
  // As long as no answer has told what the account charges, this one may cost as much as is held.
  if (heldPercent > expectedPercent) bounds.most = { ...bounds.most, pricePercent: heldPercent }
  return { usage, usageSource: source, bounds }
}

/** What an answer used; the tokens that stand for it, where only those have a price. */
export function countedUse(
  usage: TokenUsage,
  source: UsageSource | undefined,
  orTokens: TokenUsage | undefined,
  { entry }: Pick<Candidate, 'entry'>,
  { snapshot }: Pick<Resolved, 'snapshot'>,
): Use {
  const price = orTokens === undefined ? undefined : snapshot.registry.get(entry.provider)?.get(entry.model)?.price
  const isByTokens = price !== undefined && price.base !== null && costOf(usage, price) === null
  if (orTokens === undefined || !isByTokens) return { usage, usageSource: source ?? 'provider', bounds: null }
  return { usage: orTokens, usageSource: 'estimated', bounds: null }
}

/**
 * Under a hard budget, a prompt whose size its bytes do not show is charged as held: a caller who leaves before usage
 * arrives would otherwise pay almost nothing. Null: the bytes show it, or no hard budget applies.
 */
function heldPrompt(tokens: number, candidate: Candidate, { body, snapshot }: Pick<Resolved, 'body' | 'snapshot'>) {
  const { destination, entry, heldPercent } = candidate
  const price = snapshot.registry.get(entry.provider)?.get(entry.model)?.price
  if (destination.isStrict !== true || !body.promptTokens.isOpaque || price === undefined) return null
  return { [dearestPromptClass(price, tokens)]: tokens, pricePercent: heldPercent }
}

/** The most output that was asked for; null: not bounded. */
export function mostOutputOf({ bounds: { outputTokens, answers }, traits }: Candidate): number | null {
  const perAnswer = outputTokens ?? traits.maxOutputTokens
  return perAnswer === null ? null : perAnswer * answers
}
