import { readFileSync } from 'node:fs'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import { perClass } from '../../domain/pricing/classes.ts'
import type { PriceList } from '../../domain/pricing/price.ts'
import { UNITS, type UnitPrice } from '../../domain/pricing/unit-prices.ts'
import type { Database } from '../engine/schema.ts'
import { changeControlData } from './control-transaction.ts'
import { addPriceVersions, type ModelFacts, newestPriceVersions, putModels } from './registry.ts'
import { rowVendor } from './vendor.ts'

/** Price lists write numbers; the shortest decimal that means the same double is what their author wrote. */
const price = z
  .number()
  .nullish()
  .transform((value) => (value === null || value === undefined ? null : String(value)))

const classPrices = perClass('price', () => price)

/** What the model itself is billed by. */
const UnitRow = z.object({
  name: z.string(),
  unit: z.enum(UNITS),
  usd_per_1000: z.number().transform(String),
  step_ms: z.int().optional(),
})

const Model = z.object({
  provider: z.string(),
  id: z.string(),
  mode: z.string(),
  aliases: z.array(z.string()).default([]),
  context_window: z.int().nullish(),
  max_output_tokens: z.int().nullish(),
  max_input_tokens: z.int().nullish(),
  capabilities: z.array(z.string()),
  reasoning_efforts: z.array(z.string()).nullish(),
  deprecated: z.boolean(),
  shutdown_date: z.string().nullish(),
  note: z.string().nullish(),
  tiers: z.array(z.object({ prompt_tokens_above: z.int(), ...classPrices })).default([]),
  unit_prices: z.array(UnitRow).default([]),
  ...classPrices,
})

/** Of every chat model of the provider whose id begins so; the longest beginning wins. */
const ToolPrice = z.object({
  provider: z.string(),
  models: z.string().default(''),
  name: z.string(),
  unit: z.enum(UNITS),
  usd_per_1000: z.number().transform(String),
})
type ToolPrice = z.infer<typeof ToolPrice>

const FactsFile = z.object({
  as_of: z.string(),
  models: z.array(Model),
  unit_prices: z.array(ToolPrice).default([]),
})

export interface BuiltinModel {
  facts: ModelFacts
  prices: PriceList
  /** Listed only where there is a provider of this vendor: the list of another file, with its own date. */
  ofVendor?: { asOf: string }
}

export interface BuiltinRegistry {
  asOf: string
  models: readonly BuiltinModel[]
}

let shipped: BuiltinRegistry | null = null

/** The models this version of the gateway was shipped with. */
export function readBuiltinRegistry(): BuiltinRegistry {
  shipped ??= readShipped()
  return shipped
}

function readShipped(): BuiltinRegistry {
  const { asOf, models } = readFacts('./model-facts.json')
  const vendors = readFacts('./vendor-facts.json')
  const ofVendor = { asOf: vendors.asOf }
  return { asOf, models: [...models, ...vendors.models.map((model) => ({ ...model, ofVendor }))] }
}

function readFacts(file: string): BuiltinRegistry {
  return parseFacts(JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')))
}

/** Throws a ZodError for what is not in the format of the shipped list. */
export function parseFacts(value: unknown): BuiltinRegistry {
  const file = FactsFile.parse(value)
  return { asOf: file.as_of, models: file.models.map((model) => builtinModel(model, file.unit_prices)) }
}

function unitPricesOf({ provider, id, mode }: z.infer<typeof Model>, tools: readonly ToolPrice[]): UnitPrice[] {
  if (mode !== 'chat' && mode !== 'responses') return []
  const found = tools.filter((tool) => tool.provider === provider && id.startsWith(tool.models))
  const nearest = found.toSorted((a, b) => a.models.length - b.models.length)
  const byName = nearest.map(({ name, unit, usd_per_1000 }) => [name, { name, unit, usd_per_1000 }] as const)
  return [...new Map(byName).values()]
}

function builtinModel(model: z.infer<typeof Model>, tools: readonly ToolPrice[]): BuiltinModel {
  const { provider, id, mode, aliases, capabilities, deprecated } = model
  const facts: ModelFacts = {
    provider,
    model: id,
    aliases,
    contextWindow: model.context_window ?? null,
    maxOutputTokens: model.max_output_tokens ?? null,
    maxInputTokens: model.max_input_tokens ?? null,
    capabilities,
    efforts: model.reasoning_efforts ?? null,
    deprecated,
    shutdownDate: model.shutdown_date ?? null,
    mode,
    note: model.note ?? null,
  }
  const units = unitPricesOf(model, tools)
  const prices: PriceList = { ...perClass('price', ({ price }) => model[price]), tiers: model.tiers }
  const priced = isPriced(prices) ? [...units, ...model.unit_prices] : model.unit_prices
  return { facts, prices: priced.length === 0 ? prices : { ...prices, unit_prices: priced } }
}

/** How the source of a shipped price begins. */
export const BUILTIN = 'builtin:'

/**
 * Brings the registry up to what this version knows. What the operator set stays: rows owned by the configuration file
 * and prices from any other source. A price that came from the file goes back to ours once the file has let go of it.
 */
export async function seedRegistry(
  db: Kysely<Database>,
  now: number,
  builtin: BuiltinRegistry = readBuiltinRegistry(),
): Promise<void> {
  await changeControlData(db, async (transaction) => {
    const vendors = await vendorsIn(transaction)
    const rows = byModel(await transaction.selectFrom('registry').selectAll().execute())
    const versions = byModel(await newestPriceVersions(transaction))
    const models = builtin.models
      .filter(({ facts, ofVendor }) => ofVendor === undefined || vendors.has(facts.provider))
      .map((model) => ({ ...model, present: rows.get(nameOf(model.facts)) ?? null }))
      .filter(({ present }) => present === null || present.managed_by === 'builtin')
    await putModels(transaction, models, 'builtin', now)
    const priced = models.flatMap(({ facts, prices, ofVendor }) => {
      const { provider, model } = facts
      const newest = versions.get(nameOf(facts)) ?? null
      const isOurs =
        newest === null ? isPriced(prices) : newest.source.startsWith(BUILTIN) || newest.source === 'config'
      const source = BUILTIN + (ofVendor ?? builtin).asOf
      return isOurs ? [{ input: { provider, model, prices, source }, newest }] : []
    })
    await addPriceVersions(transaction, priced, now)
  })
}

const nameOf = ({ provider, model }: { provider: string; model: string }) => `${provider}/${model}`

function byModel<Row extends { provider: string; model: string }>(rows: readonly Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [nameOf(row), row]))
}

/** The vendors with a provider. */
async function vendorsIn(db: Kysely<Database>): Promise<Set<string>> {
  const rows = await db.selectFrom('providers').select(['family', 'base_url', 'options']).execute()
  return new Set(rows.flatMap((row) => rowVendor(row) ?? []))
}

function isPriced(prices: PriceList): boolean {
  return prices.input_per_mtok !== null || prices.output_per_mtok !== null || prices.unit_prices !== undefined
}
