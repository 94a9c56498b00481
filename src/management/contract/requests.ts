import { z } from 'zod'
import { CALL_KINDS } from '../../domain/attribution.ts'
import { CACHE_VERDICTS } from '../../domain/cache/route-cache.ts'
import { CALLER_LEFT, ERRORS, INTERRUPTED } from '../../domain/errors.ts'
import { type ApiName, LOG_FIELDS, type LogFields, publicName } from '../../domain/log/fields.ts'
import { ATTEMPT_PHASES, STREAM_ENDINGS, USAGE_SOURCES } from '../../domain/log/stream-words.ts'
import { UNITS } from '../../domain/pricing/unit-prices.ts'
import { Adjustment } from '../../domain/request/adjustment.ts'
import { Correction } from './correction.ts'
import { inWorkspace, pageOf, paging, Timestamp, Usd } from './fields.ts'
import { operation, streamedOperation } from './operation.ts'

const codes = [...Object.keys(ERRORS), CALLER_LEFT.code, INTERRUPTED.code]

/** A moment, or a day for its beginning (UTC). */
export const Moment = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], 'a time in RFC 3339 or a day as YYYY-MM-DD')
  .describe('RFC 3339, or YYYY-MM-DD for the beginning of that day in UTC')

/** Where it names a tag: the name ends at the first colon. */
export const TagFilter = z
  .string()
  .max(129)
  .regex(/^[^:]+:./s, 'NAME:VALUE')
  .describe('Only requests with this tag: NAME:VALUE')

const Duration = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER)

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
    .describe(
      'An HTTP status; `ok`: answered in full; `error`: everything else, streams that were cut after their 200 included',
    ),
  code: z.enum(codes).optional().describe('An error code, `caller_left` or `interrupted`'),
  param: z.string().min(1).max(200).optional().describe('The error is about this field, or about one inside it'),
  provider_code: z.string().min(1).max(64).optional().describe("The provider's error code"),
  reason: z.string().min(1).max(200).optional().describe('The reason of the failure contains this text'),
  fallback: z.enum(['true', 'false']).optional(),
  unconfirmed: z
    .enum(['open', 'any'])
    .optional()
    .describe('With unconfirmed spend; `open`: neither confirmed nor released yet'),
  min_cost_usd: Usd.optional().describe('Cost at least this much'),
  min_duration_ms: Duration.optional().describe('Took at least this long, from admission to the end'),
  max_duration_ms: Duration.optional().describe('Took at most this long'),
  cache: z.enum(CACHE_VERDICTS).optional().describe("Outcome of the route's response cache"),
  streamed: z.enum(['true', 'false']).optional().describe('Whether the caller asked for a stream'),
  ended: z.enum(STREAM_ENDINGS).optional().describe('How a stream with content ended'),
  endpoint: z.string().max(64).optional().describe('The endpoint, such as `chat`'),
  user: z.string().min(1).max(128).optional().describe('The user named by the caller'),
  session: z.string().min(1).max(128).optional().describe('The session named by the caller'),
  agent: z.string().max(128).optional().describe('The agent of a session; empty for its main agent'),
  kind: z.enum(CALL_KINDS).optional().describe('What the call is within its session'),
  project: z.string().min(1).max(128).optional().describe('The project named by the caller'),
  tag: TagFilter.optional(),
}

/** How each kind of log field looks in an answer. */
const KINDS = {
  id: z.string(),
  state: z.enum(['open', 'closed']),
  text: z.string().nullable(),
  code: z.string().nullable(),
  time: Timestamp,
  end: Timestamp.nullable(),
  whole: z.int().nullable(),
  count: z.int(),
  microseconds: z.number(),
  flag: z.boolean(),
  money: Usd.nullable(),
  hold: Usd.nullable(),
  texts: z.array(z.string()),
  adjustments: z.array(Adjustment),
  tags: z.record(z.string(), z.string()),
  figures: z.record(z.string(), z.union([z.string(), z.number()])),
} as const

type Shown = Exclude<LogFields, { api: null }>
type UsageFields = Extract<Shown, { from: 'usage' } | { column: 'prompt_tokens' }>
type PlainFields = Exclude<Shown, UsageFields>

const shown = LOG_FIELDS.filter((field): field is Shown => publicName(field, 'api') !== null)
/** Token counts are shown together, all or none. */
const isUsage = (field: Shown): field is UsageFields => field.from === 'usage' || field.column === 'prompt_tokens'

/** The fields of a logged request that are columns, in order. */
export const REQUEST_FIELDS = shown.filter((field): field is PlainFields => !isUsage(field))
export const USAGE_FIELDS = shown.filter(isUsage)

const fields = Object.fromEntries(
  REQUEST_FIELDS.map((field) => [publicName(field, 'api'), KINDS[field.kind].describe(field.doc)]),
) as { [Field in PlainFields as ApiName<Field>]: (typeof KINDS)[Field['kind']] }

const tokens = Object.fromEntries(USAGE_FIELDS.map(({ column, doc }) => [column, z.int().describe(doc)])) as {
  [Field in UsageFields as Field['column']]: z.ZodInt
}

export const LoggedRequest = z.strictObject({
  ...fields,
  key_name: z.string().nullable().describe('Null when the key was deleted'),
  duration_ms: z
    .int()
    .nullable()
    .describe('From `started_at` to `finished_at`; null while running, and if interrupted'),
  attempt_count: z.int().describe('Upstream calls, skipped entries not counted'),
  usage: z
    .strictObject({ ...tokens, total_tokens: z.int() })
    .nullable()
    .describe('Null when nothing was served'),
})

