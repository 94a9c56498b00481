import { cacheWriteTokens, promptTokens, type TokenUsage } from '../../domain/pricing/usage.ts'
import type { Stamp } from '../../domain/request/answer.ts'
import type { JsonObject } from '../../domain/request/call-request.ts'
import type { ResponsesRequest } from '../../domain/request/responses.ts'
import { settingsOf } from './settings.ts'

/** The state of a translated answer. */
export interface State {
  status: 'in_progress' | 'completed' | 'incomplete' | 'failed'
  output: JsonObject[]
  usage: JsonObject | null
  incomplete?: string | null
  error?: JsonObject
}

/**
 * A translated answer. It does not repeat instructions and tools: the thread that writes it may know only an outline of
 * the request.
 */
export function responseObject(request: ResponsesRequest, { id, created, model }: Stamp, state: State): JsonObject {
  const { status, output, usage, incomplete = null, error = null } = state
  return {
    id,
    object: 'response',
    created_at: created,
    status,
    background: false,
    error,
    incomplete_details: incomplete === null ? null : { reason: incomplete },
    instructions: null,
    model,
    output,
    previous_response_id: null,
    store: false,
    tools: [],
    ...settingsOf(request),
    usage,
  }
}

/** Why an answer is incomplete, by the finish reason of a completion; null: it is complete. */
export function incompleteReason(finishReason: string | null): string | null {
  if (finishReason === 'length') return 'max_output_tokens'
  return finishReason === 'content_filter' ? 'content_filter' : null
}

/** Clients require both objects of details. */
export function usageBody(usage: TokenUsage): JsonObject {
  const input = promptTokens(usage)
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage.cachedInput, cache_write_tokens: cacheWriteTokens(usage) },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: input + usage.output,
  }
}
