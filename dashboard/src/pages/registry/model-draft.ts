import type { Body } from '../../api/client.ts'
import { PRICE_CLASSES, type PriceField } from '../../format/token-classes.ts'
import type { RegistryModel } from './registry-list.ts'
import { draftOfUnit, type UnitDraft, unitsOf } from './unit-draft.ts'

type PriceTexts = Record<PriceField, string>

export interface TierDraft extends PriceTexts {
  /** Tells rows apart while they are being typed. */
  row: number
  above: number | ''
}

/** What is being typed: prices as text, since they are exact decimals and never floating-point numbers. */
export interface ModelDraft extends PriceTexts {
  provider: string
  model: string
  tiers: TierDraft[]
  units: UnitDraft[]
  contextWindow: number | ''
  maxInputTokens: number | ''
  maxOutputTokens: number | ''
  capabilities: string[]
  deprecated: boolean
  shutdownDate: string
  aliases: string[]
  note: string
}

export const NO_PRICES = Object.fromEntries(PRICE_CLASSES.map(({ field }) => [field, ''])) as PriceTexts

export function emptyDraft(provider: string, model: string): ModelDraft {
  return {
    provider,
    model,
    ...NO_PRICES,
    tiers: [],
    units: [],
    contextWindow: '',
    maxInputTokens: '',
    maxOutputTokens: '',
    capabilities: [],
    deprecated: false,
    shutdownDate: '',
    aliases: [],
    note: '',
  }
}

export function draftOfModel(model: RegistryModel): ModelDraft {
  return {
    provider: model.provider,
    model: model.model,
    ...textsOf(model),
    tiers: model.tiers.map((tier, row) => ({ row, above: tier.prompt_tokens_above, ...textsOf(tier) })),
    units: model.unit_prices.map(draftOfUnit),
    contextWindow: model.context_window ?? '',
    maxInputTokens: model.max_input_tokens ?? '',
    maxOutputTokens: model.max_output_tokens ?? '',
    capabilities: [...model.capabilities],
    deprecated: model.deprecated,
    shutdownDate: model.shutdown_date ?? '',
    aliases: [...model.aliases],
    note: model.note ?? '',
  }
}

function textsOf(prices: Record<PriceField, string | null>): PriceTexts {
  return Object.fromEntries(PRICE_CLASSES.map(({ field }) => [field, prices[field] ?? ''])) as PriceTexts
}

/** Everything is sent, empty fields as unknown: what is saved is what the form shows. What it does not show stays. */
export function bodyOfModel(draft: ModelDraft, stored: RegistryModel | null): Body<'registry.put'> {
  return {
    ...pricesOf(draft),
    tiers: draft.tiers
      .filter((tier) => tier.above !== '')
      .map((tier) => ({ prompt_tokens_above: Number(tier.above), ...pricesOf(tier) }))
      .sort((a, b) => a.prompt_tokens_above - b.prompt_tokens_above),
    context_window: countOf(draft.contextWindow),
    max_input_tokens: countOf(draft.maxInputTokens),
    max_output_tokens: countOf(draft.maxOutputTokens),
    capabilities: draft.capabilities,
    deprecated: draft.deprecated,
    shutdown_date: draft.shutdownDate === '' ? null : draft.shutdownDate,
    aliases: draft.aliases,
    note: draft.note.trim() === '' ? null : draft.note.trim(),
    unit_prices: unitsOf(draft.units),
    ...(stored !== null && { mode: stored.mode, efforts: stored.efforts }),
  }
}

function pricesOf(texts: PriceTexts): Record<PriceField, string | null> {
  const fields = PRICE_CLASSES.map(({ field }) => [field, texts[field].trim() === '' ? null : texts[field].trim()])
  return Object.fromEntries(fields) as Record<PriceField, string | null>
}

function countOf(value: number | ''): number | null {
  return value === '' ? null : value
}

/** Early, in the words of the gateway: digits and at most six places after the point. */
export function priceProblem(text: string): string | undefined {
  const trimmed = text.trim()
  if (trimmed === '' || /^\d+(\.\d{1,6})?$/.test(trimmed)) return undefined
  return 'a price is a number with at most six decimals'
}

export function hasPriceProblem(draft: ModelDraft): boolean {
  const isBad = (text: string) => priceProblem(text) !== undefined
  const classes = [draft, ...draft.tiers].flatMap((prices) => PRICE_CLASSES.map(({ field }) => prices[field]))
  return [...classes, ...draft.units.map(({ usd }) => usd)].some(isBad)
}
