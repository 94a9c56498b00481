import { NO_PRICES, type PriceList } from '../../domain/pricing/price.ts'
import type { ModelFacts } from '../../store/control/registry.ts'
import type { RegistryItem } from '../../store/control/registry-items.ts'
import { timestamp, timestampOrNull } from '../contract/fields.ts'

export function pricesView(prices: PriceList | null): Required<PriceList> {
  return { ...NO_PRICES, tiers: [], ...prices, unit_prices: prices?.unit_prices ?? [] }
}

/** A model as the API shows it, without what the gateway adds: what two of them differ in is what an import changes. */
export function entryView(facts: ModelFacts, prices: PriceList | null) {
  return {
    provider: facts.provider,
    model: facts.model,
    mode: facts.mode,
    ...pricesView(prices),
    context_window: facts.contextWindow,
    max_input_tokens: facts.maxInputTokens,
    max_output_tokens: facts.maxOutputTokens,
    capabilities: [...facts.capabilities],
    efforts: facts.efforts === null ? null : [...facts.efforts],
    deprecated: facts.deprecated,
    shutdown_date: facts.shutdownDate,
    aliases: [...facts.aliases],
    note: facts.note,
  }
}

export function modelView({ facts, managedBy, updatedAt, version }: RegistryItem) {
  return {
    ...entryView(facts, version?.prices ?? null),
    price_version: version?.id ?? null,
    price_source: version?.source ?? null,
    priced_at: timestampOrNull(version?.createdAt ?? null),
    managed_by: managedBy === 'environment' ? null : managedBy,
    updated_at: timestamp(updatedAt),
  }
}
