import { cacheWriteTokens, NO_USAGE, promptTokens, type TokenUsage, tokenCount } from '../../domain/pricing/usage.ts'
import type { JsonObject } from '../../domain/request/call-request.ts'
import { reportedPercent } from './account-defaults.ts'
import type { WireUsage } from './wire.ts'

/** Tokens by price class. `input_tokens` already excludes both cache classes. */
export function usageFromWire(usage: WireUsage | null | undefined): TokenUsage {
  if (usage === null || usage === undefined) return NO_USAGE
  return {
    ...NO_USAGE,
    input: tokenCount(usage.input_tokens),
    cachedInput: tokenCount(usage.cache_read_input_tokens),
    ...cacheWrites(usage),
    output: tokenCount(usage.output_tokens),
    reasoning: tokenCount(usage.output_tokens_details?.thinking_tokens),
    pricePercent: reportedPercent(usage),
  }
}

/** The split may be missing: then all writes have the default lifetime. Its parts never exceed the total. */
function cacheWrites(usage: WireUsage): Pick<TokenUsage, 'cacheWrite5m' | 'cacheWrite1h'> {
  const short = tokenCount(usage.cache_creation?.ephemeral_5m_input_tokens)
  const long = tokenCount(usage.cache_creation?.ephemeral_1h_input_tokens)
  const total = tokenCount(usage.cache_creation_input_tokens) || short + long
  const cacheWrite1h = Math.min(long, total)
  return { cacheWrite5m: total - cacheWrite1h, cacheWrite1h }
}

/** The `usage` of a completion; details only when they have a value. */
export function completionUsage(usage: TokenUsage): JsonObject {
  const prompt = promptTokens(usage)
  const written = cacheWriteTokens(usage)
  const result: JsonObject = {
    prompt_tokens: prompt,
    completion_tokens: usage.output,
    total_tokens: prompt + usage.output,
  }
  if (usage.cachedInput > 0 || written > 0) {
    result['prompt_tokens_details'] = { cached_tokens: usage.cachedInput, cache_write_tokens: written }
  }
  if (usage.reasoning > 0) result['completion_tokens_details'] = { reasoning_tokens: usage.reasoning }
  return result
}
