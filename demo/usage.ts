import type { Random } from '../simulator/random.ts'
import type { TokenUsage } from '../src/domain/pricing/usage.ts'
import { NO_USAGE } from '../src/domain/pricing/usage.ts'
import type { Application } from './applications.ts'
import { lognormal } from './draw.ts'
import { paceOf } from './models.ts'

/** What one call asks for, before its provider is chosen. */
export interface Ask {
  promptTokens: number
  answerTokens: number
  /** Prompt tokens that an earlier call has put into the cache. */
  cachedTokens: number
  isCacheWritten: boolean
}

/** Providers cache prompts of at least this size. */
const SHORTEST_CACHED = 1_024
const CACHE_STEP = 128

/** `longest` fits into every model that may serve the call. */
export function drawAsk({ prompt, answer, cached }: Application, longest: number, random: Random): Ask {
  const promptTokens = Math.floor(Math.min(longest, lognormal(random, prompt, 0.8))) + 1
  const answerTokens = Math.min(4_000, Math.ceil(lognormal(random, answer, 0.55)))
  const isCached = promptTokens >= SHORTEST_CACHED && random() < cached
  const share = 0.45 + 0.45 * random()
  const cachedTokens = isCached ? Math.floor((promptTokens * share) / CACHE_STEP) * CACHE_STEP : 0
  return { promptTokens, answerTokens, cachedTokens, isCacheWritten: !isCached && random() < cached / 3 }
}

/** What the provider counts. `writesCache`: the family bills cache writes. */
export function usageOf(ask: Ask, model: string, writesCache: boolean): TokenUsage {
  const { promptTokens, answerTokens, cachedTokens } = ask
  const written = writesCache && ask.isCacheWritten ? Math.floor(promptTokens / 2) : 0
  const reasoning = Math.round(answerTokens * paceOf(model).thought)
  return {
    ...NO_USAGE,
    input: promptTokens - cachedTokens - written,
    cachedInput: cachedTokens,
    cacheWrite5m: written,
    output: answerTokens + reasoning,
    reasoning,
  }
}
