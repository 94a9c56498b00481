import { useOperation } from '../../api/hooks.ts'
import { errorText } from '../../format/error-words.ts'
import { count } from '../../format/number.ts'
import { CACHE_WORDS } from '../../format/response-cache.ts'
import { useWorkspace } from '../../shell/place.ts'
import { DIRECT, ENDINGS, type Field, KIND_WORDS } from './filters.ts'

export interface Option {
  label: string
  note?: string
  /** What choosing it changes in the address. */
  change: Record<string, string | null>
}

type GroupedField =
  | 'route'
  | 'provider'
  | 'model'
  | 'key'
  | 'code'
  | 'endpoint'
  | 'user'
  | 'session'
  | 'agent'
  | 'project'

const STATUSES: [value: string, label: string, note: string][] = [
  ['ok', 'OK', 'answered with 200'],
  ['error', 'Any error', 'whatever went wrong'],
  ['400', '400', 'not valid'],
  ['402', '402', 'budget used up'],
  ['403', '403', 'not allowed'],
  ['404', '404', 'no such model'],
  ['429', '429', 'rate limited'],
  ['499', '499', 'the caller hung up'],
  ['500', '500', 'the gateway failed'],
  ['502', '502', 'the provider failed'],
  ['503', '503', 'none available'],
  ['504', '504', 'too slow'],
  ['0', 'Interrupted', 'the gateway stopped first'],
]

const FIXED: Partial<Record<Field, Option[]>> = {
  status: STATUSES.map(([value, label, note]) => ({ label, note, change: { status: value } })),
  fallback: [
    { label: 'A fallback served', change: { fallback: 'true' } },
    { label: 'No fallback needed', change: { fallback: 'false' } },
  ],
  cache: Object.entries(CACHE_WORDS).map(([cache, words]) => ({ label: sentence(words), change: { cache } })),
  streamed: [
    { label: 'Streams', change: { streamed: 'true' } },
    { label: 'Whole answers', change: { streamed: 'false' } },
  ],
  kind: Object.entries(KIND_WORDS).map(([kind, words]) => ({ label: sentence(words), change: { kind } })),
  ended: Object.entries(ENDINGS).map(([ended, words]) => ({ label: sentence(words), change: { ended } })),
}

function sentence(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Typed, not chosen. */
const TYPED: ReadonlySet<Field> = new Set<Field>([
  'min_cost_usd',
  'min_duration_ms',
  'max_duration_ms',
  'tag',
  'reason',
  'param',
  'provider_code',
])

/** Far enough back to know what is in use, near enough to be quick in a log of millions. */
const DAYS = 7

function firstDay(): string {
  return new Date(Date.now() - DAYS * 86_400_000).toISOString().slice(0, 10)
}

/** What there is to choose from: fixed words, or what the calls of the last days had there, the most frequent first. */
export function useOptions(field: Field): { options: Option[]; isLoading: boolean; isFree: boolean } {
  const workspace = useWorkspace()
  const fixed = FIXED[field]
  const isGrouped = fixed === undefined && !TYPED.has(field)
  const usage = useOperation(
    'usage.get',
    { query: { workspace, from: firstDay(), group_by: isGrouped ? (field as GroupedField) : 'route' } },
    { enabled: isGrouped },
  )
  if (fixed !== undefined) return { options: fixed, isLoading: false, isFree: field === 'status' }
  const groups = usage.isPlaceholderData ? [] : (usage.data?.data ?? [])
  return {
    options: groups
      .toSorted((a, b) => b.requests - a.requests)
      .flatMap(({ group, name, requests }) => optionOf(field as GroupedField, group, name, requests)),
    isLoading: usage.isPending || usage.isPlaceholderData,
    isFree: true,
  }
}

function optionOf(field: GroupedField, group: string | null, name: string | null, requests: number): Option[] {
  const note = count(requests)
  if (group === null) return field === 'route' ? [{ label: 'Direct model ids', note, change: { route: DIRECT } }] : []
  if (field === 'code') return [{ label: errorText(group), note, change: { code: group } }]
  if (field !== 'model') return [{ label: name ?? group, note, change: { [field]: group } }]
  const slash = group.indexOf('/')
  return [{ label: group, note, change: { provider: group.slice(0, slash), model: group.slice(slash + 1) } }]
}
