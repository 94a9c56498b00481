import { OUTPUT_PARTS, PROMPT_CLASSES } from '../pricing/classes.ts'
import { ENDPOINT_NAMES } from '../request/call-request.ts'
import { type LogField, rowsFrom } from './log-field.ts'

const open = rowsFrom('open')
const close = rowsFrom('close')
const usage = rowsFrom('usage')
const row = rowsFrom('row')

const INDEXED = { isIndexed: true }
const FOREIGN = { isForeign: true }
const HIDDEN = { api: null, export: null } as const
const EXPORT_ONLY = { api: null } as const

const tokensOf = (classes: typeof PROMPT_CLASSES, more = '', rest: Pick<LogField, 'since'> = {}) =>
  classes.map(({ column, name, label }) =>
    usage(column, name, 'whole', `Tokens of the price class ${label}${more}`, rest),
  )

/**
 * Every field of the request log, in the order of the export: column, name in the record, kind, meaning. Record, spool
 * line, row, API, export and documentation are derived from this table. To add a field, add a row here, its value in
 * calls/settle.ts, a migration that adds the column, and its line in docs/management/requests.md. Its `since` is a
 * number that no release has: lines written by earlier versions are read without it. Append it: columns of an export
 * keep their places.
 */
export const LOG_FIELDS = [
  open('id', 'id', 'id', 'Id of the call', INDEXED),
  row('state', 'state', 'state', '`open` while the call runs, then `closed`'),
  open('workspace', 'workspace', 'id', 'Workspace of the key', INDEXED),
  open('key_id', 'keyId', 'id', 'Id of the key', INDEXED),
  open('route', 'route', 'text', 'Alias of the route; null for a direct model id', INDEXED),
  open(
    'endpoint',
    'endpoint',
    'text',
    `What was called: ${ENDPOINT_NAMES.map((name) => `\`${name}\``).join(', ')}; null in rows of earlier versions`,
  ),
  open('requested_model', 'requestedModel', 'text', '`model` of the request; null when it could not be read', FOREIGN),
  close('provider', 'provider', 'text', 'Provider that served; of a failed call the last one called'),
  close('model', 'model', 'text', 'Model of that provider'),
  open('started_at', 'startedAt', 'time', 'When the call was admitted; of a refused one, when it arrived', INDEXED),
  close('finished_at', 'finishedAt', 'end', '`started_at` plus the duration since the whole body had arrived'),
  close(
    'status',
    'status',
    'whole',
    'HTTP status of the answer, of a stream that of its head; 499: the caller hung up, 0: interrupted',
  ),
  close(
    'code',
    'code',
    'code',
    'Error code, `caller_left` or `interrupted`; null for a call that was answered in full',
  ),
  close('fallback', 'fallback', 'flag', 'An entry after the first one served'),
  close('finish_reason', 'finishReason', 'text', 'Why the model stopped', FOREIGN),
  row('prompt_tokens', 'promptTokens', 'whole', 'All tokens of the prompt; null when nothing was served'),
  usage('completion_tokens', 'output', 'whole', 'All tokens of the answer'),
  ...tokensOf(PROMPT_CLASSES.filter(({ name }) => name !== 'imageInput')),
  usage('reasoning_tokens', 'reasoning', 'whole', 'Part of `completion_tokens`'),
  usage('price_percent', 'pricePercent', 'whole', 'What the provider charged, in percent of the price', EXPORT_ONLY),
  close('price_version', 'priceVersion', 'whole', 'Price version that was in force when the call was admitted'),
  close('cost_picodollars', 'costPicodollars', 'money', 'Null when nothing was served or the price is unknown', {
    api: 'cost_usd',
    export: 'cost_usd',
  }),
  // Beside the cost, so that a start finds both without reading the whole line (past/find-spending.ts).
  close(
    'unconfirmed_counted_picodollars',
    'unconfirmedCounted',
    'money',
    'What of `unconfirmed_most_usd` counts in budgets, by the policy of the workspace',
    { since: 5, api: 'unconfirmed_counted_usd', export: null },
  ),
  close('upstream_ms', 'upstreamMs', 'whole', 'Duration of the attempt that served', {
    api: 'latency_ms',
    export: 'latency_ms',
  }),
  close('gateway_microseconds', 'gatewayMicroseconds', 'microseconds', 'Time spent in the gateway itself', {
    api: 'gateway_ms',
  }),
  close('request_bytes', 'requestBytes', 'count', 'Size of the body; of one too large, what was declared or read'),
  close('response_bytes', 'responseBytes', 'count', 'Size of the answer'),
  open('idempotency_key', 'idempotencyKey', 'text', 'The header `Idempotency-Key`', INDEXED),
  close('ignored_params', 'ignoredParams', 'texts', 'Parameters that the provider has no equivalent for'),
  close(
    'adjustments',
    'adjustments',
    'adjustments',
    'What the gateway changed in the request before sending it, and a key that it did not use',
  ),
  row('attempts', 'attempts', 'attempts', 'Upstream calls and skipped entries, in order', EXPORT_ONLY),
  row('node', 'node', 'id', 'Gateway that took the call', { ...HIDDEN, ...INDEXED }),
  open('hold_picodollars', 'holdPicodollars', 'hold', 'Money set aside; null when no bound was known', HIDDEN),
  open('hold_tokens', 'holdTokens', 'whole', 'Tokens set aside; null for a call that was not admitted', HIDDEN),
  open('body_hash', 'bodyHash', 'text', 'SHA-256 of the body, of calls with an idempotency key only', HIDDEN),
  open('streamed', 'streamed', 'flag', 'The caller asked for a stream'),
  close('first_content_ms', 'firstContentMs', 'whole', 'Of a stream: from the start of the call to its first content'),
  close(
    'ended',
    'ended',
    'text',
    'Of a stream that sent content: `finished`, `failed_mid_stream`, `caller_left`, `interrupted`, `slow_reader`',
  ),
  close('events_sent', 'eventsSent', 'count', 'Events of a stream that were sent to the caller'),
  close(
    'usage_source',
    'usageSource',
    'text',
    'Who counted the tokens: `provider`, `provider_partial` (the rest is estimated), `estimated`, `measured` (what it heard or was to say), or `prompt_held` (estimated, but the prompt as held for a hard budget); null when nothing was served',
  ),
  close(
    'cost_least_picodollars',
    'costLeastPicodollars',
    'money',
    'The least it can have cost; null unless estimated',
    {
      api: 'cost_least_usd',
      export: 'cost_least_usd',
    },
  ),
  close('cost_most_picodollars', 'costMostPicodollars', 'money', 'The most it can have cost; null unless estimated', {
    api: 'cost_most_usd',
    export: 'cost_most_usd',
  }),
  open('end_user', 'user', 'text', '`user` or `safety_identifier` of the request, as the caller named it', {
    ...INDEXED,
    ...{ api: 'user', export: 'user' },
  }),
  open('session', 'session', 'text', 'Session that a header or the user of the request names', INDEXED),
  open('tags', 'tags', 'tags', 'Short texts of the `metadata` of the request, at most 8'),
  ...tokensOf(OUTPUT_PARTS, ', part of `completion_tokens`', { since: 2 }),
  close('reason', 'reason', 'text', "Why it failed, in the gateway's own words: never text from a caller or provider", {
    since: 3,
  }),
  close('param', 'param', 'text', 'Field of the request that the error is about, such as `messages[2].content`', {
    since: 3,
  }),
  close('provider_code', 'providerCode', 'text', "The provider's own code of the error that the caller got", {
    since: 3,
  }),
  close(
    'figures',
    'figures',
    'figures',
    'Figures of a 402, 429 or 503: `limit`, `used`, `retry_after_seconds` and others',
    {
      since: 3,
    },
  ),
  close(
    'cache',
    'cache',
    'text',
    'Of a route with a cache: `hit` (a stored answer was given), `miss` or `bypass` (it was not asked); null otherwise',
    { since: 4 },
  ),
  close('saved_picodollars', 'savedPicodollars', 'money', 'Of a hit: what the stored answer had cost', {
    since: 4,
    ...{ api: 'saved_usd', export: 'saved_usd' },
  }),
  close('answer_of', 'answerOf', 'text', 'Of a hit: the id of the call whose answer it is', { since: 4 }),
  close(
    'uses',
    'uses',
    'figures',
    'Tools that the provider ran and what is billed by [units](registry.md#units), by name; part of the cost',
    {
      since: 5,
    },
  ),
  close('stated_picodollars', 'statedPicodollars', 'money', 'What the provider itself says the call cost', {
    since: 5,
    ...{ api: 'stated_usd', export: 'stated_usd' },
  }),
  close('stated_by', 'statedBy', 'text', 'Where it says so: a field of the answer, such as `usage.cost`', { since: 5 }),
  open('unconfirmed_policy', 'unconfirmedPolicy', 'text', 'How unconfirmed spend counts; null: `bound`', {
    since: 5,
    ...HIDDEN,
  }),
  close('hold_added_picodollars', 'holdAdded', 'hold', 'Money set aside later, for further attempts', {
    since: 5,
    ...HIDDEN,
  }),
  close(
    'unconfirmed_estimate_picodollars',
    'unconfirmedEstimate',
    'money',
    'Estimate of what providers may bill beyond the cost, for attempts whose usage is unknown; null: there is none',
    { since: 5, api: 'unconfirmed_estimate_usd', export: 'unconfirmed_estimate_usd' },
  ),
  close('unconfirmed_most_picodollars', 'unconfirmedMost', 'money', 'The most that they can bill beyond the cost', {
    since: 5,
    ...{ api: 'unconfirmed_most_usd', export: 'unconfirmed_most_usd' },
  }),
  open('agent', 'agent', 'text', 'Agent within the session, as the caller names it; null: the main one', { since: 6 }),
  open('parent', 'parent', 'text', 'Agent or session that started this agent; null for the main one', { since: 6 }),
  open(
    'kind',
    'kind',
    'text',
    '`main`, `subagent`, `compaction`, `title`, `auxiliary`, `prewarm` or `count`; null: not known',
    { since: 6 },
  ),
  open('project', 'project', 'text', 'Project that a header names', { since: 6 }),
  close(
    'resale_picodollars',
    'resalePicodollars',
    'money',
    'What the price list of the workspace charges its own customers; null: it has no price for the call',
    { since: 6, api: 'resale_usd', export: 'resale_usd' },
  ),
  close(
    'loop',
    'loop',
    'text',
    'Signals of a [loop](../loops.md) that the call was part of, separated by commas; null: none',
    { since: 7 },
  ),
  close(
    'prompt_cache_saved_picodollars',
    'promptCacheSaved',
    'money',
    "What the provider's prompt cache saved, at the prices of the call; negative: writing cost more; null: no cache was used",
    { since: 8, api: 'prompt_cache_saved_usd', export: 'prompt_cache_saved_usd' },
  ),
  close(
    'cache_miss',
    'cacheMiss',
    'text',
    "Why a call of a session read little from the provider's [prompt cache](../prompt-caches.md#when-a-call-misses), in the gateway's own words; null: it read what was there",
    { since: 9 },
  ),
  ...tokensOf(
    PROMPT_CLASSES.filter(({ name }) => name === 'imageInput'),
    '',
    { since: 10 },
  ),
] as const satisfies readonly LogField[]

export type LogFields = (typeof LOG_FIELDS)[number]

/** The name under which the management API or the export shows a field; null: it does not. */
export function publicName(field: LogField, where: 'api' | 'export'): string | null {
  return field[where] === undefined ? field.column : field[where]
}

/** The same as a type; never for a field that the API does not show. */
export type ApiName<Field> = Field extends { api: infer Name }
  ? Extract<Name, string>
  : Field extends { column: infer Column }
    ? Extract<Column, string>
    : never
