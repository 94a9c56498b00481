import { cacheWriteTokens, type TokenUsage } from '../../domain/pricing/usage.ts'
import type { JsonObject } from '../../domain/request/call-request.ts'

/** Classes do not overlap here, as in ours. */
export function messageUsage(usage: TokenUsage): JsonObject {
  return {
    input_tokens: usage.input,
    cache_creation_input_tokens: cacheWriteTokens(usage),
    cache_read_input_tokens: usage.cachedInput,
    output_tokens: usage.output,
  }
}
