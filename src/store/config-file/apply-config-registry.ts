import type { Transaction } from 'kysely'
import type { FileConfig } from '../../domain/file-config.ts'
import { type ClassPriceField, perClass, TOKEN_CLASSES } from '../../domain/pricing/classes.ts'
import type { PriceList, TokenPrices } from '../../domain/pricing/price.ts'
import { addPriceVersion, type ModelFacts, putModel } from '../control/registry.ts'
import { type BuiltinModel, type BuiltinRegistry, readBuiltinRegistry } from '../control/seed-registry.ts'
import type { Database } from '../engine/schema.ts'
import { StoreError } from '../engine/store-error.ts'

type RegistryEntry = FileConfig['registry'][number]

export async function applyRegistry(
  db: Transaction<Database>,
  entries: readonly RegistryEntry[],
  now: number,
): Promise<void> {
  const builtin = readBuiltinRegistry()
  const named = new Set<string>()
  for (const [index, entry] of entries.entries()) {
    const { provider, model } = entry
    const name = JSON.stringify([provider, model])
    if (named.has(name)) throw new StoreError(`registry[${index}]: ${provider}/${model} is listed twice`)
    named.add(name)
    await putModel(db, factsOf(entry, builtin), 'config', now)
    const prices = pricesOf(entry, builtin)
    if (prices !== null) await addPriceVersion(db, { provider, model, prices, source: 'config' }, now)
  }
}

/** What an entry leaves out is what the gateway itself knows of the model. */
export function factsOf(entry: RegistryEntry, builtin: BuiltinRegistry): ModelFacts {
  const known = shippedFor(entry, builtin)?.facts
  const given = <T>(own: T | null | undefined, ours: T | null | undefined) => (own === undefined ? (ours ?? null) : own)
  return {
    provider: entry.provider,
    model: entry.model,
    aliases: entry.aliases ?? known?.aliases ?? [],
    contextWindow: given(entry.context_window, known?.contextWindow),
    maxOutputTokens: given(entry.max_output_tokens, known?.maxOutputTokens),
    maxInputTokens: given(entry.max_input_tokens, known?.maxInputTokens),
    capabilities: entry.capabilities ?? known?.capabilities ?? [],
    efforts: given(entry.efforts, known?.efforts),
    deprecated: entry.deprecated ?? known?.deprecated ?? false,
    shutdownDate: given(entry.shutdown_date, known?.shutdownDate),
    mode: entry.mode ?? known?.mode ?? 'chat',
    note: given(entry.note, known?.note),
  }
}

function shippedFor({ provider, model }: RegistryEntry, { models }: BuiltinRegistry): BuiltinModel | undefined {
  return models.find(({ facts }) => facts.provider === provider && facts.model === model)
}

/**
 * Null when the entry says nothing of prices: then they stay as they are. A price of null says that it is unknown.
 * Prices per use that it leaves out are the shipped ones: people set those of tokens and do not think of tools.
 */
export function pricesOf(entry: RegistryEntry, builtin: BuiltinRegistry): PriceList | null {
  const base = classPrices(entry)
  const tiers = (entry.tiers ?? []).map((tier) => ({
    prompt_tokens_above: tier.prompt_tokens_above,
    ...classPrices(tier),
  }))
  const own = entry.unit_prices
  const silent =
    own === undefined && entry.tiers === undefined && TOKEN_CLASSES.every(({ price }) => entry[price] === undefined)
  return silent ? null : { ...base, tiers, unit_prices: own ?? shippedFor(entry, builtin)?.prices.unit_prices ?? [] }
}

function classPrices(prices: Partial<Record<ClassPriceField, string | null | undefined>>): TokenPrices {
  return perClass('price', ({ price }) => prices[price] ?? null)
}
