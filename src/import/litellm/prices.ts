import type { JsonObject } from '../../domain/request/call-request.ts'
import type { Deployment } from './deployment.ts'
import type { MappedRoute } from './mapped-config.ts'
import { approximate, manual, type Notes } from './notes.ts'
import type { KnownModels } from './registry-row.ts'
import type { Rows } from './rows.ts'

/** A model without a price has no cost, and a hard budget refuses it. `registry`: what will be written of models. */
export function checkPrices(
  routes: ReadonlyMap<string, MappedRoute>,
  deployments: readonly Deployment[],
  registry: readonly JsonObject[],
  { rows: { nameOf }, known: { find }, notes }: { rows: Rows; known: KnownModels; notes: Notes },
): void {
  const written = new Map(registry.map((row) => [`${row['provider']}/${row['model']}`, row]))
  const isPriced = (name: string, { vendor, model }: Deployment) => {
    const [own, shipped] = [written.get(name), find(vendor, model)?.prices]
    const prices = [own?.['input_per_mtok'], own?.['unit_prices'], shipped?.input_per_mtok, shipped?.unit_prices]
    return prices.some((price) => price !== undefined && price !== null)
  }
  const named = deployments.map((each) => ({ name: `${nameOf(each)}/${each.model}`, each }))
  const unpriced = new Set(named.filter(({ name, each }) => !isPriced(name, each)).map(({ name }) => name))
  for (const { alias, entries } of routes.values()) {
    const names = [...new Set(entries.map(({ provider, model }) => `${provider}/${model}`))].filter((name) =>
      unpriced.has(name),
    )
    if (names.length === 0) continue
    const message = `no price for ${names.join(', ')}: keys with a hard budget get 402; set one, or use --prices`
    notes.general(`routes.${alias}`, manual(message, 'tighter'))
  }
}

/** What the registry must hold beyond what it ships with; of one model the first deployment counts. */
export function registryRows(
  deployments: readonly Deployment[],
  { nameOf }: Rows,
  { find }: KnownModels,
  notes: Notes,
): JsonObject[] {
  const rows = new Map<string, JsonObject>()
  for (const deployment of deployments) {
    const { registry, model, vendor, wildcard } = deployment
    const shipped = find(vendor, model)
    const added = Object.fromEntries(
      Object.entries(registry).filter(([field, value]) => !isKnown(field, value, shipped)),
    )
    if (wildcard !== null || Object.keys(added).length === 0) continue
    const provider = nameOf(deployment)
    const key = `${provider}/${model}`
    const before = rows.get(key)
    if (before === undefined) rows.set(key, { provider, model, ...added })
    else if (JSON.stringify({ provider, model, ...added }) !== JSON.stringify(before)) {
      notes.add(
        deployment.place,
        'model_name',
        approximate(`registry ${key}`, 'two deployments say different things of this model: the first is used'),
      )
    }
    const was = shipped?.prices
    if (was?.input_per_mtok && added['input_per_mtok']) {
      const message = `${String(added['input_per_mtok'])} and ${String(added['output_per_mtok'])} USD per million tokens instead of ${was.input_per_mtok} and ${was.output_per_mtok}`
      notes.general(`registry.${key}`, approximate(`registry ${key}`, message))
    }
  }
  return [...rows.values()]
}

function isKnown(field: string, value: unknown, shipped: ReturnType<KnownModels['find']>): boolean {
  if (shipped === undefined) return false
  const { facts, prices } = shipped
  const known: JsonObject = {
    ...prices,
    context_window: facts.contextWindow,
    max_output_tokens: facts.maxOutputTokens,
    max_input_tokens: facts.maxInputTokens,
    mode: facts.mode,
  }
  return JSON.stringify(known[field]) === JSON.stringify(value)
}