export const Attempt = z.strictObject({
  kind: z.enum(['called', 'skipped']),
  provider: z.string(),
  model: z.string(),
  started_after_ms: z.number().describe('Since the whole request had arrived'),
  duration_ms: z.number(),
  status: z.int().nullable(),
  code: z.string().nullable(),
  upstream_request_id: z.string().nullable(),
  provider_code: z.string().nullable().describe("The provider's error code"),
  reason: z.string().describe('Why the next step was taken'),
  phase: z.enum(ATTEMPT_PHASES).nullable().describe('Phase in which a streamed attempt failed'),
  cost_usd: Usd.nullable().describe("If it lost a hedge: its part of the request's cost"),
  usage_source: z.enum(USAGE_SOURCES).nullable().describe('Who counted its tokens; null unless it lost a hedge'),
  unconfirmed: z
    .strictObject({ estimate_usd: Usd, most_usd: Usd.describe('What was held for it') })
    .nullable()
    .describe('What the provider may bill for it although it gave no count of tokens'),
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
  uses: z
    .array(
      z.strictObject({
        name: z.string(),
        unit: z.enum(UNITS).describe('`request`: paid once, however often it was used'),
        uses: z.int().describe('Of time, milliseconds'),
        paid: z.int().describe('How many of them are charged'),
        usd_per_1000: z.string(),
        amount_usd: Usd,
      }),
    )
    .describe('Tools that the provider ran, and what is billed by units; price_percent does not apply to them'),
  list_usd: Usd.describe('Sum of the lines of tokens'),
  price_percent: z.int(),
  lost_usd: Usd.describe('Cost of the entry that lost the hedge'),
  total_usd: Usd.describe('Equal to cost_usd of the request'),
})

const ContentBody = z.strictObject({
  text: z.string().describe('Redacted; for a stream, the answer its events add up to'),
  is_json: z.boolean().describe('The text is JSON; false if it was truncated or not JSON'),
  bytes: z.int().describe('Of the whole body, as received or sent'),
  truncated: z.boolean().describe('The text was truncated'),
})

const StoredContent = z.strictObject({
  id: z.string(),
  workspace: z.string(),
  stored_at: Timestamp,
  expires_at: Timestamp.describe('Deleted then'),
  endpoint: z.string().nullable(),
  request: ContentBody.nullable(),
  answer: ContentBody.nullable().describe('Null when nothing was served'),
  redacted: z.record(z.string(), z.int()).describe('How often each rule has matched'),
  dropped: z.string().nullable().describe('Why nothing was stored of this request: `queue_full`'),
})

const tag = 'Requests'
const one = z.strictObject({ id: z.string().max(100) })

export const requestOperations = {
  'requests.list': operation({
    role: 'viewer',
    scope: 'workspace',
    method: 'GET',
    path: '/requests',
    tag,
    summary: 'List requests, newest first; a page may be shorter than its limit even if there is a next_cursor',
    query: z.strictObject({
      ...paging,
      ...requestFilters,
      sort: z
        .enum(['newest', 'slowest'])
        .default('newest')
        .describe(
          '`slowest`: by duration, of the newest 300,000 requests of the range that the filters leave to look at',
        ),
      after: z.string().max(100).optional().describe('Id of a request: only those that started after it'),
    }),
    reply: z.strictObject({
      ...pageOf(LoggedRequest).shape,
      searched_to: Timestamp.nullable().describe(
        'How far back this page has looked; null: to the beginning of the range',
      ),
    }),
  }),
  'requests.export': streamedOperation({
    role: 'viewer',
    scope: 'workspace',
    method: 'GET',
    path: '/requests/export',
    tag,
    summary: 'All requests that match, newest first, as NDJSON or CSV',
    query: z.strictObject({ format: z.enum(['ndjson', 'csv']).default('ndjson'), ...requestFilters }),
    stream: ['application/x-ndjson', 'text/csv'],
  }),
  'requests.feed': streamedOperation({
    role: 'viewer',
    scope: 'gateway',
    method: 'GET',
    path: '/requests/feed',
    tag,
    summary: 'Closed requests of all workspaces in the order in which the log got them, as NDJSON with a cursor a line',
    query: z.strictObject({
      after: z
        .string()
        .regex(/^\d{1,15}\.\d{1,9}$/)
        .optional()
        .describe('`cursor` of the last line that was read; left out: from the oldest row that is kept'),
      limit: z.coerce.number().int().min(1).max(10_000).default(1000).describe('At most this many rows'),
    }),
    stream: ['application/x-ndjson'],
  }),
  'requests.get': operation({
    role: 'viewer',
    scope: 'rows',
    method: 'GET',
    path: '/requests/{id}',
    tag,
    summary: 'Get a request with its attempts',
    params: one,
    reply: LoggedRequest.extend({
      attempts: z.array(Attempt),
      correction: Correction.nullable().describe('What became of its unconfirmed spend; null: nothing yet'),
    }),
  }),
  'requests.explain': operation({
    role: 'viewer',
    scope: 'rows',
    method: 'GET',
    path: '/requests/{id}/explain',
    tag,
    summary: 'Explain a request: what happened step by step, why, and how its cost was computed',
    params: one,
    reply: z.strictObject({
      id: z.string(),
      steps: z.array(z.string()),
      cost_lines: z.array(z.string()).describe('The cost line by line, or why there is none'),
      cost: ExplainedCost.nullable(),
    }),
  }),
  'requests.content': operation({
    role: 'admin',
    scope: 'rows',
    method: 'GET',
    path: '/requests/{id}/content',
    tag,
    summary: 'Stored prompt and answer of a request; every read is recorded in the audit log',
    params: one,
    reply: StoredContent,
  }),
  'requests.delete-content': operation({
    role: 'admin',
    scope: 'rows',
    method: 'DELETE',
    path: '/requests/{id}/content',
    tag,
    summary: 'Delete the stored content of a request; its row in the log stays',
    params: one,
  }),
}
