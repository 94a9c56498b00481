import type { JsonObject } from '../../../domain/request/call-request.ts'
import type { Pin } from '../../pin.ts'

const DEAREST_PERCENT = 200

/** Prices of tiers in percent of the list price, by their names at this vendor and at compatible servers. */
const TIER_PERCENT: ReadonlyMap<unknown, number> = new Map([
  ['default', 100],
  ['standard', 100],
  ['on_demand', 100],
  ['scale', 100],
  ['flex', 50],
  ['priority', DEAREST_PERCENT],
  ['fast', DEAREST_PERCENT],
])

/** The price of the tier that an answer names. */
export function tierPercent(tier: unknown): number {
  return TIER_PERCENT.get(tier) ?? 100
}

/** Without the field, the project decides. A server that does not know the field has no tiers. */
export const TIER_PIN: Pin = { field: 'service_tier', value: 'default', percent: DEAREST_PERCENT, refusedPercent: 100 }

/** `auto` and unknown tiers may be the most expensive; a cheaper tier that is full may be served as the default one. */
export function mostTierPercent({ service_tier: tier }: JsonObject, isOwnService: boolean): number {
  if (tier === undefined || tier === null) return isOwnService ? DEAREST_PERCENT : 100
  return Math.max(100, TIER_PERCENT.get(tier) ?? DEAREST_PERCENT)
}
