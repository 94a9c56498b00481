import type { Attributes } from '@opentelemetry/api'
import {
  ATTR_ERROR_TYPE,
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_HTTP_RESPONSE_STATUS_CODE,
  ATTR_HTTP_ROUTE,
} from '@opentelemetry/semantic-conventions'
import {
  ATTR_GEN_AI_CONVERSATION_ID,
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_PROVIDER_NAME,
  ATTR_GEN_AI_REQUEST_MODEL,
  ATTR_GEN_AI_REQUEST_STREAM,
  ATTR_GEN_AI_RESPONSE_FINISH_REASONS,
  ATTR_GEN_AI_RESPONSE_MODEL,
  ATTR_GEN_AI_RESPONSE_TIME_TO_FIRST_CHUNK,
  ATTR_GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_OUTPUT_TOKENS,
  ATTR_GEN_AI_USAGE_REASONING_OUTPUT_TOKENS,
} from '@opentelemetry/semantic-conventions/incubating'
import { cacheWriteTokens, promptTokens, type TokenUsage } from '../../domain/pricing/usage.ts'
import type { TracedAttempt, TracedCall, TracedEndpoint } from '../tracing.ts'

/** The name that the conventions have for a provider, by its name here. */
export type ConventionName = (provider: string) => string

/** They end a call or an attempt, and nothing has failed. */
const NO_FAILURES: ReadonlySet<string> = new Set(['caller_left', 'hedge_lost'])

export function isFailure(code: string | null): boolean {
  return code !== null && !NO_FAILURES.has(code)
}

/** Endpoints whose operation has another name there: counting tokens generates nothing. */
const OPERATIONS: Readonly<Record<string, string>> = {
  count_tokens: 'count_tokens',
  count_content_tokens: 'count_tokens',
  completions: 'text_completion',
}

export function operationOf({ name, operation }: TracedEndpoint): string {
  return OPERATIONS[name] ?? operation
}

/** The name of a span. A model's name can be any text from a caller. */
export function nameOf(operation: string, model: string | null): string {
  return model === null ? operation : short(`${operation} ${model}`)
}

/** The same for every call of an endpoint. */
export function headAttributes(endpoint: TracedEndpoint): Attributes {
  return {
    [ATTR_HTTP_REQUEST_METHOD]: 'POST',
    [ATTR_HTTP_ROUTE]: endpoint.path,
    [ATTR_GEN_AI_OPERATION_NAME]: operationOf(endpoint),
  }
}

export function callAttributes(row: TracedCall, conventionName: ConventionName): Attributes {
  const { provider, firstContentMs, finishReason } = row
  return known({
    ...identityAttributes(row),
    ...outcomeAttributes(row),
    ...(provider === null ? {} : { [ATTR_GEN_AI_PROVIDER_NAME]: conventionName(provider) }),
    ...(row.usage === null ? {} : usageAttributes(row.usage)),
    [ATTR_GEN_AI_REQUEST_MODEL]: row.requestedModel ?? undefined,
    [ATTR_GEN_AI_RESPONSE_MODEL]: row.model ?? undefined,
    [ATTR_GEN_AI_REQUEST_STREAM]: row.streamed,
    [ATTR_GEN_AI_CONVERSATION_ID]: row.session ?? undefined,
    [ATTR_GEN_AI_RESPONSE_FINISH_REASONS]: finishReason === null ? undefined : [finishReason],
    [ATTR_GEN_AI_RESPONSE_TIME_TO_FIRST_CHUNK]: firstContentMs === null ? undefined : firstContentMs / 1000,
    'switchyard.route': row.route ?? undefined,
    'switchyard.provider': provider ?? undefined,
    'switchyard.fallback': row.fallback,
    // For graphs; the row has the exact figure.
    'switchyard.cost_usd': usd(row.costPicodollars),
    // Not in the conventions, but what receivers take for the cost.
    'gen_ai.usage.cost': usd(row.costPicodollars),
    'switchyard.usage_source': row.usageSource ?? undefined,
    'switchyard.cache': row.cache ?? undefined,
    'switchyard.saved_usd': usd(row.savedPicodollars),
    'switchyard.answer_of': row.answerOf ?? undefined,
  })
}

function usd(picodollars: string | null): number | undefined {
  return picodollars === null ? undefined : Number(picodollars) / 1e12
}

export function identityAttributes({ id, workspace, keyId }: Pick<TracedCall, 'id' | 'workspace' | 'keyId'>) {
  return { 'switchyard.request_id': id, 'switchyard.workspace': workspace, 'switchyard.key_id': keyId }
}

export function attemptAttributes(
  attempt: TracedAttempt,
  operation: string,
  conventionName: ConventionName,
): Attributes {
  return known({
    ...outcomeAttributes(attempt),
    [ATTR_GEN_AI_OPERATION_NAME]: operation,
    [ATTR_GEN_AI_PROVIDER_NAME]: conventionName(attempt.provider),
    [ATTR_GEN_AI_REQUEST_MODEL]: attempt.model,
    'switchyard.provider': attempt.provider,
    'switchyard.upstream_request_id': attempt.upstreamRequestId ?? undefined,
  })
}

export function outcomeAttributes({ status, code }: { status: number | null; code: string | null }): Attributes {
  return { [ATTR_HTTP_RESPONSE_STATUS_CODE]: status ?? undefined, [ATTR_ERROR_TYPE]: code ?? undefined }
}

const MOST_CHARACTERS = 256

function short(text: string): string {
  return text.length > MOST_CHARACTERS ? text.slice(0, MOST_CHARACTERS) : text
}

/** Those that have a value: what is undefined would be sent as an attribute without one. */
function known(attributes: Attributes): Attributes {
  const present: Attributes = {}
  for (const name in attributes) {
    const value = attributes[name]
    if (value !== undefined) present[name] = typeof value === 'string' ? short(value) : value
  }
  return present
}

/** As the conventions count: the input with what was cached and written. */
function usageAttributes(usage: TokenUsage): Attributes {
  const written = cacheWriteTokens(usage)
  return {
    [ATTR_GEN_AI_USAGE_INPUT_TOKENS]: promptTokens(usage),
    [ATTR_GEN_AI_USAGE_OUTPUT_TOKENS]: usage.output,
    [ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS]: usage.cachedInput || undefined,
    [ATTR_GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS]: written || undefined,
    [ATTR_GEN_AI_USAGE_REASONING_OUTPUT_TOKENS]: usage.reasoning || undefined,
  }
}
