import type { EachBudget, Limits } from '../../domain/limits.ts'
import { budgetState } from '../../limits/admission.ts'
import { raisesOf, valueBudget } from '../../limits/each/each-budgets.ts'
import type { ManagementDeps } from '../deps.ts'
import { type BudgetUse, toBudgetUse } from '../usage/budget-use.ts'

export interface OwnBudget extends BudgetUse {
  per: EachBudget['per']
  mode: EachBudget['mode']
}

/** How the budgets of the keys themselves stand, by key: neither those of their workspace nor those for each session. */
export async function ownBudgets(
  { snapshot, ledger }: Pick<ManagementDeps, 'snapshot' | 'ledger'>,
  shown: readonly { id: string }[],
): Promise<Map<string, OwnBudget[]>> {
  const present = snapshot()
  const keys = shown.flatMap(({ id }) => present.keys.get(id) ?? []).filter(({ limits }) => hasBudget(limits))
  const statuses = await ledger.status(keys.map(({ id }) => ({ kind: 'key', id })))
  const found = new Map<string, OwnBudget[]>()
  for (const [place, { id, workspace, limits }] of keys.entries()) {
    const status = statuses[place]
    if (limits === null || status === undefined) continue
    const own = budgetState(status, limits)
    const further = (limits.budgets ?? []).filter(({ each }) => each === undefined)
    const scope = { workspace: workspace ?? '', keyId: id, kind: '', of: '', value: '' } as const
    const asked = further.map((budget) => valueBudget({ kind: 'key', id }, budget, scope, raisesOf(snapshot)))
    const states = own === null ? [] : [own]
    found.set(
      id,
      [...states, ...(await ledger.lookAt(asked))].map((state) => ({
        per: state.per,
        mode: state.budget?.mode ?? 'hard',
        ...toBudgetUse(state),
      })),
    )
  }
  return found
}

function hasBudget(limits: Limits | null): boolean {
  return limits?.budget !== undefined || limits?.budgets?.some(({ each }) => each === undefined) === true
}
