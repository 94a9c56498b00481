import type { Sort } from '../../components/data-table.tsx'
import { type CatalogEntry, type CatalogItem, capabilitiesOf, deprecatedEntry } from './catalog-list.ts'

type Value = string | number | null

/** An alias stands where its first entry would: that is where its calls go. */
function first(value: (entry: CatalogEntry) => Value): (item: CatalogItem) => Value {
  return ({ chain }) => (chain[0] === undefined ? null : value(chain[0]))
}

/** Exact enough for an order: two prices that differ only beyond a double's digits are the same price. */
function price(usd: string | null): number | null {
  return usd === null ? null : Number(usd)
}

const VALUES: Record<string, (item: CatalogItem) => Value> = {
  id: ({ id }) => id,
  provider: first(({ provider }) => provider),
  input: first((entry) => price(entry.input_per_mtok)),
  cached: first((entry) => price(entry.cached_input_per_mtok)),
  output: first((entry) => price(entry.output_per_mtok)),
  window: first((entry) => entry.context_window),
  longest: first((entry) => entry.max_output_tokens),
  capabilities: (item) => capabilitiesOf(item).length,
  shutdown: (item) => {
    const entry = deprecatedEntry(item)
    return entry === undefined ? null : (entry.shutdown_date ?? '9999')
  },
}

/** Without an order the list stays as the gateway has it. What is unknown comes last either way. */
export function sorted(items: readonly CatalogItem[], sort: Sort | undefined): readonly CatalogItem[] {
  const read = sort === undefined ? undefined : VALUES[sort.by]
  if (sort === undefined || read === undefined) return items
  const direction = sort.descending ? -1 : 1
  return items
    .map((item) => ({ item, value: read(item) }))
    .sort((a, b) => compare(a.value, b.value, direction))
    .map(({ item }) => item)
}

function compare(a: Value, b: Value, direction: number): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  if (typeof a === 'number' && typeof b === 'number') return (a - b) * direction
  return String(a).localeCompare(String(b), 'en', { numeric: true }) * direction
}
