import type { Query } from '../../api/client.ts'
import { errorText } from '../../format/error-words.ts'
import { milliseconds } from '../../format/number.ts'
import { CACHE_WORDS } from '../../format/response-cache.ts'
import type { Search } from '../../shell/place.ts'

/** The filters of the list as in the address, under the names of the management API. */
export const FIELDS = [
  ...([
    'status',
    'code',
    'reason',
    'param',
    'provider_code',
    'route',
    'provider',
    'model',
    'key',
    'fallback',
    'min_cost_usd',
    'min_duration_ms',
    'max_duration_ms',
  ] as const),
  ...(['cache', 'streamed', 'ended', 'endpoint', 'user', 'session', 'agent', 'kind', 'project', 'tag'] as const),
] as const
export type Field = (typeof FIELDS)[number]

export const FIELD_TITLES: Record<Field, string> = {
  status: 'Status',
  code: 'Error',
  reason: 'Reason',
  param: 'Field',
  provider_code: 'Provider’s code',
  route: 'Route',
  provider: 'Provider',
  model: 'Model',
  key: 'Key',
  fallback: 'Fallback',
  min_cost_usd: 'Cost',
  min_duration_ms: 'Took at least',
  max_duration_ms: 'Took at most',
  cache: 'Response cache',
  streamed: 'Streamed',
  ended: 'Stream ended',
  endpoint: 'Endpoint',
  user: 'User',
  session: 'Session',
  agent: 'Agent',
  kind: 'Kind of call',
  project: 'Project',
  tag: 'Tag',
}

export const ENDINGS: Readonly<Record<string, string>> = {
  finished: 'finished',
  failed_mid_stream: 'cut by the provider',
  caller_left: 'the caller left',
  interrupted: 'the gateway stopped first',
  slow_reader: 'the caller read too slowly',
}

export const KIND_WORDS: Readonly<Record<string, string>> = {
  main: 'main agent',
  subagent: 'sub-agent',
  compaction: 'compaction',
  title: 'title',
  auxiliary: 'auxiliary',
  prewarm: 'warm-up',
  count: 'token count',
}

/** How a stream ended, as text. */
export function endingText(ended: string): string {
  return ENDINGS[ended] ?? ended
}

/** In the address: calls of a direct model id; not a valid alias. */
export const DIRECT = '(direct)'

export const PERIODS = [
  { name: '1h', title: 'Last hour', ms: 3_600_000 },
  { name: '24h', title: 'Last 24 hours', ms: 86_400_000 },
  { name: '7d', title: 'Last 7 days', ms: 7 * 86_400_000 },
  { name: '30d', title: 'Last 30 days', ms: 30 * 86_400_000 },
] as const

export type RequestsQuery = Omit<Query<'requests.list'>, 'cursor' | 'limit'>

/** What to ask the gateway for. A period counts back from `now`; a range of one's own wins over it. */
export function queryOf(search: Search, workspace: string, now: number): RequestsQuery {
  const query: Record<string, string> = { workspace }
  for (const field of FIELDS) {
    const value = search[field]
    if (value === undefined || (value === '' && field !== 'route')) continue
    query[field] = field === 'route' && value === DIRECT ? '' : value
  }
  if (isSlowest(search)) query['sort'] = 'slowest'
  const { from, to } = rangeOf(search, now)
  if (from !== null) query['from'] = from
  if (to !== null) query['to'] = to
  return query as RequestsQuery
}

/** Whether the list begins with the slowest instead of the newest. */
export function isSlowest(search: Search): boolean {
  return search['sort'] === 'slowest'
}

/** Whether all that the filters let through has failed. */
export function isOfFailures({ status, ...search }: Search): boolean {
  if (['code', 'reason', 'param', 'provider_code'].some((field) => search[field] !== undefined)) return true
  return status !== undefined && status !== 'ok' && status !== '200'
}

export function rangeOf(search: Search, now: number): { from: string | null; to: string | null } {
  const { from, to, period } = search
  if (from || to) return { from: from || null, to: to || null }
  const length = PERIODS.find(({ name }) => name === period)?.ms
  return { from: length === undefined ? null : new Date(now - length).toISOString(), to: null }
}

/** Nothing new can appear in a range that is over. */
export function isOver(search: Search, now: number): boolean {
  const { to } = rangeOf(search, now)
  return to !== null && Date.parse(to) <= now
}

export interface Chip {
  field: Field
  title: string
  value: string
}

/** One for every filter that is set. The key's name is not in the address: the caller passes it. */
export function chipsOf(search: Search, keyName: string | null): Chip[] {
  return FIELDS.filter((field) => search[field] !== undefined && (search[field] !== '' || field === 'route')).map(
    (field) => ({
      field,
      title: FIELD_TITLES[field],
      value: valueText(field, search[field] ?? '', keyName),
    }),
  )
}

function valueText(field: Field, value: string, keyName: string | null): string {
  switch (field) {
    case 'route':
      return value === '' || value === DIRECT ? 'none, a direct model id' : value
    case 'key':
      return keyName ?? value
    case 'fallback':
      return value === 'true' ? 'served' : 'not needed'
    case 'min_cost_usd':
      return `at least $${value}`
    case 'min_duration_ms':
    case 'max_duration_ms':
      return milliseconds(Number(value))
    case 'streamed':
      return value === 'true' ? 'yes' : 'no'
    case 'ended':
      return endingText(value)
    case 'cache':
      return CACHE_WORDS[value] ?? value
    case 'kind':
      return KIND_WORDS[value] ?? value
    case 'status':
      return { ok: 'OK', error: 'any error', '0': 'interrupted' }[value] ?? value
    case 'reason':
      return `“${value}”`
    case 'code':
      return errorText(value)
    case 'param':
    case 'provider_code':
    case 'provider':
    case 'model':
    case 'endpoint':
    case 'user':
    case 'session':
    case 'agent':
    case 'project':
    case 'tag':
      return value
  }
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 }

/** What people type for a duration, in seconds where they name no unit; null when it is none. */
export function durationOfText(text: string): string | null {
  const [, amount, unit = 's'] = /^(\d+(?:\.\d+)?)\s*(ms|s|m)?$/.exec(text.trim()) ?? []
  if (amount === undefined) return null
  return String(Math.round(Number(amount) * (UNITS[unit] ?? 1)))
}

/** The change of the address that takes every filter away. */
export function withoutFilters(): Record<string, null> {
  return Object.fromEntries([...FIELDS, 'period', 'from', 'to'].map((field) => [field, null]))
}

export function hasFilters(search: Search): boolean {
  return [...FIELDS, 'period', 'from', 'to'].some((field) => search[field] !== undefined)
}
