import type { JsonObject } from '../../../domain/request/call-request.ts'
import type { Pin } from '../../pin.ts'

const DEAREST_PERCENT = 200

/** Tiers with a price other than the list price; `default` and `scale` have the list price. */
const TIER_PERCENT: ReadonlyMap<unknown, number> = new Map([
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

/** `auto` leaves it to the project as well; a cheaper tier that is full may be served as the default one. */
export function mostTierPercent({ service_tier: tier }: JsonObject, isOwnService: boolean): number {
  const isOpen = tier === undefined || tier === null || tier === 'auto'
  return isOpen && isOwnService ? DEAREST_PERCENT : Math.max(100, tierPercent(tier))
}
