import type { Period } from '../domain/budgets/budget-period.ts'
import { isUsable } from '../domain/key.ts'
import type { Budget, EachBudget, Limits } from '../domain/limits.ts'
import { asPicodollars } from '../domain/pricing/price.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import { sumsOf } from '../limits/admission.ts'
import type { Scope, ScopeStatus } from '../limits/ledger.ts'

/** A budget, and what has been spent of it in its present period. */
export interface BudgetUse {
  scope: Scope
  /** Of the key or the workspace. */
  name: string
  workspace: string
  per: Period
  /** Unix milliseconds. */
  startsAt: number
  isHard: boolean
  limit: bigint
  spent: bigint
  /** Percent; a threshold of its own. */
  warnAt?: number | undefined
  /** Of a budget for each value of something: "session 7f3a". Only its own threshold counts. */
  value?: string
}

export interface SpentBudgets {
  /** In the order of the scopes asked for. */
  status(scopes: readonly Scope[]): Promise<ScopeStatus[]>
  /** Every scope ever used. */
  scopes(): Promise<Scope[]>
}

type Limited = Pick<BudgetUse, 'scope' | 'name' | 'workspace'> & { budget: Budget | EachBudget }

/** Of all budgets that something has been spent of: an unused key is far from every threshold. */
export async function readBudgetUses(snapshot: Snapshot, ledger: SpentBudgets, now: number): Promise<BudgetUse[]> {
  const limited = budgetsOf(snapshot, now)
  if (limited.length === 0) return []
  const used = new Set((await ledger.scopes()).map(({ kind, id }) => `${kind} ${id}`))
  const looked = limited.filter(({ scope }) => used.has(`${scope.kind} ${scope.id}`))
  const statuses = await ledger.status(looked.map(({ scope }) => scope))
  return looked.flatMap(({ budget, ...rest }, place) => {
    const period = statuses[place]?.periods[budget.per]
    if (period === undefined) return []
    const { startsAt, spent } = period
    const sums = sumsOf(budget, asPicodollars(spent))
    return [{ ...rest, per: budget.per, startsAt, isHard: budget.mode === 'hard', ...sums, warnAt: budget.warn_at }]
  })
}

function budgetsOf(snapshot: Snapshot, now: number): Limited[] {
  const found: Limited[] = []
  for (const { name, limits } of snapshot.workspaces.values()) {
    const scope: Scope = { kind: 'workspace', id: name }
    for (const budget of ofItself(limits)) found.push({ scope, name, workspace: name, budget })
  }
  for (const key of snapshot.keys.values()) {
    const { id, name, workspace, limits } = key
    if (workspace === null || !isUsable(key, now)) continue
    const ofEach = (snapshot.workspaces.get(workspace)?.limits?.budgets ?? []).filter(({ each }) => each === 'key')
    for (const budget of [...ofItself(limits), ...ofEach]) {
      found.push({ scope: { kind: 'key', id }, name, workspace, budget })
    }
  }
  return found
}

/** Of the key or the workspace itself, in several periods. */
function ofItself(limits: Limits | null): (Budget | EachBudget)[] {
  const further = (limits?.budgets ?? []).filter(({ each }) => each === undefined)
  return limits?.budget === undefined ? further : [limits.budget, ...further]
}

/** A key whose calls were refused because a budget, its own or its workspace's, does not suffice. */
export interface RefusedKey {
  workspace: string
  keyId: string
}

/**
 * The hard budgets that refuse calls now: what is left of them is less than a call may cost. The log says which key was
 * refused, not whether by its own budget or its workspace's; it was the one that is used more.
 */
export function refusingBudgets(uses: readonly BudgetUse[], refused: readonly RefusedKey[]): Set<BudgetUse> {
  const hard = uses.filter(({ isHard, value }) => isHard && value === undefined)
  const found = new Set<BudgetUse>()
  for (const { workspace, keyId } of refused) {
    const its = hard.filter(({ scope }) => scope.id === (scope.kind === 'key' ? keyId : workspace))
    const [most] = its.toSorted((a, b) => usedPercent(b) - usedPercent(a))
    if (most !== undefined) found.add(most)
  }
  return found
}

/** With two decimals, rounded down. */
export function usedPercent({ spent, limit }: Pick<BudgetUse, 'spent' | 'limit'>): number {
  return Number((spent * 10_000n) / limit) / 100
}
