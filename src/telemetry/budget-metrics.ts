import { Gauge, type Registry } from 'prom-client'

/** A budget as graphs show it; the exact figures are in the ledger. */
export interface BudgetGauge {
  scope: 'key' | 'workspace'
  workspace: string
  /** Of the key or the workspace, as its admin has called it. */
  name: string
  per: string
  spentUsd: number
  limitUsd: number
}

/** Keys may be many, and each is a series: those that are used most are the ones to look at. */
const MOST = 500

const LABELS = ['scope', 'workspace', 'name', 'per'] as const

export function observeBudgets(registry: Registry, budgets: () => readonly BudgetGauge[]): void {
  const gauge = (name: string, help: string, read: (budget: BudgetGauge) => number) =>
    new Gauge({
      name,
      help,
      labelNames: LABELS,
      // Several threads of one gateway would say the same.
      aggregator: 'max',
      registers: [registry],
      collect() {
        this.reset()
        // Backwards: of two with the same name the one that is used more is set last.
        for (const budget of mostUsed(budgets()).toReversed()) {
          const { scope, workspace, name: called, per } = budget
          this.set({ scope, workspace, name: called, per }, read(budget))
        }
      },
    })
  gauge('switchyard_budget_spent_usd', 'Spent of a budget in its present period.', ({ spentUsd }) => spentUsd)
  gauge('switchyard_budget_limit_usd', 'What may be spent of it.', ({ limitUsd }) => limitUsd)
  gauge('switchyard_budget_used_ratio', 'Spent of a budget, as a share of its limit: 1 is all of it.', usedRatio)
}

function usedRatio({ spentUsd, limitUsd }: BudgetGauge): number {
  return spentUsd / limitUsd
}

function mostUsed(budgets: readonly BudgetGauge[]): BudgetGauge[] {
  return budgets.toSorted((a, b) => usedRatio(b) - usedRatio(a)).slice(0, MOST)
}
