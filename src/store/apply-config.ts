import type { Kysely, Transaction } from 'kysely'
import type { FileConfig } from '../domain/file-config.ts'
import type { PriceList, TokenPrices } from '../domain/price.ts'
import type { Provider } from '../domain/provider.ts'
import { applyKeys } from './apply-config-keys.ts'
import { changeControlData } from './control-transaction.ts'
import { deleteProvider, ensureEnvironmentProviders, findProvider, putProvider } from './providers.ts'
import { addPriceVersion, deleteModel, type ModelFacts, putModel } from './registry.ts'
import { deleteRoute, putRoute } from './routes.ts'
import type { Database } from './schema.ts'
import type { Secrets } from './secrets.ts'
import { type BuiltinRegistry, readBuiltinRegistry, seedRegistry } from './seed-registry.ts'
import { StoreError } from './store-error.ts'
import { ensureWorkspace } from './workspaces.ts'

export interface CreatedKey {
  workspace: string
  name: string
  value: string
}

export interface ConfigResult {
  /** Keys without a value in the file that were made now: the only time their values are known. */
  created: CreatedKey[]
}

interface Applying {
  db: Transaction<Database>
  secrets: Secrets
  config: FileConfig
  /** Providers that exist from the environment; the file's definition of one adds to it. */
  environment: readonly Provider[]
  now: number
}

/**
 * Makes the file so, in one transaction: what it names is written and belongs to it, what belonged to it and is no
 * longer named goes, all else stays. Applying the same file again changes nothing; a bad one changes nothing either.
 */
export async function applyConfig(
  db: Kysely<Database>,
  secrets: Secrets,
  config: FileConfig,
  now: number,
  environment: readonly Provider[],
): Promise<ConfigResult> {
  return changeControlData(db, async (transaction) => {
    const applying: Applying = { db: transaction, secrets, config, environment, now }
    await applyProviders(applying)
    for (const name of Object.keys(config.workspaces)) await ensureWorkspace(transaction, name, now)
    await applyRoutes(applying)
    const created = await applyKeys(transaction, config, now)
    await applyRegistry(applying)
    await checkChains(transaction)
    return { created }
  })
}

async function applyProviders({ db, secrets, config, environment, now }: Applying): Promise<void> {
  for (const [name, definition] of Object.entries(config.providers)) {
    const inherited = environment.find((provider) => provider.name === name)
    const family = definition.family ?? inherited?.family ?? (await findProvider(db, name))?.family
    if (family === undefined) throw new StoreError(`providers.${name}: "family" is missing`)
    const provider: Provider = {
      name,
      family,
      baseUrl: definition.base_url ?? inherited?.baseUrl ?? null,
      apiKey: definition.api_key ?? inherited?.apiKey ?? null,
      headers: definition.headers ?? inherited?.headers ?? {},
    }
    await putProvider(db, secrets, provider, 'config', now)
  }
  const owned = await db.selectFrom('providers').select('name').where('managed_by', '=', 'config').execute()
  for (const { name } of owned) if (!Object.hasOwn(config.providers, name)) await deleteProvider(db, name)
  await ensureEnvironmentProviders(db, secrets, environment, now)
}

async function applyRoutes({ db, config, now }: Applying): Promise<void> {
  for (const [workspace, { routes }] of Object.entries(config.workspaces)) {
    for (const [alias, definition] of Object.entries(routes)) {
      await putRoute(db, { workspace, alias, definition, managedBy: 'config' }, now)
    }
  }
  const owned = await db
    .selectFrom('routes')
    .select(['workspace', 'alias'])
    .where('managed_by', '=', 'config')
    .execute()
  for (const { workspace, alias } of owned) {
    const routes = Object.hasOwn(config.workspaces, workspace) ? config.workspaces[workspace]?.routes : undefined
    if (routes === undefined || !Object.hasOwn(routes, alias)) await deleteRoute(db, workspace, alias)
  }
}

