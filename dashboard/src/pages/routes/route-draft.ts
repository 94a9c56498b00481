import type { Body, Item } from '../../api/client.ts'

export type Route = Item<'routes.list'>
export type Place = Route['chain'][number]
type Group = Extract<Place, { members: unknown }>

/** What the gateway does where an entry leaves it out; a test holds both to the gateway's own. */
export const DEFAULT_TIMEOUT_MS = 600_000
export const DEFAULT_RETRIES = 2
export const MOST_PLACES = 10

/** A route while it is edited. Entries have ids of their own, so that they stay themselves when they move. */
export interface Draft {
  alias: string
  description: string
  interchangeable: boolean
  compaction: Route['compaction']
  promptCache: Route['prompt_cache']
  cache: Route['cache']
  shared: boolean
  /** JSON; empty: none. */
  defaults: string
  /** Neighbours of the same group share a place. */
  chain: readonly DraftEntry[]
}

export interface DraftEntry extends GroupSettings {
  id: number
  provider: string
  model: string
  timeoutMs: number | null
  idleTimeoutMs: number | null
  retries: number | null
  maxOutputTokens: number | null
  weight: number | null
  /** JSON; empty: none. */
  defaults: string
}

/** The same in all entries of a place. */
export interface GroupSettings {
  group: number
  balance: Group['balance']
  sticky: boolean
  hedgeAfterMs: number | null
}

const UNSET = { timeoutMs: null, idleTimeoutMs: null, retries: null, maxOutputTokens: null, weight: null, defaults: '' }
const ALONE = { balance: 'weighted', sticky: true, hedgeAfterMs: null } as const

/** The entries of a place as the gateway returns it. */
export function entriesAt(place: Place): readonly Group['members'][number][] {
  return 'members' in place ? place.members : [place]
}

type Drafted =
  | 'alias'
  | 'description'
  | 'interchangeable'
  | 'compaction'
  | 'prompt_cache'
  | 'cache'
  | 'shared'
  | 'defaults'
  | 'chain'

export function draftOf(route: Pick<Route, Drafted>): Draft {
  let id = 0
  return {
    alias: route.alias,
    description: route.description ?? '',
    interchangeable: route.interchangeable,
    compaction: route.compaction,
    promptCache: route.prompt_cache,
    cache: route.cache,
    shared: route.shared,
    defaults: defaultsText(route.defaults),
    chain: route.chain.flatMap((place, index) =>
      entriesAt(place).map((entry) => {
        id += 1
        return {
          id,
          provider: entry.provider,
          model: entry.model,
          timeoutMs: entry.timeout_ms ?? null,
          idleTimeoutMs: entry.idle_timeout_ms ?? null,
          retries: entry.retries ?? null,
          maxOutputTokens: entry.max_output_tokens ?? null,
          weight: entry.weight ?? null,
          defaults: defaultsText(entry.defaults),
          group: index + 1,
          ...ALONE,
          ...('members' in place ? { balance: place.balance, sticky: place.sticky ?? true } : {}),
          hedgeAfterMs: place.hedge_after_ms ?? null,
        }
      }),
    ),
  }
}

export function emptyDraft(alias = '', first: { provider?: string; model?: string } = {}): Draft {
  const entry = { provider: first.provider ?? '', model: first.model ?? '', ...UNSET, group: 1, ...ALONE }
  const route = {
    alias,
    description: '',
    interchangeable: false,
    compaction: 'emulate',
    promptCache: 'keep',
    cache: null,
  } as const
  return { ...route, shared: false, defaults: '', chain: [{ id: 1, ...entry }] }
}

/** The entries place by place. */
export function placesOf({ chain }: Draft): DraftEntry[][] {
  const places: DraftEntry[][] = []
  for (const entry of chain) {
    const last = places.at(-1)
    if (last?.[0]?.group === entry.group) last.push(entry)
    else places.push([entry])
  }
  return places
}

/** Where an entry stands: its place, its number among those that share it, and its path in the gateway's words. */
export function standingOf(draft: Draft, id: number): { place: number; at: number; sharers: number; path: string } {
  const places = placesOf(draft)
  const place = places.findIndex((entries) => entries.some((entry) => entry.id === id))
  const entries = places[place] ?? []
  const at = entries.findIndex((entry) => entry.id === id)
  const path = entries.length > 1 ? `chain[${place}].members[${at}]` : `chain[${place}]`
  return { place, at, sharers: entries.length, path }
}

/** What is put. Fields that were left empty are left out: the gateway's defaults may change. */
export function bodyOf(draft: Draft): Body<'routes.put'> {
  const { description, interchangeable, compaction, promptCache, cache, shared } = draft
  return {
    ...(description.trim() === '' ? {} : { description: description.trim() }),
    ...(interchangeable ? { interchangeable } : {}),
    ...(compaction === 'refuse' ? { compaction } : {}),
    ...(promptCache === 'auto' ? { prompt_cache: promptCache } : {}),
    ...(cache === null ? {} : { cache }),
    ...(shared ? { shared } : {}),
    ...defaultsBody(draft),
    chain: placesOf(draft).flatMap((entries): Place[] => {
      const [first] = entries
      if (first === undefined) return []
      const hedge = first.hedgeAfterMs === null ? {} : { hedge_after_ms: first.hedgeAfterMs }
      if (entries.length === 1) return [{ ...entryBody(first), ...hedge }]
      const members = entries.map((entry) => {
        return { ...entryBody(entry), ...(entry.weight === null ? {} : { weight: entry.weight }) }
      })
      return [{ balance: first.balance, ...(first.sticky ? {} : { sticky: false }), ...hedge, members }]
    }),
  }
}

