import { type ClassPriceField, perClass } from '../classes.ts'
import { type PriceList, picodollarsPerToken, type TokenPrices } from '../price.ts'
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
  /** What to know of its price. */
  note?: string
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
