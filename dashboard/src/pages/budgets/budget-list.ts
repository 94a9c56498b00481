import type { Sort } from '../../components/data-table.tsx'
import { type Budget, moneyOf } from '../../components/limits/budget-watch.ts'
import { fullness } from '../../format/budget.ts'
import { drawableUsd } from '../../format/money.ts'

/** By name or workspace. */
export function matching(budgets: readonly Budget[], search: string): Budget[] {
  const wanted = search.trim().toLowerCase()
  return budgets.filter(({ name, workspace }) => [name, workspace].some((text) => text.toLowerCase().includes(wanted)))
}

const STATE_ORDER = { over: 2, near: 1, ok: 0 } as const
/** Sorts after every figure in descending order: there is nothing to compare. */
const NONE = -1

function sortValue(budget: Budget, by: string): string | number {
  const money = moneyOf(budget)
  switch (by) {
    case 'state':
      return STATE_ORDER[budget.state] * 10 + (budget.refused_last_day > 0 ? 1 : 0)
    case 'budget':
      return money === null ? NONE : fullness(money.limit_usd, money.spent_usd, money.unconfirmed_usd, money.held_usd)
    case 'spent':
      return money === null ? NONE : drawableUsd(money.spent_usd)
    case 'left':
      return money === null ? NONE : drawableUsd(money.remaining_usd ?? '0')
    case 'forecast':
      return budget.forecast_usd === null ? NONE : drawableUsd(budget.forecast_usd)
    case 'refused':
      return budget.refused_last_day
    case 'resets':
      return money?.resets_at ?? ''
    default:
      return `${budget.workspace} ${budget.scope === 'key' ? budget.name : ''}`.toLowerCase()
  }
}

/** Equal ones stay as the gateway lists them: a workspace before its keys. */
export function sorted(budgets: readonly Budget[], { by, descending }: Sort): Budget[] {
  const direction = descending ? -1 : 1
  return budgets
    .map((budget) => ({ budget, value: sortValue(budget, by) }))
    .sort((a, b) => (a.value === b.value ? 0 : a.value < b.value ? -direction : direction))
    .map(({ budget }) => budget)
}

/** Whether the forecast is more than the budget. */
export function isExceeded({ forecast_usd: forecast, limits }: Budget): boolean {
  return forecast !== null && limits.budget !== undefined && drawableUsd(forecast) > drawableUsd(limits.budget.usd)
}
