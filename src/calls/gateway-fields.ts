import { asPicodollars, usdWithSixDecimals } from '../domain/pricing/price.ts'
import type { GatewayFields } from './cache/stored-answer.ts'
import type { Cost, ServedBy } from './stages.ts'

export function gatewayFields(served: ServedBy, cost: Cost | undefined): GatewayFields {
  return {
    provider: served.entry.provider,
    model: served.entry.model,
    fallback_used: served.position > 0,
    latency_ms: served.upstreamMs,
    cost_usd: costText(cost),
    usage_source: served.usageSource,
  }
}

export function costText(cost: Cost | undefined): string {
  return usdWithSixDecimals(cost?.picodollars ?? asPicodollars(0n))
}
