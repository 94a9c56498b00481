/** What adds to the budgets of a key, a workspace or a value for a while; the names are those of `value_days`. */
export interface BudgetRaisesTable {
  id: string
  workspace: string
  /** '' without one. */
  key_id: string
  kind: string
  of_name: string
  value: string
  usd: string
  until: number
  created_at: number
  actor: string
  reason: string
  ended_at: number | null
}
