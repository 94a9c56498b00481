import type { Limits } from '../limits.ts'
import { asPicodollars, exactUsd, picodollarsOfUsd } from '../pricing/price.ts'
import { counterOf, type ValueScope } from './each.ts'

/** What adds to the budgets of a key, a workspace or a value, until it ends. */
export interface Raise {
  scope: ValueScope
  /** A decimal. */
  usd: string
  /** Unix milliseconds. */
  until: number
}

/** By the counter of their budgets. */
export type Raises = ReadonlyMap<string, readonly { picodollars: bigint; until: number }[]>

export function raisesByCounter(raises: readonly Raise[]): Raises {
  const found = new Map<string, { picodollars: bigint; until: number }[]>()
  for (const { scope, usd, until } of raises) {
    const counter = counterOf(scope)
    found.set(counter, [...(found.get(counter) ?? []), { picodollars: picodollarsOfUsd(usd), until }])
  }
  return found
}

/** What adds to the budgets of this counter now. */
export function raisedBy(raises: Raises | undefined, counter: string, now: number): bigint {
  let sum = 0n
  for (const { picodollars, until } of raises?.get(counter) ?? []) if (until > now) sum += picodollars
  return sum
}

/** The limits of a key (`keyId`) or a workspace with what its own budget is raised by. */
export function withRaises(limits: Limits | null, workspace: string, keyId: string, raises: Raises, now: number) {
  const budget = limits?.budget
  if (limits === null || budget === undefined || raises.size === 0) return limits
  const sum = raisedBy(raises, counterOf({ workspace, keyId, kind: '', of: '', value: '' }), now)
  return sum === 0n ? limits : { ...limits, budget: { ...budget, raised: exactUsd(asPicodollars(sum)) } }
}
