import { type ClassPriceField, perClass } from '../../domain/pricing/classes.ts'
import { type PriceList, picodollarsPerToken, type TokenPrices } from '../../domain/pricing/price.ts'
import type { ModelFacts } from '../../store/control/registry.ts'
import { shiftedDecimal } from './exact-decimal.ts'

/** A model as a price list of the community has it. */
export interface ListedModel {
  /** As the list writes it, for the report. */
  name: string
  /** The list's word for the provider. */
  provider: string
  model: string
  mode: string
  prices: PriceList
  fields: PriceFieldNames
  contextWindow: number | null
  maxInputTokens: number | null
  maxOutputTokens: number | null
  /** What it says the model can do; it does not say what a model cannot. */
  capabilities: readonly string[]
  /** Null: the list does not say. */
  deprecated: boolean | null
  shutdownDate: string | null
}

/** The names that a kind of list has for our prices. Known prices of classes that it does not have stay. */
export type PriceFieldNames = Partial<Record<ClassPriceField, string>>

export interface Skipped {
  name: string
  reason: string
}

export interface ReadList {
  models: ListedModel[]
  skipped: Skipped[]
}

/** Thrown inside a reader for a row that cannot be taken as it is; never rounded, never guessed. */
export class UnreadableRow extends Error {}

/** USD per million tokens, exact. `places`: 6 for prices per token, 0 for prices per million. Null where there is none. */
export function listedPrice(row: Record<string, unknown>, field: string, places: number): string | null {
  const value = row[field]
  if (value === undefined || value === null) return null
  const decimal = shiftedDecimal(value, places)
  if (decimal === null) throw new UnreadableRow(`${field}: ${JSON.stringify(value).slice(0, 40)} is not a price`)
  try {
    picodollarsPerToken(decimal)
    return decimal
  } catch {
    const size = decimal.length > 40 ? `${decimal.slice(0, 40)}…` : decimal
    throw new UnreadableRow(`${field}: ${size} USD per million tokens has more than six decimals or is too large`)
  }
}

/** The prices of a row; `suffix` follows each name. */
export function listedPrices(
  row: Record<string, unknown>,
  { fields, places, suffix = '' }: { fields: PriceFieldNames; places: number; suffix?: string },
): TokenPrices {
  return perClass('price', ({ price }) => {
    const field = fields[price]
    return field === undefined ? null : listedPrice(row, field + suffix, places)
  })
}

/** A count of tokens; null for what is none, as lists write 0, text or nothing for "unknown". */
export function listedCount(value: unknown): number | null {
  const count = typeof value === 'string' && /^\d{1,12}$/.test(value) ? Number(value) : value
  return typeof count === 'number' && Number.isSafeInteger(count) && count > 0 ? count : null
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Reads one row, or notes why not. */
export function readRow(list: ReadList, name: string, read: () => ListedModel): void {
  try {
    list.models.push(read())
  } catch (error) {
    if (!(error instanceof UnreadableRow)) throw error
    list.skipped.push({ name, reason: error.message })
  }
}

interface Known {
  facts: ModelFacts
  prices: PriceList | null
}

/** What the registry would hold after the import: prices as listed, other facts where the list knows more. */
export function mergeListed(
  listed: ListedModel,
  provider: string,
  known: Known | null,
  today: string,
): Required<Known> {
  const facts = known?.facts
  const isOver = listed.shutdownDate !== null && listed.shutdownDate <= today
  return {
    facts: {
      provider,
      model: listed.model,
      aliases: facts?.aliases ?? [],
      contextWindow: listed.contextWindow ?? facts?.contextWindow ?? listed.maxInputTokens,
      maxOutputTokens: listed.maxOutputTokens ?? facts?.maxOutputTokens ?? null,
      maxInputTokens: listed.maxInputTokens ?? facts?.maxInputTokens ?? null,
      capabilities: [...new Set([...(facts?.capabilities ?? []), ...listed.capabilities])],
      efforts: facts?.efforts ?? null,
      deprecated: isOver || (listed.deprecated ?? facts?.deprecated ?? false),
      shutdownDate: listed.shutdownDate ?? facts?.shutdownDate ?? null,
      mode: facts?.mode ?? listed.mode,
      note: facts?.note ?? null,
    },
    prices: mergePrices(listed, known?.prices ?? null),
  }
}

/**
 * Lists have one price for writing the cache, for all lifetimes. If a model's price is known for only one of the two
 * short lifetimes, the listed price is for that one.
 */
function mergePrices({ prices, fields }: ListedModel, known: PriceList | null): PriceList {
  if (known === null) return prices
  const merged = perClass('price', ({ price }) => (fields[price] === undefined ? known : prices)[price])
  const five = known.cache_write_5m_per_mtok
  const thirty = known.cache_write_30m_per_mtok
  const drop = (list: TokenPrices) => ({
    cache_write_5m_per_mtok: five === null && thirty !== null ? null : list.cache_write_5m_per_mtok,
    cache_write_30m_per_mtok: thirty === null && five !== null ? null : list.cache_write_30m_per_mtok,
  })
  return { ...merged, ...drop(prices), tiers: prices.tiers.map((tier) => ({ ...tier, ...drop(tier) })) }
}
