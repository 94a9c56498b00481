import { perClass } from '../../domain/pricing/classes.ts'
import type { ListedModel } from '../../domain/pricing/lists/listed-model.ts'
import type { PriceList, TokenPrices } from '../../domain/pricing/price.ts'
import { millisecondsOf } from '../../domain/pricing/unit-prices.ts'
import type { ModelFacts } from '../../store/control/registry.ts'

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
      note: facts?.note ?? listed.note ?? null,
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
  const tiers = prices.tiers.map((tier) => ({ ...tier, ...drop(tier) }))
  const units = mergeUnits(known.unit_prices, prices.unit_prices)
  return { ...known, ...merged, ...drop(prices), tiers, ...(units !== undefined && { unit_prices: units }) }
}

/** A known price per minute or hour is more exact than one that a list divided to seconds. */
function mergeUnits(known: PriceList['unit_prices'], listed: PriceList['unit_prices']): PriceList['unit_prices'] {
  if (known === undefined || listed === undefined) return listed ?? known
  const names = new Set(listed.map(({ name }) => name))
  const isExact = (name: string) => known.some((price) => price.name === name && millisecondsOf(price.unit) !== null)
  return [
    ...known.filter(({ name }) => !names.has(name) || isExact(name)),
    ...listed.filter(({ name }) => !isExact(name)),
  ]
}
