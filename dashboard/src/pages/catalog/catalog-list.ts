import type { Item } from '../../api/client.ts'
import type { Capability } from '../../components/capability-tags.tsx'
import type { Sort } from '../../components/data-table.tsx'

export type CatalogItem = Item<'catalog.list'>
export type CatalogEntry = CatalogItem['chain'][number]

/** The filters of the list; they are kept in the address. */
export interface Filters {
  search: string
  kind: 'alias' | 'direct' | null
  providers: string[]
  capabilities: string[]
  hidesDeprecated: boolean
  sort: Sort | undefined
}

export function filtersOf(search: Record<string, string>): Filters {
  const { kind } = search
  return {
    search: search['search'] ?? '',
    kind: kind === 'alias' || kind === 'direct' ? kind : null,
    providers: listOf(search['provider']),
    capabilities: listOf(search['capability']),
    hidesDeprecated: search['deprecated'] === 'hide',
    sort: sortOf(search['sort']),
  }
}

function listOf(text: string | undefined): string[] {
  return (text ?? '').split(',').filter((part) => part !== '')
}

/** `-input` is the dearest first. */
export function sortOf(text: string | undefined): Sort | undefined {
  if (text === undefined || text === '') return undefined
  return text.startsWith('-') ? { by: text.slice(1), descending: true } : { by: text, descending: false }
}

export function sortText({ by, descending }: Sort): string {
  return descending ? `-${by}` : by
}

export function isFiltered(filters: Filters): boolean {
  return (
    filters.search.trim() !== '' ||
    filters.kind !== null ||
    filters.providers.length > 0 ||
    filters.capabilities.length > 0 ||
    filters.hidesDeprecated
  )
}

/**
 * An alias matches if any of its entries does. Its capabilities must be in one entry: the call goes to one of them, and
 * those that cannot express it are skipped.
 */
export function matches(item: CatalogItem, filters: Filters): boolean {
  if (filters.kind !== null && item.kind !== filters.kind) return false
  if (filters.hidesDeprecated && item.chain.some(({ deprecated }) => deprecated)) return false
  if (filters.providers.length > 0 && !item.chain.some(({ provider }) => filters.providers.includes(provider))) {
    return false
  }
  const canAll = ({ capabilities }: CatalogEntry) => filters.capabilities.every((name) => capabilities.includes(name))
  if (filters.capabilities.length > 0 && !item.chain.some(canAll)) return false
  const text = searchedText(item)
  return filters.search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

function searchedText({ id, description, chain }: CatalogItem): string {
  return [id, description ?? '', ...chain.map(({ provider, model }) => `${provider}/${model}`)].join('\n').toLowerCase()
}

/** The names that people look for come in this order; all others after them. */
const KNOWN_ORDER = ['vision', 'pdf', 'tools', 'json_schema', 'reasoning', 'prompt_caching', 'citations', 'logprobs']

function place(name: string): number {
  const known = KNOWN_ORDER.indexOf(name)
  return known < 0 ? KNOWN_ORDER.length : known
}

function byPlace(a: string, b: string): number {
  return place(a) - place(b) || a.localeCompare(b)
}

export function capabilitiesOf(item: CatalogItem): Capability[] {
  const names = [...new Set(item.chain.flatMap(({ capabilities }) => capabilities))].sort(byPlace)
  return names.map((name) => ({
    name,
    isPartial: !item.chain.every(({ capabilities }) => capabilities.includes(name)),
  }))
}

export function capabilitiesOfEntry({ capabilities }: CatalogEntry): Capability[] {
  return [...capabilities].sort(byPlace).map((name) => ({ name }))
}

/** Which providers and capabilities there are to choose from, each with how many rows have it. */
export function choices(items: readonly CatalogItem[]) {
  return {
    providers: counted(items, ({ provider }) => [provider]).sort((a, b) => a.name.localeCompare(b.name)),
    capabilities: counted(items, ({ capabilities }) => capabilities).sort((a, b) => byPlace(a.name, b.name)),
  }
}

function counted(items: readonly CatalogItem[], namesOf: (entry: CatalogEntry) => readonly string[]) {
  const counts = new Map<string, number>()
  for (const item of items) {
    for (const name of new Set(item.chain.flatMap(namesOf))) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return [...counts].map(([name, rows]) => ({ name, rows }))
}

/** The first entry that is deprecated; for an alias that may be a later one of its chain. */
export function deprecatedEntry(item: CatalogItem): CatalogEntry | undefined {
  return item.chain
    .filter(({ deprecated, shutdown_date }) => deprecated || shutdown_date !== null)
    .sort((a, b) => (a.shutdown_date ?? '9999').localeCompare(b.shutdown_date ?? '9999'))[0]
}
