/** What is known of a price list before it is sent: its format, and whose models it has. */
export type ImportFormat = 'switchyard' | 'litellm' | 'models.dev'

export const FORMATS: { value: ImportFormat; label: string; hint: string }[] = [
  {
    value: 'switchyard',
    label: 'Switchyard',
    hint: 'The list under registry: of switchyard.yaml as JSON, or the format of the list that the gateway ships',
  },
  { value: 'models.dev', label: 'models.dev', hint: 'Its api.json: providers with their models, prices per million' },
  {
    value: 'litellm',
    label: 'LiteLLM',
    hint: 'model_prices_and_context_window.json: one row a model, prices per token',
  },
]

export type ReadJson = { ok: true; value: unknown } | { ok: false; problem: string }

export function readJson(text: string): ReadJson {
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? `This is not JSON: ${error.message}` : 'This is not JSON' }
  }
}

/** Null when it looks like none of them. */
export function formatOf(list: unknown): ImportFormat | null {
  if (Array.isArray(list)) return 'switchyard'
  if (!isObject(list)) return null
  const rows = Object.values(list).filter(isObject)
  if (rows.some((row) => typeof row['litellm_provider'] === 'string')) return 'litellm'
  if (Array.isArray(list['models']) || isObject(list['models'])) return 'switchyard'
  if (rows.some((row) => isObject(row['models']))) return 'models.dev'
  return null
}

export interface ListedProvider {
  name: string
  models: number
}

/** Whose models the list has, the most first. Our own format names our own providers and needs no mapping. */
export function providersIn(list: unknown, format: ImportFormat): ListedProvider[] {
  if (!isObject(list) || format === 'switchyard') return []
  const counts = new Map<string, number>()
  for (const [key, row] of Object.entries(list)) {
    if (!isObject(row)) continue
    const name = format === 'litellm' ? row['litellm_provider'] : (row['id'] ?? key)
    const models = format === 'litellm' ? 1 : Object.keys(isObject(row['models']) ? row['models'] : {}).length
    if (typeof name === 'string' && name !== '') counts.set(name, (counts.get(name) ?? 0) + models)
  }
  return [...counts]
    .map(([name, models]) => ({ name, models }))
    .sort((a, b) => b.models - a.models || a.name.localeCompare(b.name))
}

/** From the list's names to ours. A name that is also a provider here needs no pair. */
export type Mapping = Record<string, string>

/** `theirs:ours,…` as the gateway takes it; undefined for none. Names with : or , cannot be written and are left out. */
export function mappingText(mapping: Mapping): string | undefined {
  const pairs = Object.entries(mapping).filter(
    ([theirs, ours]) => ours !== '' && theirs !== ours && !/[:,]/.test(theirs),
  )
  return pairs.length === 0 ? undefined : pairs.map(([theirs, ours]) => `${theirs}:${ours}`).join(',')
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
