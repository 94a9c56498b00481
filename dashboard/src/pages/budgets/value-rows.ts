import type { Budget } from '../../components/limits/budget-watch.ts'

export type ValueBudget = NonNullable<Budget['values']>[number]
export type ValueUse = ValueBudget['tightest'][number]

/** One value of a budget for each session, user, …; of a budget without values one line that says so. */
export interface ValueRow {
  id: string
  owner: Pick<Budget, 'scope' | 'id' | 'name' | 'workspace'>
  budget: ValueBudget
  use: ValueUse | null
  /** The first line of its budget. */
  isFirst: boolean
}

export function valueRows(budgets: readonly Budget[]): ValueRow[] {
  return budgets.flatMap(({ values, ...owner }) =>
    (values ?? []).flatMap((budget, place) => {
      const uses: (ValueUse | null)[] = budget.tightest.length === 0 ? [null] : budget.tightest
      return uses.map((use, index) => ({
        id: `${owner.scope} ${owner.id} ${place} ${index}`,
        owner,
        budget,
        use,
        isFirst: index === 0,
      }))
    }),
  )
}

/** "for each session", "for each team a month", "a day". */
export function eachWords({ each, per, mode }: ValueBudget): string {
  const whose = each === null ? null : `for each ${each.startsWith('tag:') ? `value of ${each.slice(4)}` : each}`
  const when = per === 'total' ? (whose === null ? 'in total' : null) : `a ${per}`
  return [whose, when, mode === 'soft' ? '(soft)' : null].filter((word) => word !== null).join(' ')
}

/** The calls that it counts. */
export function hrefOfValue({ owner, budget }: ValueRow, use: ValueUse): string {
  const query = new URLSearchParams()
  const { each } = budget
  if (use.key_id !== null) query.set('key', use.key_id)
  if (use.session !== null) query.set('session', use.session)
  if (each?.startsWith('tag:') && use.value !== null) query.set('tag', `${each.slice(4)}:${use.value}`)
  else if (each !== null && each !== 'key' && use.value !== null) query.set(each, use.value)
  return `/${encodeURIComponent(owner.workspace)}/requests?${query}`
}
