import type { z } from 'zod'
import type { Adjustment } from '../../domain/adjustment.ts'
import { asPicodollars, exactUsd } from '../../domain/pricing/price.ts'
import type { AttemptRecord } from '../../request-log/record.ts'
import type { RequestRow } from '../../store/engine/schema.ts'
import { timestamp, timestampOrNull } from '../contract/fields.ts'
import type { Attempt, LoggedRequest } from '../contract/requests.ts'

type ShownRequest = z.input<typeof LoggedRequest>

export function shownRequest(row: RequestRow, keyNames: ReadonlyMap<string, string>): ShownRequest {
  return {
    id: row.id,
    state: row.state,
    workspace: row.workspace,
    key_id: row.key_id,
    key_name: keyNames.get(row.key_id) ?? null,
    route: row.route,
    requested_model: row.requested_model,
    provider: row.provider,
    model: row.model,
    started_at: timestamp(row.started_at),
    finished_at: timestampOrNull(row.finished_at),
    status: row.status,
    code: row.code,
    fallback: row.fallback === 1,
    attempt_count: attemptsOf(row).filter((attempt) => attempt.kind === 'called').length,
    finish_reason: row.finish_reason,
    usage: shownUsage(row),
    cost_usd: costUsd(row),
    price_version: row.price_version,
    latency_ms: row.upstream_ms,
    gateway_ms: row.gateway_microseconds / 1000,
    request_bytes: row.request_bytes,
    response_bytes: row.response_bytes,
    ignored_params: JSON.parse(row.ignored_params) as string[],
    adjustments: adjustmentsOf(row),
    idempotency_key: row.idempotency_key,
  }
}

export function costUsd(row: RequestRow): string | null {
  return row.cost_picodollars === null ? null : exactUsd(asPicodollars(BigInt(row.cost_picodollars)))
}

export function attemptsOf(row: RequestRow): AttemptRecord[] {
  return JSON.parse(row.attempts) as AttemptRecord[]
}

export function adjustmentsOf(row: RequestRow): Adjustment[] {
  return row.adjustments === null ? [] : (JSON.parse(row.adjustments) as Adjustment[])
}

export function shownAttempt(attempt: AttemptRecord): z.input<typeof Attempt> {
  return {
    kind: attempt.kind,
    provider: attempt.provider,
    model: attempt.model,
    started_after_ms: attempt.startedAfterMs,
    duration_ms: attempt.durationMs,
    status: attempt.status,
    code: attempt.code,
    upstream_request_id: attempt.upstreamRequestId,
    reason: attempt.reason,
  }
}

function shownUsage(row: RequestRow): ShownRequest['usage'] {
  if (row.prompt_tokens === null) return null
  const completionTokens = row.completion_tokens ?? 0
  return {
    prompt_tokens: row.prompt_tokens,
    completion_tokens: completionTokens,
    total_tokens: row.prompt_tokens + completionTokens,
    input_tokens: row.input_tokens ?? 0,
    cached_tokens: row.cached_tokens ?? 0,
    cache_write_5m_tokens: row.cache_write_5m_tokens ?? 0,
    cache_write_30m_tokens: row.cache_write_30m_tokens ?? 0,
    cache_write_1h_tokens: row.cache_write_1h_tokens ?? 0,
    reasoning_tokens: row.reasoning_tokens ?? 0,
  }
}
