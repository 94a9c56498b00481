import { z } from 'zod'
import { RegistryEntry } from '../../domain/file-config.ts'
import { perClass } from '../../domain/pricing/classes.ts'
import { UNITS } from '../../domain/pricing/unit-prices.ts'
import { ProviderName } from '../../domain/route.ts'
import { pageOf, paging, Timestamp } from './fields.ts'
import { operation } from './operation.ts'

const price = z.string().nullable().describe('USD per million tokens, exact; null: unknown, or as plain input')

/** What a list of prices says; shared by a model, a version of its prices and the catalog. */
const classPrices = perClass('price', () => price)
export const prices = {
  ...classPrices,
  tiers: z
    .array(z.strictObject({ prompt_tokens_above: z.int(), ...classPrices }))
    .describe('Prices of the whole request if its prompt is longer'),
  unit_prices: z
    .array(
      z.strictObject({
        name: z.string(),
        unit: z.enum(UNITS).describe('`request`: a call pays once, however often it used the tool'),
        usd_per_1000: z.string().describe('USD for a thousand units, exact'),
        minimum_ms: z.int().optional().describe('Of time: what a call pays at least'),
        step_ms: z.int().optional().describe('Of time: rounded up to a multiple of it'),
      }),
    )
    .describe('Prices of tools that the provider runs, and by units'),
}

const entry = {
  provider: ProviderName,
  model: z.string(),
  mode: z.string(),
  ...prices,
  context_window: z.int().nullable(),
  max_input_tokens: z.int().nullable(),
  max_output_tokens: z.int().nullable(),
  capabilities: z.array(z.string()),
  efforts: z.array(z.string()).nullable().describe('Supported values of reasoning_effort'),
  deprecated: z.boolean(),
  shutdown_date: z.string().nullable(),
  aliases: z.array(z.string()).describe('Other ids that mean this model'),
  note: z.string().nullable(),
}

export const RegistryModel = z.strictObject({
  ...entry,
  price_version: z.int().nullable().describe('Null if no price was ever set'),
  price_source: z.string().nullable(),
  priced_at: Timestamp.nullable(),
  managed_by: z.enum(['config', 'builtin']).nullable().describe('`builtin`: as shipped with this version'),
  updated_at: Timestamp,
})

export const PriceVersion = z.strictObject({
  id: z.int().describe('`price_version` of a request that was priced with it'),
  created_at: Timestamp,
  source: z.string().describe('`api:…`, `config`, `import:…` or `builtin:…`'),
  ...prices,
})

export const IMPORT_FORMATS = ['switchyard', 'litellm', 'models.dev'] as const

const ImportReport = z.strictObject({
  dry_run: z.boolean(),
  format: z.enum(IMPORT_FORMATS),
  source: z.string().describe('Recorded with every price version it creates'),
  added: z.array(z.strictObject(entry)),
  changed: z.array(
    z.strictObject({
      provider: ProviderName,
      model: z.string(),
      changes: z.array(z.strictObject({ field: z.string(), before: z.unknown(), after: z.unknown() })),
    }),
  ),
  unchanged: z.int(),
  skipped: z.array(
    z.strictObject({ reason: z.string(), count: z.int(), names: z.array(z.string()).describe('The first 20') }),
  ),
})

const tag = 'Registry'
const one = z.strictObject({ provider: ProviderName, model: z.string().min(1).max(256) })

export const registryOperations = {
  'registry.list': operation({
    role: 'viewer',
    scope: 'shared',
    method: 'GET',
    path: '/registry',
    tag,
    summary: 'List models with their prices by provider and model',
    query: z.strictObject({
      ...paging,
      provider: ProviderName.optional(),
      capability: z.string().min(1).max(64).optional().describe('e.g. `vision`'),
      priced: z.enum(['true', 'false']).optional().describe('Whether input and output price are known'),
    }),
    reply: pageOf(RegistryModel),
  }),
  'registry.get': operation({
    role: 'viewer',
    scope: 'shared',
    method: 'GET',
    path: '/registry/{provider}/{model}',
    tag,
    summary: 'Get a model with its prices',
    params: one,
    reply: RegistryModel,
    hasVersion: true,
  }),
  'registry.put': operation({
    role: 'admin',
    scope: 'gateway',
    method: 'PUT',
    path: '/registry/{provider}/{model}',
    tag,
    summary: 'Set a model; changed prices create a new version for later calls',
    params: one,
    body: RegistryEntry.omit({ provider: true, model: true }),
    reply: RegistryModel,
    mayCreate: true,
    hasVersion: true,
  }),
  'registry.history': operation({
    role: 'viewer',
    scope: 'shared',
    method: 'GET',
    path: '/registry/{provider}/{model}/history',
    tag,
    summary: 'List the price versions of a model, newest first',
    params: one,
    query: z.strictObject(paging),
    reply: pageOf(PriceVersion),
  }),
  'registry.import': operation({
    role: 'admin',
    scope: 'gateway',
    method: 'POST',
    path: '/registry/import',
    tag,
    summary: 'Import a price list; a dry run by default',
    query: z.strictObject({
      dry_run: z.enum(['true', 'false']).default('true'),
      format: z.enum(IMPORT_FORMATS).default('switchyard'),
      providers: z
        .string()
        .max(4000)
        .regex(/^[^:,]+:[^:,]+(,[^:,]+:[^:,]+)*$/, "pairs of the list's name and ours: theirs:ours,theirs:ours")
        .optional()
        .describe('`theirs:ours,…`; a name of the list that is also a provider here needs no pair'),
    }),
    body: z.unknown().describe('The JSON of the list'),
    reply: ImportReport,
  }),
}
