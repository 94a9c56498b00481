import { failure } from '../../../domain/failure.ts'
import { NO_USAGE, type TokenUsage, tokenCount, withOutput } from '../../../domain/pricing/usage.ts'
import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import { type Worded, worded } from '../../../domain/wording/worded.ts'
import type { Reading } from '../../family.ts'
import { failureFromErrorBody } from '../failure.ts'
import { statedIn, usesCounted } from './stated.ts'
import { tierPercent } from './tiers.ts'

/** Everything is kept as received; `object`, `created` and `usage` are filled in where a server left them out. */
export function fromWire(body: unknown): Reading {
  if (!isJsonObject(body)) return unusable(worded`The provider answered with something other than a JSON object.`)
  const choices = body['choices']
  if (!Array.isArray(choices)) {
    const failed = failureFromErrorBody(body)
    if (failed !== null) return { kind: 'failure', failure: failed }
    return unusable(worded`The provider answered without choices.`)
  }
  const usage = isJsonObject(body['usage']) ? usageFromWire(body['usage'], body['service_tier']) : null
  return {
    kind: 'answer',
    answer: { body: completed(body), usage, finishReason: finishReason(choices), warning: null },
  }
}

function completed(body: JsonObject): JsonObject {
  const { object, usage } = body
  if ((object ?? null) !== null && (usage ?? null) !== null) return body
  const nothing = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }
  return { ...body, object: object ?? 'chat.completion', usage: usage ?? nothing }
}

function unusable(message: Worded): Reading {
  return { kind: 'failure', failure: failure('upstream_error', message, 200, { retry: 'once' }) }
}

/** Words of compatible servers that clients do not know. */
export const FINISH_REASONS: ReadonlyMap<string, string> = new Map([
  ['eos', 'stop'],
  ['model_length', 'length'],
])

function finishReason(choices: unknown[]): string | null {
  const first = choices[0]
  const reason = isJsonObject(first) ? first['finish_reason'] : null
  return typeof reason === 'string' ? reason : null
}

/** `prompt_tokens` includes cached and written tokens; our classes do not overlap. */
export function usageFromWire(value: unknown, serviceTier: unknown): TokenUsage {
  const usage = isJsonObject(value) ? value : {}
  const promptDetails = isJsonObject(usage['prompt_tokens_details']) ? usage['prompt_tokens_details'] : {}
  const prompt = tokenCount(usage['prompt_tokens'])
  const cachedInput = Math.min(tokenCount(promptDetails['cached_tokens']), prompt)
  const cacheWrite30m = Math.min(tokenCount(promptDetails['cache_write_tokens']), prompt - cachedInput)
  const audioInput = Math.min(tokenCount(promptDetails['audio_tokens']), prompt - cachedInput - cacheWrite30m)
  const tokens = answerTokens(usage['completion_tokens'], usage['completion_tokens_details'])
  tokens.input = prompt - cachedInput - cacheWrite30m - audioInput
  tokens.audioInput = audioInput
  tokens.cachedInput = cachedInput
  tokens.cacheWrite30m = cacheWrite30m
  tokens.pricePercent = tierPercent(serviceTier)
  tokens.uses = usesCounted(usage)
  tokens.stated = statedIn(usage)
  return tokens
}

/** Usage of nothing but an answer. Images are counted by compatible servers only. */
export function answerTokens(count: unknown, details: unknown): TokenUsage {
  const parts = isJsonObject(details) ? details : {}
  const usage = { ...NO_USAGE }
  usage.reasoning = tokenCount(parts['reasoning_tokens'])
  usage.audioOutput = tokenCount(parts['audio_tokens'])
  usage.imageOutput = tokenCount(parts['image_tokens'])
  return withOutput(usage, tokenCount(count))
}
