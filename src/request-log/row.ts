import { promptTokens, type TokenUsage } from '../domain/pricing/usage.ts'
import type { ExactInteger } from '../store/engine/exact-integer.ts'
import type { NewRequestRow, RequestRow } from '../store/engine/schema.ts'
import type { SpooledClose, SpooledOpen } from './spool/lines.ts'

/** Every column, in the order in which the fold writes them and in which rows are built below. */
export const REQUEST_COLUMNS = [
  'id',
  'node',
  'state',
  'workspace',
  'key_id',
  'route',
  'requested_model',
  'started_at',
  'finished_at',
  'status',
  'code',
  'provider',
  'model',
  'fallback',
  'attempts',
  'finish_reason',
  'prompt_tokens',
  'completion_tokens',
  'input_tokens',
  'cached_tokens',
  'cache_write_5m_tokens',
  'cache_write_30m_tokens',
  'cache_write_1h_tokens',
  'reasoning_tokens',
  'price_percent',
  'cost_picodollars',
  'price_version',
  'upstream_ms',
  'gateway_microseconds',
  'request_bytes',
  'response_bytes',
  'ignored_params',
  'hold_picodollars',
  'hold_tokens',
  'idempotency_key',
  'body_hash',
  'adjustments',
] as const satisfies readonly (keyof NewRequestRow)[]

/** Those that indexes are of. A call has them from its beginning: its end says the same of them. */
export const INDEXED_COLUMNS: ReadonlySet<keyof NewRequestRow> = new Set([
  'id',
  'node',
  'workspace',
  'key_id',
  'route',
  'started_at',
  'idempotency_key',
])

export type FullRow = Required<NewRequestRow>

/** In the order of the columns: half of the time that it takes to ask for one after the other. */
export function rowValues(row: FullRow): unknown[] {
  return Object.values(row)
}

export function openRow(record: SpooledOpen, node: string): FullRow {
  return {
    id: record.id,
    node,
    state: 'open',
    workspace: record.workspace,
    key_id: record.keyId,
    route: text(record.route),
    requested_model: text(record.requestedModel),
    started_at: whole(record.startedAt) ?? 0,
    finished_at: null,
    status: null,
    code: null,
    provider: null,
    model: null,
    fallback: 0,
    attempts: '[]',
    finish_reason: null,
    prompt_tokens: null,
    completion_tokens: null,
    input_tokens: null,
    cached_tokens: null,
    cache_write_5m_tokens: null,
    cache_write_30m_tokens: null,
    cache_write_1h_tokens: null,
    reasoning_tokens: null,
    price_percent: null,
    cost_picodollars: null,
    price_version: null,
    upstream_ms: null,
    gateway_microseconds: 0,
    request_bytes: 0,
    response_bytes: 0,
    ignored_params: '[]',
    hold_picodollars: hold(record.holdPicodollars),
    hold_tokens: whole(record.holdTokens),
    idempotency_key: text(record.idempotencyKey ?? null),
    body_hash: text(record.bodyHash ?? null),
    adjustments: null,
  }
}

/** Spelt out without a spread, which would double its time. A spool of an earlier version may lack what came later. */
export function closedRow(record: SpooledClose, node: string): FullRow {
  const { usage } = record
  return {
    id: record.id,
    node,
    state: 'closed',
    workspace: record.workspace,
    key_id: record.keyId,
    route: text(record.route),
    requested_model: text(record.requestedModel),
    started_at: whole(record.startedAt) ?? 0,
    finished_at: whole(record.finishedAt),
    status: whole(record.status),
    code: text(record.code),
    provider: text(record.provider),
    model: text(record.model),
    fallback: record.fallback ? 1 : 0,
    attempts: record.attempts,
    finish_reason: text(record.finishReason),
    prompt_tokens: usage === null ? null : whole(promptTokens(usage)),
    completion_tokens: whole(usage?.output),
    input_tokens: whole(usage?.input),
    cached_tokens: whole(usage?.cachedInput),
    cache_write_5m_tokens: whole(usage?.cacheWrite5m),
    cache_write_30m_tokens: whole(usage?.cacheWrite30m),
    cache_write_1h_tokens: whole(usage?.cacheWrite1h),
    reasoning_tokens: whole(usage?.reasoning),
    price_percent: whole(usage?.pricePercent),
    cost_picodollars: record.costPicodollars === null ? null : money(record.costPicodollars),
    price_version: whole(record.priceVersion),
    upstream_ms: whole(record.upstreamMs),
    gateway_microseconds: whole(record.gatewayMicroseconds) ?? 0,
    request_bytes: whole(record.requestBytes) ?? 0,
    response_bytes: whole(record.responseBytes) ?? 0,
    ignored_params: record.ignoredParams.length === 0 ? '[]' : JSON.stringify(record.ignoredParams),
    hold_picodollars: hold(record.holdPicodollars),
    hold_tokens: whole(record.holdTokens),
    idempotency_key: text(record.idempotencyKey ?? null),
    body_hash: text(record.bodyHash ?? null),
    adjustments: record.adjustments.length === 0 ? null : JSON.stringify(record.adjustments),
  }
}

const LARGEST_INTEGER = 2n ** 63n - 1n

/** A caller may ask for an answer beyond all bounds. */
function hold(picodollars: string | null | undefined): ExactInteger | null {
  if (picodollars === null || picodollars === undefined) return null
  const amount = money(picodollars)
  return amount > LARGEST_INTEGER ? LARGEST_INTEGER : amount
}

/** Numbers where they are exact: they take a fraction of a bigint's time. */
function money(digits: string): ExactInteger {
  const amount = Number(digits)
  return Number.isSafeInteger(amount) ? amount : BigInt(digits)
}

/**
 * PostgreSQL refuses fractions in an integer column: one of them must not stop the log. Beyond what a number counts
 * exactly, the engines would not even store the same.
 */
function whole(value: number | null | undefined): number | null {
  if (typeof value !== 'number' || !Number.isFinite(value)) return null
  return Number.isSafeInteger(value) ? value : Math.min(Math.round(value), Number.MAX_SAFE_INTEGER)
}

/** PostgreSQL has no text with a NUL in it, and callers may send one. */
function text(value: string | null): string | null {
  return value?.includes('\u0000') ? value.replaceAll('\u0000', '\ufffd') : value
}

export const USAGE_COLUMNS = [
  'prompt_tokens',
  'completion_tokens',
  'input_tokens',
  'cached_tokens',
  'cache_write_5m_tokens',
  'cache_write_30m_tokens',
  'cache_write_1h_tokens',
  'reasoning_tokens',
  'price_percent',
] as const satisfies readonly (keyof RequestRow)[]

type UsageColumns = Pick<RequestRow, (typeof USAGE_COLUMNS)[number]>

/** What the provider counted, as the price takes it; null when nothing was served. */
export function usageOf(row: UsageColumns): TokenUsage | null {
  if (row.prompt_tokens === null) return null
  return {
    input: row.input_tokens ?? 0,
    cachedInput: row.cached_tokens ?? 0,
    cacheWrite5m: row.cache_write_5m_tokens ?? 0,
    cacheWrite30m: row.cache_write_30m_tokens ?? 0,
    cacheWrite1h: row.cache_write_1h_tokens ?? 0,
    output: row.completion_tokens ?? 0,
    reasoning: row.reasoning_tokens ?? 0,
    pricePercent: row.price_percent ?? 100,
  }
}
