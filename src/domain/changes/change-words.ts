import { LOOP_SIGNALS } from '../loops/signals.ts'
import { TOKEN_CLASSES } from '../pricing/classes.ts'
import { chainWords } from './chain-words.ts'
import { limitWords } from './limit-words.ts'
import { fieldsOf, isSame, isUnset, labelOf, seconds, valueWords, type Wording } from './value-words.ts'

/**
 * What a change did, a sentence for each thing, from what the API showed before and after it. Nothing for what was
 * created or deleted: that is the whole change. Shared by the dashboard and the command line.
 */
export function changeWords(before: unknown, after: unknown): string[] {
  if (isUnset(before) || isUnset(after)) return []
  return objectWords('', fieldsOf(before), fieldsOf(after))
}

type Fields = Record<string, unknown>
type Words = (before: unknown, after: unknown) => string[]

function objectWords(path: string, before: Fields, after: Fields): string[] {
  return [...new Set([...Object.keys(after), ...Object.keys(before)])].flatMap((field) => {
    const [old, now] = [before[field], after[field]]
    if (isSame(old, now) || (path === '' && SILENT.has(field))) return []
    const words = path === '' ? FIELDS[field] : undefined
    if (words !== undefined) return words(old, now)
    const label = path === '' ? labelOf(field) : `${path}: ${field.replaceAll('_', ' ')}`
    return isObject(old) || isObject(now)
      ? objectWords(label, fieldsOf(old), fieldsOf(now))
      : valueWords(label, old, now)
  })
}

/** Bookkeeping that every change touches, and what another field already says. */
const SILENT = new Set([
  ...['created_at', 'updated_at', 'last_used_at', 'last_seen_at', 'spent_usd', 'routes', 'live_keys'],
  ...['price_version', 'price_source', 'priced_at', 'priced_as', 'value_id', 'limits_managed_by'],
  ...['streaming_managed_by', 'content_managed_by', 'guardrail_managed_by', 'direct_models_managed_by'],
  ...['resale_managed_by', 'loops_managed_by'],
])

const named =
  (label: string, wording?: Wording): Words =>
  (before, after) =>
    valueWords(label, before, after, wording)

/** One of two phrases, without the value. */
const said =
  (set: string, unset: string): Words =>
  (_before, after) => [isUnset(after) || after === false ? unset : set]

/** Secrets by name: the API shows only that they are there. */
const secretsNamed =
  (label: string): Words =>
  (before, after) => {
    const [olds, news] = [Object.keys(fieldsOf(before)), Object.keys(fieldsOf(after))]
    return [
      ...news.filter((name) => !olds.includes(name)).map((name) => `${label} ${name} added`),
      ...olds.filter((name) => !news.includes(name)).map((name) => `${label} ${name} removed`),
    ]
  }

const PER_MTOK: Wording = { unit: 'USD per million tokens' }

/** Names of fields mean the same wherever they occur. */
const FIELDS: Readonly<Record<string, Words>> = {
  description: named('Description', { isLong: true }),
  note: named('Note', { isLong: true }),
  ca: named('Certificates', { isLong: true }),
  chain: chainWords,
  interchangeable: named('Interchangeable models for embeddings'),
  compaction: named('Compaction'),
  prompt_cache: named('Prompt cache'),
  cache: cacheWords,
  cache_purged_at: () => ['Cache purged'],
  limits: limitWords,
  allowed_models: (before, after) =>
    isUnset(before) || isUnset(after)
      ? [isUnset(after) ? 'All models allowed' : `Allowed models limited to ${(after as string[]).join(', ')}`]
      : valueWords('Allowed models', before, after),
  expires_at: named('Expiry'),
  paused_at: said('Paused', 'Resumed'),
  revoked_at: said('Revoked', 'No longer revoked'),
  disabled_at: said('Disabled', 'Enabled'),
  prefix: (_before, after) => [`New value, starting with ${after}`],
  replaces: () => [],
  revoked: () => ['A value revoked'],
  has_api_key: said('API key added', 'API key removed'),
  base_url: named('Base address'),
  headers: secretsNamed('Header'),
  credentials: secretsNamed('Credential'),
  on_caller_left: named('When the caller disconnects'),
  on_estimate: named('If token usage is missing'),
  passthrough: named('Passed paths'),
  price_percent: named('Highest price', { unit: '% of the list price' }),
  managed_by: (_before, after) => [
    after === 'config'
      ? 'Now managed by switchyard.yaml'
      : after === 'environment'
        ? 'Now set by environment variables'
        : after === 'builtin'
          ? 'Now follows the built-in list'
          : 'Now managed here',
  ],
  streaming: named('Streaming'),
  direct_models: named('Direct models'),
  opening_spend: named('Opening spend'),
  defaults: named('Default parameters'),
  shared: named('Shared with every workspace'),
  content: contentWords,
  guardrail: guardrailWords,
  resale: resaleWords,
  loops: loopWords,
  tiers: () => ['Price tiers for long prompts changed'],
  unit_prices: () => ['Prices per use changed'],
  context_window: named('Context window', { unit: 'tokens' }),
  max_input_tokens: named('Longest input', { unit: 'tokens' }),
  max_output_tokens: named('Longest output', { unit: 'tokens' }),
  deprecated: said('Marked as deprecated', 'No longer deprecated'),
  ...Object.fromEntries(TOKEN_CLASSES.map(({ price, label }) => [price, named(`${labelOf(label)} price`, PER_MTOK)])),
}

