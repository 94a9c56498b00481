import type { ValueScope } from '../../domain/budgets/each.ts'
import type { EachBudget } from '../../domain/limits.ts'
import type { Picodollars } from '../../domain/pricing/price.ts'
import type { Scope } from '../ledger.ts'

/** A budget that a call must fit beside those of its key and workspace, with the counter it looks at. */
export interface ValueBudget {
  /** Whose limits have it. */
  owner: Scope
  budget: EachBudget
  scope: ValueScope
  counter: string
  /** With what it is raised by now. */
  limit: Picodollars
}
