import type { Limits } from '../limits.ts'
import { type Period, periodBounds } from './budget-period.ts'

/** What corrections change of the calls of one UTC day, in picodollars; none is negative. */
export interface CorrectedDay {
  day: number
  /** Counted besides: a provider billed more than budgets had counted. */
  charged: bigint
  /** No longer counted: less, or nothing, was billed. */
  released: bigint
  /** What they have cost beyond their rows. */
  cost: bigint
}

const DAY_MS = 86_400_000

/**
 * Clocks of gateways differ, and a budget must never be looser for it: what was charged counts a minute into the next
 * period, and what was released stops counting a minute before the end.
 */
const GRACE_MS = 60_000

/** Of the days whose calls belong to the present period of a budget. */
export function correctedIn(days: readonly CorrectedDay[], per: Period, now: number) {
  const sum = (of: 'charged' | 'released', at: number) => {
    const { startsAt } = periodBounds(per, at)
    return days.reduce((total, each) => (each.day * DAY_MS >= startsAt ? total + each[of] : total), 0n)
  }
  return { charged: sum('charged', now - GRACE_MS), released: sum('released', now + GRACE_MS) }
}

/** The limits with what corrections change; the same value where they change nothing. */
export function withCorrections(limits: Limits | null, days: readonly CorrectedDay[], now: number): Limits | null {
  const budget = limits?.budget
  if (limits === null || budget === undefined || days.length === 0) return limits
  const { charged, released } = correctedIn(days, budget.per, now)
  if (charged === 0n && released === 0n) return limits
  const corrected = { ...budget, charged: charged.toString(), released: released.toString() }
  return { ...limits, budget: corrected }
}

/** When limits with corrections have to be worked out again: a minute before and after midnight. */
export function correctionsEnd(now: number): number {
  const midnight = (Math.floor((now + GRACE_MS) / DAY_MS) + 1) * DAY_MS
  const before = midnight - GRACE_MS
  const after = midnight - DAY_MS + GRACE_MS
  return now < after ? after : before
}

const withoutReleases = new WeakMap<Limits, Limits>()

/** The limits as if nothing had been released or raised: for a moment at which it is unknown whether it still counts. */
export function unreleased(limits: Limits | null): Limits | null {
  const budget = limits?.budget
  if (limits === null || budget === undefined) return limits
  const { released = '0', raised } = budget
  if (released === '0' && raised === undefined) return limits
  let strict = withoutReleases.get(limits)
  if (strict === undefined) {
    strict = { ...limits, budget: { ...budget, released: '0', raised: '0' } }
    withoutReleases.set(limits, strict)
  }
  return strict
}
