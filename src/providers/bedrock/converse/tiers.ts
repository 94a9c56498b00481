import { refuse } from '../../../domain/request/rejection.ts'
import { worded } from '../../../domain/wording/worded.ts'

/** Percent of the list price. Reserved capacity is paid for otherwise; what spills over costs the list price. */
const PERCENT: ReadonlyMap<unknown, number> = new Map([
  ['default', 100],
  ['reserved', 100],
  ['flex', 50],
  ['priority', 175],
])

/** The price of the tier that an answer names. */
export function tierPercent(tier: unknown): number {
  return PERCENT.get(tier) ?? 100
}

/** The premium of each model is its own: more is held than was ever seen. */
const MOST_PREMIUM_PERCENT = 200

/** A cheaper tier that is full may be served as the default one. */
export function mostPercent(tier: string | null): number {
  return tier === 'priority' ? MOST_PREMIUM_PERCENT : 100
}

/** Null: the caller leaves it to the service, which takes the default. */
export function askedTier(value: unknown): string | null {
  if (value === null || value === undefined || value === 'auto') return null
  if (typeof value === 'string' && PERCENT.has(value)) return value
  return refuse(worded`service_tier: this provider knows default, flex, priority and reserved`)
}
