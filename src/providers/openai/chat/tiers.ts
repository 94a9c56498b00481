import type { JsonObject } from '../../../domain/request/call-request.ts'
import type { Pin } from '../../pin.ts'

const DEAREST_PERCENT = 200

/** Tiers that are not billed at list price; the others (`default`, `scale`) are. */
const TIER_PERCENT: ReadonlyMap<unknown, number> = new Map([
  ['flex', 50],
  ['priority', DEAREST_PERCENT],
  ['fast', DEAREST_PERCENT],
])

/** What the tier that an answer names is billed at. */
export function tierPercent(tier: unknown): number {
  return TIER_PERCENT.get(tier) ?? 100
}

/** Left open, the project decides. Whoever does not know the field has no tiers. */
export const TIER_PIN: Pin = { field: 'service_tier', value: 'default', percent: DEAREST_PERCENT, refusedPercent: 100 }

/** `auto` leaves it to the project as well; a cheaper tier that is full may be served as the default one. */
export function mostTierPercent({ service_tier: tier }: JsonObject, isOwnService: boolean): number {
  const isOpen = tier === undefined || tier === null || tier === 'auto'
  return isOpen && isOwnService ? DEAREST_PERCENT : Math.max(100, tierPercent(tier))
}
