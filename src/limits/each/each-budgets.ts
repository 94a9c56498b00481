import { counterOf, type ValueScope, valuesOf } from '../../domain/budgets/each.ts'
import { raisedBy } from '../../domain/budgets/raises.ts'
import type { EachBudget, Limits } from '../../domain/limits.ts'
import { asPicodollars, picodollarsOfUsd } from '../../domain/pricing/price.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import type { Scope } from '../ledger.ts'
import type { Payer } from '../spend-ledger.ts'
import type { ValueBudget } from './value-budget.ts'

/** What temporarily adds to the budgets of a counter. */
export type RaisedBy = (counter: string) => bigint

export const NOT_RAISED: RaisedBy = () => 0n

export function raisesOf(snapshot: () => Snapshot): RaisedBy {
  return (counter) => raisedBy(snapshot().raises, counter, Date.now())
}

/**
 * The budgets that apply to a call by what it names. Sessions and agents are always counted by key, so that a name of
 * another key's session is another session; what a workspace says of users, projects and tags is of all its keys together.
 */
export function valueBudgetsOf(
  { key, workspace, names }: Payer,
  ancestors: readonly string[],
  raise: RaisedBy = NOT_RAISED,
): ValueBudget[] {
  if (names === undefined) return []
  const found: ValueBudget[] = []
  const own: Scope = { kind: 'key', id: key.id }
  const joint: Scope = { kind: 'workspace', id: workspace.name }
  const add = (owner: Scope, limits: Limits | null) => {
    for (const budget of limits?.budgets ?? []) {
      for (const value of valuesOf(budget.each, names, ancestors)) {
        const isByKey = owner.kind === 'key' || isOfKey(budget.each)
        const scope = { workspace: workspace.name, keyId: isByKey ? key.id : '', ...value }
        found.push(valueBudget(owner, budget, scope, raise))
      }
    }
  }
  add(own, key.limits)
  add(joint, workspace.limits)
  return found
}

/** A budget as it is for one value. */
export function valueBudget(owner: Scope, budget: EachBudget, scope: ValueScope, raise: RaisedBy): ValueBudget {
  const counter = counterOf(scope)
  return { owner, budget, scope, counter, limit: asPicodollars(limitOf(budget) + raise(counter)) }
}

/** Sessions, agents and keys are counted by key, also where a workspace sets the budget. */
export function isOfKey(each: string | undefined): boolean {
  return each === 'session' || each === 'agent' || each === 'key'
}

const limits = new WeakMap<EachBudget, bigint>()

/** Budgets are immutable values of the snapshot, so their amounts are parsed once. */
function limitOf(budget: EachBudget): bigint {
  let limit = limits.get(budget)
  if (limit === undefined) {
    limit = picodollarsOfUsd(budget.usd)
    limits.set(budget, limit)
  }
  return limit
}
