import type { JsonObject } from '../../domain/request/call-request.ts'
import type { Pin } from '../pin.ts'

const US_INFERENCE_PERCENT = 110
const FAST_PERCENT = 200

/** The price of an answer, by its usage. */
export function reportedPercent(usage: { inference_geo?: unknown; speed?: unknown }): number {
  const geography = usage.inference_geo === 'us' ? US_INFERENCE_PERCENT : 100
  const speed = usage.speed === 'fast' ? FAST_PERCENT : 100
  return (geography * speed) / 100
}

/** Committed capacity has no price of its own here, so it is left alone. */
const TIER: Pin = {
  field: 'service_tier',
  value: 'standard_only',
  percent: Number.POSITIVE_INFINITY,
  refusedPercent: 100,
}

/** A workspace may be bound to its region and then refuses any other. */
export const REGION: Pin = {
  field: 'inference_geo',
  value: 'global',
  percent: US_INFERENCE_PERCENT,
  refusedPercent: US_INFERENCE_PERCENT,
}

export const PINS: readonly Pin[] = [TIER, REGION]

export function mostPercent(wire: JsonObject, isOwnService: boolean): number {
  return isOwnService && wire[REGION.field] !== REGION.value ? US_INFERENCE_PERCENT : 100
}

/** What a request itself names. An unknown speed or region may cost as much as the most expensive. */
export function namedPercents(wire: JsonObject): { namedPercent: number; accountPercent: number } {
  const { speed, inference_geo: region } = wire
  const fast = (speed ?? 'standard') === 'standard' ? 1 : FAST_PERCENT / 100
  const placed = (region ?? REGION.value) === REGION.value ? 100 : US_INFERENCE_PERCENT
  return { namedPercent: fast * placed, accountPercent: fast * mostPercent(wire, true) }
}
