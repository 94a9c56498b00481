import type { Limits } from '../limits.ts'
import { type Period, periodBounds } from './budget-period.ts'

/** What was spent elsewhere before a key or workspace moved in. It counts in the period of the budget it falls into. */
export interface OpeningSpend {
  /** A decimal. */
  usd: string
  /** Unix milliseconds. */
  at: number
  note: string | null
}

export function openingFromText(text: string | null): OpeningSpend | null {
  return text === null ? null : (JSON.parse(text) as OpeningSpend)
}

/** Clocks of gateways differ: it counts a little longer, never shorter. */
const GRACE_MS = 60_000

/** Until when it counts; null: for ever. */
export function openingEnds({ at }: OpeningSpend, per: Period): number | null {
  const { resetsAt } = periodBounds(per, at)
  return resetsAt === null ? null : resetsAt + GRACE_MS
}

/** The limits with the opening spend, while it counts. */
export function withOpening(limits: Limits | null, opening: OpeningSpend | null, now: number): Limits | null {
  const budget = limits?.budget
  if (limits === null || budget === undefined || opening === null) return limits
  const ends = openingEnds(opening, budget.per)
  return ends !== null && ends <= now ? limits : { ...limits, budget: { ...budget, opening: opening.usd } }
}
