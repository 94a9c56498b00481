import { type Failure, failure } from '../../../domain/failure.ts'
import { type TokenUsage, tokenCount } from '../../../domain/pricing/usage.ts'
import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import { type Worded, worded } from '../../../domain/wording/worded.ts'
import type { Reading } from '../../family.ts'
import { answerTokens } from '../chat/response.ts'
import { statedIn, usesCounted } from '../chat/stated.ts'
import { tierPercent } from '../chat/tiers.ts'
import { failureFromErrorBody } from '../failure.ts'
import { usesIn } from './uses.ts'

/** Everything is kept as received. */
export function fromWire(body: unknown): Reading {
  if (!isJsonObject(body)) return unusable(worded`The provider answered with something other than a JSON object.`)
  const failed = failureOf(body)
  if (failed !== null) return { kind: 'failure', failure: failed }
  if (!Array.isArray(body['output'])) return unusable(worded`The provider answered without output.`)
  const { reason, warning } = endOf(body)
  const usage = usageOf(body)
  return { kind: 'answer', answer: { body, usage, finishReason: reason, warning } }
}

function unusable(message: Worded): Reading {
  return { kind: 'failure', failure: failure('upstream_error', message, 200, { retry: 'once' }) }
}

const REFUSALS: ReadonlySet<unknown> = new Set([
  'bio_policy',
  'misalignment_policy_violation',
  'image_content_policy_violation',
])
/** Errors that another attempt cannot change: the input is at fault. */
const BAD_INPUT = /image|data_residency/

/** Why a response is no answer; null: it is one. */
export function failureOf(response: JsonObject): Failure | null {
  const { error, status } = response
  if ((error ?? null) !== null) return failureFromErrorBody({ error: withKind(error) }) ?? UNNAMED
  switch (status) {
    case 'failed':
      return UNNAMED
    case 'cancelled':
      return failure('upstream_error', worded`The provider cancelled the response.`, 200, { retry: 'no' })
    case 'queued':
    case 'in_progress':
      return failure('upstream_error', worded`The provider answered before the response was complete.`, 200, {
        retry: 'no',
      })
    default:
      return null
  }
}

const UNNAMED = failure('upstream_error', worded`The provider ended its answer with an error.`, 200)

/** Errors of a response have only a code; the family classifies errors by type. */
function withKind(error: unknown): unknown {
  if (!isJsonObject(error)) return typeof error === 'string' ? error : {}
  const { code } = error
  if (REFUSALS.has(code)) return { ...error, code: 'content_filter' }
  if (typeof code === 'string' && BAD_INPUT.test(code)) return { type: 'invalid_request_error', ...error }
  return error
}

/** Why the answer ended, in the words of a completion. */
export function endOf(response: JsonObject): { reason: string; warning: string | null } {
  const { status, incomplete_details: details, output } = response
  if (status !== 'incomplete') return { reason: hasCall(output) ? 'tool_calls' : 'stop', warning: null }
  const reason = isJsonObject(details) ? details['reason'] : null
  if (reason === 'content_filter') return { reason, warning: null }
  const isKnown = reason === 'max_output_tokens'
  return { reason: 'length', warning: isKnown ? null : `incomplete for the reason '${String(reason).slice(0, 60)}'` }
}

function hasCall(output: unknown): boolean {
  if (!Array.isArray(output)) return false
  return output.some((item) => isJsonObject(item) && CALLS.has(item['type']))
}

const CALLS: ReadonlySet<unknown> = new Set(['function_call', 'custom_tool_call'])

/** `input_tokens` includes cached and written tokens; our classes do not overlap. Null: nothing was counted. */
export function usageOf({ usage, service_tier: tier, output, tools }: JsonObject): TokenUsage | null {
  if (!isJsonObject(usage)) return null
  const inputDetails = isJsonObject(usage['input_tokens_details']) ? usage['input_tokens_details'] : {}
  const input = tokenCount(usage['input_tokens'])
  const cachedInput = Math.min(tokenCount(inputDetails['cached_tokens']), input)
  const cacheWrite30m = Math.min(tokenCount(inputDetails['cache_write_tokens']), input - cachedInput)
  const tokens = answerTokens(usage['output_tokens'], usage['output_tokens_details'])
  tokens.input = input - cachedInput - cacheWrite30m
  tokens.cachedInput = cachedInput
  tokens.cacheWrite30m = cacheWrite30m
  tokens.pricePercent = tierPercent(tier)
  tokens.uses = usesIn(output, tools) ?? usesCounted(usage)
  tokens.stated = statedIn(usage)
  return tokens
}
