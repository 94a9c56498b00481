import type { Item } from '../../api/client.ts'
import type { Sort } from '../../components/data-table.tsx'
import { CACHE_WRITE_CLASSES } from '../../format/token-classes.ts'

export type RegistryModel = Item<'registry.list'>

/** Which models are shown and how, as the address has it. */
export interface RegistryView {
  search: string
  provider: string | null
  /** `own`: prices set here or by the file; `unpriced`: calls are logged without a cost. */
  only: 'own' | 'unpriced' | 'deprecated' | null
  sort: Sort
}

const ONLY = ['own', 'unpriced', 'deprecated'] as const

export function viewOf(search: Record<string, string>): RegistryView {
  const { search: text = '', provider, only, sort = 'model' } = search
  const descending = sort.startsWith('-')
  return {
    search: text,
    provider: provider ?? null,
    only: ONLY.find((name) => name === only) ?? null,
    sort: { by: descending ? sort.slice(1) : sort, descending },
  }
}

export function sortText({ by, descending }: Sort): string | null {
  const text = descending ? `-${by}` : by
  return text === 'model' ? null : text
}

export function isUnpriced({ input_per_mtok, output_per_mtok }: RegistryModel): boolean {
  return input_per_mtok === null || output_per_mtok === null
}

/** Whether the prices in force were set here, and not shipped with the gateway. */
export function isOwn({ price_source, managed_by }: RegistryModel): boolean {
  return managed_by !== 'builtin' || (price_source !== null && !price_source.startsWith('builtin:'))
}

export function shownModels(models: readonly RegistryModel[], view: RegistryView): RegistryModel[] {
  const words = view.search.toLowerCase().split(/\s+/).filter(Boolean)
  const matches = models.filter((model) => {
    if (view.provider !== null && model.provider !== view.provider) return false
    if (view.only === 'unpriced' && !isUnpriced(model)) return false
    if (view.only === 'deprecated' && !model.deprecated) return false
    if (view.only === 'own' && !isOwn(model)) return false
    const text = [`${model.provider}/${model.model}`, ...model.aliases, ...model.capabilities].join(' ').toLowerCase()
    return words.every((word) => text.includes(word))
  })
  return matches.sort(compareBy(view.sort))
}

type Figure = number | null

const FIGURES: Record<string, (model: RegistryModel) => Figure> = {
  input: (model) => drawable(model.input_per_mtok),
  cached: (model) => drawable(model.cached_input_per_mtok),
  write: (model) => drawable(cacheWriteOf(model)),
  output: (model) => drawable(model.output_per_mtok),
  window: (model) => model.context_window,
  answer: (model) => model.max_output_tokens,
}

/** Unknown values come last in both directions. */
function compareBy({ by, descending }: Sort): (a: RegistryModel, b: RegistryModel) => number {
  const direction = descending ? -1 : 1
  const figure = FIGURES[by]
  const byName = (a: RegistryModel, b: RegistryModel) =>
    a.provider.localeCompare(b.provider) || a.model.localeCompare(b.model, 'en', { numeric: true })
  if (figure !== undefined) {
    return (a, b) => {
      const [left, right] = [figure(a), figure(b)]
      if (left === null || right === null) return Number(left === null) - Number(right === null) || byName(a, b)
      return (left - right) * direction || byName(a, b)
    }
  }
  if (by === 'priced_at') {
    return (a, b) => (a.priced_at ?? '').localeCompare(b.priced_at ?? '') * direction || byName(a, b)
  }
  return (a, b) => byName(a, b) * direction
}

/** For comparing only: prices that are shown keep their digits. */
function drawable(price: string | null): Figure {
  return price === null ? null : Number(price)
}

/** The cache write price that most calls pay: the one of the shortest lifetime. */
export function cacheWriteOf(model: RegistryModel): string | null {
  return CACHE_WRITE_CLASSES.map(({ price }) => model[price]).find((price) => price !== null) ?? null
}

/** `import:litellm:2026-11-01` as text. */
export function sourceText(source: string | null): string {
  if (source === null) return 'no price set'
  const [kind = '', ...rest] = source.split(':')
  const detail = rest.join(':')
  if (kind === 'builtin') return `shipped ${detail}`
  if (kind === 'api') return `set by ${detail}`
  if (kind === 'config') return 'switchyard.yaml'
  if (kind === 'import') return `import of ${rest[0]}`
  return source
}