function entryBody(entry: DraftEntry) {
  const { provider, model, timeoutMs, idleTimeoutMs, retries, maxOutputTokens } = entry
  return {
    provider,
    model: model.trim(),
    ...(timeoutMs === null ? {} : { timeout_ms: timeoutMs }),
    ...(idleTimeoutMs === null ? {} : { idle_timeout_ms: idleTimeoutMs }),
    ...(retries === null ? {} : { retries }),
    ...(maxOutputTokens === null ? {} : { max_output_tokens: maxOutputTokens }),
    ...defaultsBody(entry),
  }
}

type Defaults = NonNullable<Route['defaults']>

function defaultsText(defaults: Defaults | null | undefined): string {
  return defaults == null ? '' : JSON.stringify(defaults, null, 2)
}

function defaultsBody({ defaults }: { defaults: string }): { defaults?: Defaults } {
  return defaults.trim() === '' || defaultsProblem(defaults) !== null ? {} : { defaults: JSON.parse(defaults) }
}

/** Null: it can be sent. */
export function defaultsProblem(text: string): string | null {
  if (text.trim() === '') return null
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? null : 'A JSON object is expected'
  } catch {
    return 'Not valid JSON'
  }
}

export function withEntry(draft: Draft, id: number, change: Partial<DraftEntry>): Draft {
  return { ...draft, chain: draft.chain.map((entry) => (entry.id === id ? { ...entry, ...change } : entry)) }
}

export function withoutEntry(draft: Draft, id: number): Draft {
  return { ...draft, chain: draft.chain.filter((entry) => entry.id !== id) }
}

export function withNewEntry(draft: Draft): Draft {
  const id = Math.max(0, ...draft.chain.map((entry) => entry.id)) + 1
  return {
    ...draft,
    chain: [...draft.chain, { id, provider: '', model: '', ...UNSET, group: freeGroup(draft), ...ALONE }],
  }
}

function freeGroup({ chain }: Draft): number {
  return Math.max(0, ...chain.map(({ group }) => group)) + 1
}

/**
 * Puts an entry at another place of the list; places that do not exist change nothing. Between two that share a place
 * it becomes one of them, elsewhere it leaves those it shared with.
 */
export function withMoved(draft: Draft, id: number, to: number): Draft {
  const moved = draft.chain.find((entry) => entry.id === id)
  if (moved === undefined || to < 0 || to >= draft.chain.length) return draft
  const isAmongItsOwn = draft.chain[to]?.group === moved.group
  const chain = draft.chain.filter((entry) => entry.id !== id)
  const [before, after] = [chain[to - 1], chain[to]]
  const isAlone = draft.chain.filter(({ group }) => group === moved.group).length === 1
  const host = isAmongItsOwn
    ? moved
    : before !== undefined && before.group === after?.group
      ? before
      : isAlone
        ? moved
        : null
  chain.splice(to, 0, { ...moved, ...(host === null ? { group: freeGroup(draft), ...ALONE } : settingsOf(host)) })
  return { ...draft, chain }
}

function settingsOf({ group, balance, sticky, hedgeAfterMs }: GroupSettings): GroupSettings {
  return { group, balance, sticky, hedgeAfterMs }
}

/** Shares the place of the entry above. */
export function withJoined(draft: Draft, id: number): Draft {
  const index = draft.chain.findIndex((entry) => entry.id === id)
  const [above, entry] = [draft.chain[index - 1], draft.chain[index]]
  if (above === undefined || entry === undefined) return draft
  const { group } = entry
  const chain = draft.chain.map((each) => (each.group === group ? { ...each, ...settingsOf(above) } : each))
  return { ...draft, chain }
}

/** Gets a place of its own, behind those it shared with. */
export function withSeparated(draft: Draft, id: number): Draft {
  const entry = draft.chain.find((each) => each.id === id)
  if (entry === undefined) return draft
  const last = draft.chain.findLastIndex(({ group }) => group === entry.group)
  const chain = draft.chain.filter((each) => each.id !== id)
  chain.splice(last, 0, { ...entry, group: freeGroup(draft), ...ALONE, weight: null })
  return { ...draft, chain }
}

export function withGroup(draft: Draft, group: number, change: Partial<Omit<GroupSettings, 'group'>>): Draft {
  return { ...draft, chain: draft.chain.map((entry) => (entry.group === group ? { ...entry, ...change } : entry)) }
}

export function nameOf({ provider, model }: Pick<DraftEntry, 'provider' | 'model'>): string {
  return `${provider === '' ? '…' : provider}/${model.trim() === '' ? '…' : model.trim()}`
}