function cacheWords(before: unknown, after: unknown): string[] {
  const [old, now] = [fieldsOf(before), fieldsOf(after)]
  if (isUnset(after)) return ['Caching turned off']
  const scope =
    now['scope'] === 'workspace' ? 'Cached answers shared by the whole workspace' : 'Cached answers kept per key'
  const isShared = (cache: Fields) => cache['scope'] === 'workspace'
  return [
    ...(isUnset(before)
      ? [`Caching turned on for ${now['ttl_seconds']} s`]
      : valueWords('Cache lifetime', old['ttl_seconds'], now['ttl_seconds'], { unit: 's' })),
    ...(isShared(old) === isShared(now) ? [] : [scope]),
    ...valueWords('Caching of requests with tools', old['tools'] ?? false, now['tools'] ?? false),
  ]
}

function contentWords(before: unknown, after: unknown): string[] {
  if (isUnset(after)) return ['Prompts and answers no longer stored']
  const [old, now] = [fieldsOf(before), fieldsOf(after)]
  if (isUnset(before)) return [`Prompts and answers stored for ${now['retention_days']} days`]
  return [
    ...valueWords('Stored prompts and answers: retention', old['retention_days'], now['retention_days'], {
      unit: 'days',
    }),
    ...valueWords('Redaction', old['redact'], now['redact']),
    ...(isSame(old['patterns'], now['patterns']) ? [] : ['Redaction patterns changed']),
  ]
}

function guardrailWords(before: unknown, after: unknown): string[] {
  const [old, now] = [fieldsOf(before), fieldsOf(after)]
  if (isUnset(after)) return [`Guardrail removed (was ${old['url']})`]
  if (isUnset(before)) return [`Guardrail set to ${now['url']}`]
  return [
    ...valueWords('Guardrail address', old['url'], now['url']),
    ...valueWords('Guardrail check of requests', old['before'], now['before']),
    ...valueWords('Guardrail check of answers', old['after'], now['after']),
    ...valueWords('Guardrail timeout', old['timeout_ms'], now['timeout_ms'], { text: seconds, unit: 's' }),
    ...(old['on_failure'] === now['on_failure']
      ? []
      : [`Calls ${now['on_failure'] === 'open' ? 'pass' : 'are refused'} when the guardrail does not answer`]),
  ]
}

function resaleWords(before: unknown, after: unknown): string[] {
  const [old, now] = [fieldsOf(before), fieldsOf(after)]
  if (isUnset(after)) return ['Customer prices removed']
  return [
    ...valueWords('Markup for customers', old['markup_percent'], now['markup_percent'], { unit: '%' }),
    ...(isSame(old['prices'], now['prices']) ? [] : ['Customer prices changed']),
  ]
}

function loopWords(before: unknown, after: unknown): string[] {
  if (isUnset(after)) return ['Loops no longer watched for']
  if (isUnset(before)) return [`Loops watched for: ${Object.keys(fieldsOf(after)).filter(isSignal).join(', ')}`]
  return objectWords('Loops', fieldsOf(before), fieldsOf(after))
}

function isSignal(name: string): boolean {
  return (LOOP_SIGNALS as readonly string[]).includes(name)
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