type RegistryEntry = FileConfig['registry'][number]

async function applyRegistry({ db, config, now }: Applying): Promise<void> {
  const builtin = readBuiltinRegistry()
  const named = new Set<string>()
  for (const [index, entry] of config.registry.entries()) {
    const { provider, model } = entry
    const name = JSON.stringify([provider, model])
    if (named.has(name)) throw new StoreError(`registry[${index}]: ${provider}/${model} is listed twice`)
    named.add(name)
    await putModel(db, factsOf(entry, builtin), 'config', now)
    const prices = pricesOf(entry)
    if (prices !== null) await addPriceVersion(db, { provider, model, prices, source: 'config' }, now)
  }
  const owned = await db
    .selectFrom('registry')
    .select(['provider', 'model'])
    .where('managed_by', '=', 'config')
    .execute()
  for (const { provider, model } of owned) {
    if (!named.has(JSON.stringify([provider, model]))) await deleteModel(db, provider, model)
  }
  // A model of ours that the file has let go of becomes ours again.
  await seedRegistry(db, now, builtin)
}

/** What the file leaves out is what the gateway itself knows of the model. */
function factsOf(entry: RegistryEntry, builtin: BuiltinRegistry): ModelFacts {
  const known = builtin.models.find(
    ({ facts }) => facts.provider === entry.provider && facts.model === entry.model,
  )?.facts
  return {
    provider: entry.provider,
    model: entry.model,
    aliases: entry.aliases ?? known?.aliases ?? [],
    contextWindow: entry.context_window ?? known?.contextWindow ?? null,
    maxOutputTokens: entry.max_output_tokens ?? known?.maxOutputTokens ?? null,
    maxInputTokens: known?.maxInputTokens ?? null,
    capabilities: entry.capabilities ?? known?.capabilities ?? [],
    efforts: entry.efforts ?? known?.efforts ?? null,
    deprecated: entry.deprecated ?? known?.deprecated ?? false,
    shutdownDate: known?.shutdownDate ?? null,
    mode: known?.mode ?? 'chat',
    note: known?.note ?? null,
  }
}

/** Null when the entry says nothing of prices: then they stay as they are. */
function pricesOf(entry: RegistryEntry): PriceList | null {
  const base = classPrices(entry)
  const tiers = (entry.tiers ?? []).map((tier) => ({
    prompt_tokens_above: tier.prompt_tokens_above,
    ...classPrices(tier),
  }))
  const silent = tiers.length === 0 && Object.values(base).every((price) => price === null)
  return silent ? null : { ...base, tiers }
}

type LoosePrices = { [Field in keyof TokenPrices]?: string | null | undefined }

function classPrices(prices: LoosePrices): TokenPrices {
  return {
    input_per_mtok: prices.input_per_mtok ?? null,
    cached_input_per_mtok: prices.cached_input_per_mtok ?? null,
    cache_write_5m_per_mtok: prices.cache_write_5m_per_mtok ?? null,
    cache_write_30m_per_mtok: prices.cache_write_30m_per_mtok ?? null,
    cache_write_1h_per_mtok: prices.cache_write_1h_per_mtok ?? null,
    output_per_mtok: prices.output_per_mtok ?? null,
  }
}

/** Of every route, also those that the file does not own: the file may have removed the provider of one. */
async function checkChains(db: Transaction<Database>): Promise<void> {
  const providers = await db.selectFrom('providers').select('name').execute()
  const known = new Set(providers.map(({ name }) => name))
  for (const row of await db.selectFrom('routes').select(['workspace', 'alias', 'chain']).execute()) {
    const chain = JSON.parse(row.chain) as { provider: string }[]
    const index = chain.findIndex((entry) => !known.has(entry.provider))
    if (index >= 0) {
      throw new StoreError(
        `workspaces.${row.workspace}.routes.${row.alias}.chain[${index}]: ` +
          `there is no provider "${chain[index]?.provider}"`,
      )
    }
  }
}
