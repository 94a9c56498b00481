import type { Kysely, Transaction } from 'kysely'
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
    return (await putModels(transaction, [{ facts, present }], managedBy, now)) > 0
  })
}

/** The same for many, each with its row as it is there: how many were written. */
export async function putModels(
  db: Transaction<Database>,
  models: readonly { facts: ModelFacts; present: RegistryRow | null }[],
  managedBy: ManagedBy,
  now: number,
): Promise<number> {
  const rows = models.map(({ facts, present }) => {
    return { present, row: registryRow(facts, managedBy, present?.updated_at ?? now) }
  })
  const added = rows.filter(({ present }) => present === null).map(({ row }) => row)
  if (added.length > 0) await db.insertInto('registry').values(added).execute()
  const changed = rows.filter(({ present, row }) => {
    return present !== null && JSON.stringify(columnsOf(present, row)) !== JSON.stringify(row)
  })
  for (const { row } of changed) {
    await db
      .updateTable('registry')
      .set({ ...row, updated_at: now })
      .where('provider', '=', row.provider)
      .where('model', '=', row.model)
      .execute()
  }
  return added.length + changed.length
}

export async function deleteModel(db: Kysely<Database>, provider: string, model: string): Promise<boolean> {
  const result = await db
    .deleteFrom('registry')
    .where('provider', '=', provider)
    .where('model', '=', model)
    .executeTakeFirst()
  return result.numDeletedRows === 1n
}

/** Prices that a model is to have from now on. */
export interface NewPrices {
  provider: string
  model: string
  prices: PriceList
  source: string
}

/**
 * Prices are never changed, only followed by a newer version, so that every logged cost can be explained.
 * Returns the id of the version in force; a list equal to the newest one makes no new version.
 */
export async function addPriceVersion(db: Kysely<Database>, input: NewPrices, now: number): Promise<number> {
  return changeControlData(db, async (transaction) => {
    const newest = await newestPriceVersion(transaction, input.provider, input.model)
    const row = versionAfter(newest, input, now)
    if (row === null) return (newest as PriceVersionRow).id
    const inserted = await transaction
      .insertInto('price_versions')
      .values(row)
      .returning('id')
      .executeTakeFirstOrThrow()
    return inserted.id
  })
}

/** The same for many, each with its newest version. */
export async function addPriceVersions(
  db: Transaction<Database>,
  inputs: readonly { input: NewPrices; newest: PriceVersionRow | null }[],
  now: number,
): Promise<void> {
  const rows = inputs.flatMap(({ input, newest }) => versionAfter(newest, input, now) ?? [])
  if (rows.length > 0) await db.insertInto('price_versions').values(rows).execute()
}

/** Null where the newest version says the same. */
function versionAfter(newest: PriceVersionRow | null, input: NewPrices, now: number) {
  const { provider, model, source } = input
  const prices = JSON.stringify(canonicalPrices(input.prices))
  if (newest !== null && JSON.stringify(parsePrices(newest.prices)) === prices) return null
  return { provider, model, source, prices, created_at: now }
}

export async function newestPriceVersion(
  db: Kysely<Database>,
  provider: string,
  model: string,
): Promise<PriceVersionRow | null> {
  const [newest] = await priceHistory(db, provider, model, 1)
  return newest ?? null
}

/** Of every model that has one. */
export async function newestPriceVersions(db: Kysely<Database>): Promise<PriceVersionRow[]> {
  return db
    .selectFrom('price_versions')
    .selectAll()
    .where('id', 'in', (select) =>
      select
        .selectFrom('price_versions')
        .select((version) => version.fn.max('id').as('id'))
        .groupBy(['provider', 'model']),
    )
    .execute()
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
