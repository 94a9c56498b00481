import {
  NO_USAGE,
  promptTokens,
  type TokenUsage,
  tokenCount,
  type Uses,
  withOutput,
} from '../../domain/pricing/usage.ts'
import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'
import { tierPercent } from './tiers.ts'

/**
 * Tokens by price class. The prompt's count includes what came from a cache and excludes what tools brought in; the
 * answer's excludes thoughts, which are never audio or images. `askedTier`: of the request, where the answer does not name one.
 */
export function usageFromWire(usage: JsonObject, askedTier: unknown): TokenUsage {
  const prompt = tokenCount(usage['promptTokenCount'])
  const cachedInput = Math.min(tokenCount(usage['cachedContentTokenCount']), prompt)
  const reasoning = tokenCount(usage['thoughtsTokenCount'])
  const heard = tokensOf('AUDIO', usage['promptTokensDetails']) - tokensOf('AUDIO', usage['cacheTokensDetails'])
  const made = usage['candidatesTokensDetails']
  const parts = { ...NO_USAGE, audioOutput: tokensOf('AUDIO', made), imageOutput: tokensOf('IMAGE', made) }
  const answer = withOutput(parts, tokenCount(usage['candidatesTokenCount']))
  const audioInput = Math.min(Math.max(0, heard), prompt - cachedInput)
  return {
    ...answer,
    input: prompt - cachedInput - audioInput + tokenCount(usage['toolUsePromptTokenCount']),
    cachedInput,
    audioInput,
    output: answer.output + reasoning,
    reasoning,
    pricePercent: tierPercent(usage['trafficType'] ?? usage['serviceTier'] ?? askedTier),
  }
}

/** Adds what a candidate searched for: the same text twice is one query, an empty one none. */
export function addQueries(queries: Set<string>, grounding: unknown): void {
  const asked = isJsonObject(grounding) ? grounding['webSearchQueries'] : null
  if (Array.isArray(asked)) for (const query of asked) if (typeof query === 'string' && query !== '') queries.add(query)
}

/** How a model pays for them, by query or once, its price says. */
export function searchUses({ size }: ReadonlySet<string>): Uses | null {
  return size === 0 ? null : { google_search: size }
}

/** Of a count by modality. */
function tokensOf(modality: string, details: unknown): number {
  if (!Array.isArray(details)) return 0
  const found = details.filter((each: unknown) => isJsonObject(each) && each['modality'] === modality)
  return found.reduce((sum: number, each: JsonObject) => sum + tokenCount(each['tokenCount']), 0)
}

/** The `usage` of a completion; details only when they have a value. */
export function completionUsage(usage: TokenUsage): JsonObject {
  const prompt = promptTokens(usage)
  const result: JsonObject = {
    prompt_tokens: prompt,
    completion_tokens: usage.output,
    total_tokens: prompt + usage.output,
  }
  if (usage.cachedInput > 0) result['prompt_tokens_details'] = { cached_tokens: usage.cachedInput }
  const parts = { reasoning_tokens: usage.reasoning, audio_tokens: usage.audioOutput, image_tokens: usage.imageOutput }
  const counted = Object.entries(parts).filter(([, tokens]) => tokens > 0)
  if (counted.length > 0) result['completion_tokens_details'] = Object.fromEntries(counted)
  return result
}
