import { z } from 'zod'
import { Adjustment } from '../../domain/adjustment.ts'
import { CALLER_LEFT, ERRORS, INTERRUPTED } from '../../domain/errors.ts'
import { inWorkspace, pageOf, paging, Timestamp, Usd } from './fields.ts'
import { operation, streamedOperation } from './operation.ts'

const codes = [...Object.keys(ERRORS), CALLER_LEFT.code, INTERRUPTED.code]

/** A moment, or a day for its beginning (UTC). */
export const Moment = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], 'a time in RFC 3339 or a day as YYYY-MM-DD')
  .describe('RFC 3339, or YYYY-MM-DD for the beginning of that day in UTC')

export const requestFilters = {
  ...inWorkspace,
  from: Moment.optional().describe('Started at this time or later'),
  to: Moment.optional().describe('Started before this time'),
  route: z.string().max(64).optional().describe('An alias; empty for direct model ids'),
  model: z.string().max(512).optional().describe('The model that served or failed last'),
  provider: z.string().max(64).optional(),
  key: z.string().max(64).optional().describe('Id of a key'),
  status: z
    .string()
    .regex(/^(ok|error|\d{1,3})$/, 'an HTTP status, "ok" or "error"')
    .optional()
    .describe('An HTTP status, `ok` or `error`'),
  code: z.enum(codes).optional().describe('An error code, `caller_left` or `interrupted`'),
  fallback: z.enum(['true', 'false']).optional(),
  min_cost_usd: Usd.optional().describe('Cost at least this much'),
}

const count = z.int().nullable()

const TokenUsage = z.strictObject({
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  total_tokens: z.int(),
  input_tokens: z.int().describe('Prompt tokens at the full price'),
  cached_tokens: z.int(),
  cache_write_5m_tokens: z.int(),
  cache_write_30m_tokens: z.int(),
  cache_write_1h_tokens: z.int(),
  reasoning_tokens: z.int().describe('Part of completion_tokens'),
})

export const LoggedRequest = z.strictObject({
  id: z.string(),
  state: z.enum(['open', 'closed']),
  workspace: z.string(),
  key_id: z.string(),
  key_name: z.string().nullable().describe('Null when the key is gone'),
  route: z.string().nullable().describe('Null for a direct model id'),
  requested_model: z.string().nullable().describe('Null when no model could be read in the body'),
  provider: z.string().nullable().describe('Who served; for a failed call the last one asked'),
  model: z.string().nullable(),
  started_at: Timestamp,
  finished_at: Timestamp.nullable().describe('started_at, and how long the call took since all of it was there'),
  status: z.int().nullable().describe('HTTP status the caller got; 499 hung up, 0 interrupted'),
  code: z.string().nullable(),
  fallback: z.boolean(),
  attempt_count: z.int().describe('Upstream calls, entries passed over not counted'),
  finish_reason: z.string().nullable(),
  usage: TokenUsage.nullable(),
  cost_usd: Usd.nullable().describe('Null when nothing was served or the price is unknown'),
  price_version: z.int().nullable(),
  latency_ms: count.describe('Duration of the attempt that served'),
  gateway_ms: z.number().describe('Time spent in the gateway itself'),
  request_bytes: z.int().describe('Of a body that was too large as many as were declared or read'),
  response_bytes: z.int(),
  ignored_params: z.array(z.string()),
  adjustments: z.array(Adjustment).describe('What the gateway changed of the request before it was sent'),
  idempotency_key: z.string().nullable().describe('The header `Idempotency-Key` that it came with'),
})

export const Attempt = z.strictObject({
  kind: z.enum(['called', 'skipped']),
  provider: z.string(),
  model: z.string(),
  started_after_ms: z.number().describe('Since all of the request was there'),
  duration_ms: z.number(),
  status: z.int().nullable(),
  code: z.string().nullable(),
  upstream_request_id: z.string().nullable(),
  reason: z.string().describe('Why the next step was taken'),
})

const CostLine = z.strictObject({
  class: z.string(),
  tokens: z.int(),
  usd_per_mtok: z.string(),
  amount_usd: Usd,
})

const ExplainedCost = z.strictObject({
  price_version: z.int(),
  price_source: z.string(),
  price_since: Timestamp,
  tier_above: z.int().nullable().describe('Threshold of the tier that applied, in prompt tokens'),
  lines: z.array(CostLine),
  list_usd: Usd.describe('Sum of the lines'),
  price_percent: z.int(),
  total_usd: Usd.describe('Equal to cost_usd of the request'),
})

const tag = 'Requests'
const one = z.strictObject({ id: z.string().max(100) })

export const requestOperations = {
  'requests.list': operation({
    method: 'GET',
    path: '/requests',
    tag,
    summary: 'List requests, newest first; a page may be shorter than its limit while next_cursor leads on',
    query: z.strictObject({
      ...paging,
      ...requestFilters,
      after: z.string().max(100).optional().describe('Id of a request: only those that started after it'),
    }),
    reply: z.strictObject({
      ...pageOf(LoggedRequest).shape,
      searched_to: Timestamp.nullable().describe('How far back this page has looked; null: to the end'),
    }),
  }),
  'requests.export': streamedOperation({
    method: 'GET',
    path: '/requests/export',
    tag,
    summary: 'All requests that match, newest first, as NDJSON or CSV',
    query: z.strictObject({ format: z.enum(['ndjson', 'csv']).default('ndjson'), ...requestFilters }),
    stream: ['application/x-ndjson', 'text/csv'],
  }),
  'requests.get': operation({
    method: 'GET',
    path: '/requests/{id}',
    tag,
    summary: 'Get a request with its attempts',
    params: one,
    reply: LoggedRequest.extend({ attempts: z.array(Attempt) }),
  }),
  'requests.explain': operation({
    method: 'GET',
    path: '/requests/{id}/explain',
    tag,
    summary: 'In words: what happened step by step, why, and how the cost came about',
    params: one,
    reply: z.strictObject({
      id: z.string(),
      steps: z.array(z.string()),
      cost_lines: z.array(z.string()).describe('The arithmetic in words, or why there is none'),
      cost: ExplainedCost.nullable(),
    }),
  }),
}
