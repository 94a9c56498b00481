import type { Kysely } from 'kysely'
import { perClass } from '../../domain/pricing/classes.ts'
import { type PriceList, parsePrices, picodollarsPerToken, type TokenPrices } from '../../domain/pricing/price.ts'
import type { Database, ManagedBy, PriceVersionRow, RegistryRow } from '../engine/schema.ts'
import { changeControlData } from './control-transaction.ts'

/** What is known of a model besides its price. */
export interface ModelFacts {
  provider: string
  model: string
  aliases: readonly string[]
  contextWindow: number | null
  maxOutputTokens: number | null
  maxInputTokens: number | null
  capabilities: readonly string[]
  efforts: readonly string[] | null
  deprecated: boolean
  shutdownDate: string | null
  mode: string
  note: string | null
}

export async function findModel(db: Kysely<Database>, provider: string, model: string): Promise<RegistryRow | null> {
  const row = await db
    .selectFrom('registry')
    .selectAll()
    .where('provider', '=', provider)
    .where('model', '=', model)
    .executeTakeFirst()
  return row ?? null
}

/** Writes the whole row; true when something changed. */
export async function putModel(
  db: Kysely<Database>,
  facts: ModelFacts,
  managedBy: ManagedBy,
  now: number,
): Promise<boolean> {
  return changeControlData(db, async (transaction) => {
    const present = await findModel(transaction, facts.provider, facts.model)
    const row = registryRow(facts, managedBy, present?.updated_at ?? now)
    if (present === null) {
      await transaction.insertInto('registry').values(row).execute()
      return true
    }
    if (JSON.stringify(columnsOf(present, row)) === JSON.stringify(row)) return false
    await transaction
      .updateTable('registry')
      .set({ ...row, updated_at: now })
      .where('provider', '=', facts.provider)
      .where('model', '=', facts.model)
      .execute()
    return true
  })
}

export async function deleteModel(db: Kysely<Database>, provider: string, model: string): Promise<boolean> {
  const result = await db
    .deleteFrom('registry')
    .where('provider', '=', provider)
    .where('model', '=', model)
    .executeTakeFirst()
  return result.numDeletedRows === 1n
}

/**
 * Prices are never changed, only followed by a newer version, so that every logged cost can be explained.
 * Returns the id of the version in force; a list equal to the newest one makes no new version.
 */
export async function addPriceVersion(
  db: Kysely<Database>,
  input: { provider: string; model: string; prices: PriceList; source: string },
  now: number,
): Promise<number> {
  const prices = JSON.stringify(canonicalPrices(input.prices))
  return changeControlData(db, async (transaction) => {
    const newest = await newestPriceVersion(transaction, input.provider, input.model)
    if (newest !== null && JSON.stringify(parsePrices(newest.prices)) === prices) return newest.id
    const row = { provider: input.provider, model: input.model, source: input.source, prices, created_at: now }
    const inserted = await transaction
      .insertInto('price_versions')
      .values(row)
      .returning('id')
      .executeTakeFirstOrThrow()
    return inserted.id
  })
}

export async function newestPriceVersion(
  db: Kysely<Database>,
  provider: string,
  model: string,
): Promise<PriceVersionRow | null> {
  const [newest] = await priceHistory(db, provider, model, 1)
  return newest ?? null
}

/** Newest first. */
export async function priceHistory(
  db: Kysely<Database>,
  provider: string,
  model: string,
  limit: number,
): Promise<PriceVersionRow[]> {
  return db
    .selectFrom('price_versions')
    .selectAll()
    .where('provider', '=', provider)
    .where('model', '=', model)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

/** One spelling for one price ("0.10" is "0.1"), so that equal lists are equal texts. Throws for what is no price. */
export function canonicalPrices(list: PriceList): PriceList {
  const tiers = list.tiers
    .map((tier) => ({ prompt_tokens_above: tier.prompt_tokens_above, ...canonicalClasses(tier) }))
    .sort((a, b) => a.prompt_tokens_above - b.prompt_tokens_above)
  const base = canonicalClasses(list)
  // Left out where there is none, as in lists of earlier versions: equal lists are equal texts.
  if (list.unit_prices === undefined || list.unit_prices.length === 0) return { ...base, tiers }
  const units = list.unit_prices.map(({ name, unit, usd_per_1000, minimum_ms, step_ms }) => ({
    ...{ name, unit, usd_per_1000: canonicalDecimal(usd_per_1000) ?? '0' },
    ...(minimum_ms !== undefined && { minimum_ms }),
    ...(step_ms !== undefined && { step_ms }),
  }))
  return { ...base, tiers, unit_prices: units.sort((a, b) => (a.name < b.name ? -1 : 1)) }
}

function canonicalClasses(prices: TokenPrices): TokenPrices {
  return perClass('price', ({ price }) => canonicalDecimal(prices[price]))
}

function canonicalDecimal(price: string | null): string | null {
  if (price === null) return null
  const perToken = picodollarsPerToken(price)
  const fraction = String(perToken % 1_000_000n)
    .padStart(6, '0')
    .replace(/0+$/, '')
  const whole = String(perToken / 1_000_000n)
  return fraction === '' ? whole : `${whole}.${fraction}`
}

function registryRow(facts: ModelFacts, managedBy: ManagedBy, updatedAt: number): RegistryRow {
  return {
    provider: facts.provider,
    model: facts.model,
    aliases: JSON.stringify(facts.aliases),
    context_window: facts.contextWindow,
    max_output_tokens: facts.maxOutputTokens,
    max_input_tokens: facts.maxInputTokens,
    capabilities: JSON.stringify(facts.capabilities),
    efforts: facts.efforts === null ? null : JSON.stringify(facts.efforts),
    deprecated: facts.deprecated ? 1 : 0,
    shutdown_date: facts.shutdownDate,
    mode: facts.mode,
    note: facts.note,
    managed_by: managedBy,
    updated_at: updatedAt,
  }
}

/** The row as found, its columns in the order of the other one. */
function columnsOf(found: RegistryRow, like: RegistryRow): Partial<RegistryRow> {
  return Object.fromEntries(Object.keys(like).map((column) => [column, found[column as keyof RegistryRow]]))
}
