import { perClass } from '../classes.ts'
import type { PriceTier, TokenPrices } from '../price.ts'
import {
  isObject,
  type ListedModel,
  listedCount,
  listedPrice,
  listedPrices,
  type PriceFieldNames,
  type ReadList,
  readRow,
  UnreadableRow,
} from './listed-model.ts'
import { joinSizes, listedUnits, mediaTokens, ROUNDED, sizeOf, UNIT_MODES } from './litellm-units.ts'

/**
 * `model_prices_and_context_window.json`: an object of models, prices in USD per token as floats, long-context prices
 * as fields with `_above_200k_tokens` behind them. Read as of summer 2026; unknown fields are ignored.
 */
export function readLitellm(body: Record<string, unknown>): ReadList {
  const list: ReadList = { models: [], skipped: [] }
  for (const [name, row] of Object.entries(body)) readRow(list, name, () => readModel(name, row))
  return { ...list, models: joinSizes(list.models) }
}

export const LITELLM_PRICES = {
  input_per_mtok: 'input_cost_per_token',
  cached_input_per_mtok: 'cache_read_input_token_cost',
  cache_write_5m_per_mtok: 'cache_creation_input_token_cost',
  cache_write_30m_per_mtok: 'cache_creation_input_token_cost',
  cache_write_1h_per_mtok: 'cache_creation_input_token_cost_above_1hr',
  audio_input_per_mtok: 'input_cost_per_audio_token',
  image_input_per_mtok: 'input_cost_per_image_token',
  output_per_mtok: 'output_cost_per_token',
  audio_output_per_mtok: 'output_cost_per_audio_token',
  image_output_per_mtok: 'output_cost_per_image_token',
} as const satisfies PriceFieldNames

/** Others are not served. */
const MODES = new Set(['chat', 'completion', 'responses', 'embedding', ...UNIT_MODES])

export const LITELLM_CAPABILITIES: Record<string, string> = {
  supports_vision: 'vision',
  supports_pdf_input: 'pdf',
  supports_function_calling: 'tools',
  supports_parallel_function_calling: 'parallel_tools',
  supports_prompt_caching: 'prompt_caching',
  supports_response_schema: 'json_schema',
  supports_reasoning: 'reasoning',
}

function readModel(name: string, row: unknown): ListedModel {
  if (!isObject(row)) throw new UnreadableRow('not an object')
  const provider = row['litellm_provider']
  if (typeof provider !== 'string') throw new UnreadableRow('litellm_provider is missing')
  const mode = typeof row['mode'] === 'string' ? row['mode'] : 'chat'
  if (!MODES.has(mode)) throw new UnreadableRow('models of its mode are not served')
  const model = name.startsWith(`${provider}/`) ? name.slice(provider.length + 1) : name
  if (UNIT_MODES.has(mode)) return readMedia({ name, provider, model, mode }, row)
  const prices = listedPrices(row, { fields: LITELLM_PRICES, places: 6 })
  if (mode === 'embedding') prices.output_per_mtok ??= '0'
  if (prices.input_per_mtok === null || prices.output_per_mtok === null) throw new UnreadableRow('no price per token')
  if (row['tiered_pricing'] !== undefined) throw new UnreadableRow('tiered_pricing is not supported')
  const reasoning = listedPrice(row, 'output_cost_per_reasoning_token', 6)
  if (reasoning !== null && reasoning !== prices.output_per_mtok) {
    throw new UnreadableRow('output_cost_per_reasoning_token: a separate price for reasoning is not supported')
  }
  return { name, provider, model, mode, prices: { ...prices, tiers: listedTiers(row, prices) }, ...factsOf(row) }
}

/** Of a model that makes or hears media, or ranks: by tokens, otherwise by units. */
function readMedia(of: Pick<ListedModel, 'name' | 'provider' | 'model' | 'mode'>, row: Record<string, unknown>) {
  const { mode } = of
  const prices = listedPrices(row, { fields: LITELLM_PRICES, places: 6 })
  mediaTokens(prices, mode)
  const size = mode === 'image_generation' ? sizeOf(of.model) : null
  const units = prices.input_per_mtok === null ? listedUnits(row, mode, size ?? {}) : []
  if (prices.input_per_mtok === null && units.length === 0) throw new UnreadableRow('no price per token or unit')
  const unit_prices = size === null ? units : units.map((unit) => ({ ...unit, name: size.unit }))
  const isRounded = units.some(({ unit }) => unit === 'audio_second')
  return {
    ...{
      ...of,
      model: size?.model ?? of.model,
      prices: { ...prices, tiers: [], ...(unit_prices.length > 0 && { unit_prices }) },
    },
    ...factsOf(row),
    ...(isRounded && { note: ROUNDED }),
  }
}

function factsOf(row: Record<string, unknown>) {
  return {
    fields: LITELLM_PRICES,
    contextWindow: null,
    maxInputTokens: listedCount(row['max_input_tokens']),
    maxOutputTokens: listedCount(row['max_output_tokens']),
    capabilities: Object.keys(LITELLM_CAPABILITIES).flatMap((field) =>
      row[field] === true ? [LITELLM_CAPABILITIES[field] ?? ''] : [],
    ),
    deprecated: null,
    shutdownDate: dateOf(row['deprecation_date']),
  }
}

/** A class that a threshold does not mention costs above it what it costs below. */
export function listedTiers(row: Record<string, unknown>, base: TokenPrices): PriceTier[] {
  const known = new Set<string>(Object.values(LITELLM_PRICES))
  const thresholds = new Set<number>()
  for (const field of Object.keys(row)) {
    const match = /^(.+)_above_(\d{1,6})k_tokens$/.exec(field)
    if (match !== null && known.has(match[1] ?? '') && row[field] !== null) thresholds.add(Number(match[2]))
  }
  return [...thresholds]
    .sort((a, b) => a - b)
    .map((thousands) => {
      const above = listedPrices(row, { fields: LITELLM_PRICES, places: 6, suffix: `_above_${thousands}k_tokens` })
      return { prompt_tokens_above: thousands * 1000, ...perClass('price', ({ price }) => above[price] ?? base[price]) }
    })
}

function dateOf(value: unknown): string | null {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value)) ? value : null
}
