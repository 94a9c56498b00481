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
} from '../../domain/pricing/lists/listed-model.ts'
import type { PriceTier, TokenPrices } from '../../domain/pricing/price.ts'

/**
 * The format of models.dev: `{provider: {models: {id: {cost, limit, …}}}}`, prices in USD per million tokens as numbers.
 * Read as of summer 2026; unknown fields are ignored.
 */
export function readModelsDev(body: Record<string, unknown>): ReadList {
  const list: ReadList = { models: [], skipped: [] }
  for (const [provider, entry] of Object.entries(body)) {
    const models = isObject(entry) ? entry['models'] : undefined
    if (!isObject(models)) {
      list.skipped.push({ name: provider, reason: 'it has no "models"' })
      continue
    }
    for (const [model, row] of Object.entries(models)) {
      readRow(list, `${provider}/${model}`, () => readModel(provider, model, row))
    }
  }
  return list
}

const FIELDS: PriceFieldNames = {
  input_per_mtok: 'input',
  cached_input_per_mtok: 'cache_read',
  cache_write_5m_per_mtok: 'cache_write',
  cache_write_30m_per_mtok: 'cache_write',
  audio_input_per_mtok: 'input_audio',
  output_per_mtok: 'output',
  audio_output_per_mtok: 'output_audio',
}

function readModel(provider: string, model: string, row: unknown): ListedModel {
  if (!isObject(row)) throw new UnreadableRow('not an object')
  const { cost, limit = {} } = row
  if (!isObject(cost)) throw new UnreadableRow('no prices')
  const prices = classPrices(cost)
  if (prices.input_per_mtok === null || prices.output_per_mtok === null) throw new UnreadableRow('no price per token')
  const reasoning = listedPrice(cost, 'reasoning', 0)
  if (reasoning !== null && reasoning !== '0' && reasoning !== prices.output_per_mtok) {
    throw new UnreadableRow('cost.reasoning: a separate price for reasoning is not supported')
  }
  const limits = isObject(limit) ? limit : {}
  return {
    name: `${provider}/${model}`,
    provider,
    model,
    mode: 'chat',
    prices: { ...prices, tiers: tiersOf(cost) },
    fields: FIELDS,
    contextWindow: listedCount(limits['context']),
    maxInputTokens: listedCount(limits['input']),
    maxOutputTokens: listedCount(limits['output']),
    capabilities: capabilitiesOf(row, prices),
    deprecated: typeof row['status'] === 'string' ? row['status'] === 'deprecated' : null,
    shutdownDate: null,
  }
}

function classPrices(cost: Record<string, unknown>): TokenPrices {
  return listedPrices(cost, { fields: FIELDS, places: 0 })
}

/** `tiers` where there are some, else the older spelling of one at 200,000. */
function tiersOf(cost: Record<string, unknown>): PriceTier[] {
  const { tiers, context_over_200k: over200k } = cost
  if (tiers === undefined || tiers === null) {
    return isObject(over200k) ? [{ prompt_tokens_above: 200_000, ...classPrices(over200k) }] : []
  }
  if (!Array.isArray(tiers)) throw new UnreadableRow('cost.tiers: not a list')
  return tiers.map((entry: unknown) => {
    const tier = isObject(entry) ? entry['tier'] : undefined
    const size = isObject(tier) && tier['type'] === 'context' ? listedCount(tier['size']) : null
    if (size === null || !isObject(entry))
      throw new UnreadableRow('cost.tiers: only tiers by context size are supported')
    return { prompt_tokens_above: size, ...classPrices(entry) }
  })
}

function capabilitiesOf(row: Record<string, unknown>, prices: TokenPrices): string[] {
  const modalities = isObject(row['modalities']) ? row['modalities']['input'] : []
  const takes = (kind: string) => Array.isArray(modalities) && modalities.includes(kind)
  const has: [capability: string, given: boolean][] = [
    ['vision', takes('image')],
    ['pdf', takes('pdf')],
    ['tools', row['tool_call'] === true],
    ['json_schema', row['structured_output'] === true],
    ['reasoning', row['reasoning'] === true],
    ['prompt_caching', prices.cached_input_per_mtok !== null],
  ]
  return has.flatMap(([capability, given]) => (given ? [capability] : []))
}
