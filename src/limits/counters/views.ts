import type { Limits } from '../../domain/limits.ts'
import { asPicodollars } from '../../domain/pricing/price.ts'
import { type BudgetState, limitOf, type Refusal, tightest } from '../admission.ts'
import { PERIODS, periodBounds } from '../budget-period.ts'
import type { CallHold, Scope, ScopeStatus } from '../ledger.ts'
import type { Payer } from '../spend-ledger.ts'
import { amountOf } from './values.ts'

/** The state of a scope before the call. */
interface View {
  scope: Scope
  limits: Limits
  figures: readonly number[]
}

export function viewsOf({ key, workspace }: Payer, told: readonly [unknown, unknown]): View[] {
  const views: View[] = []
  const take = (scope: Scope, limits: Limits | null, figures: unknown) => {
    if (limits !== null && Array.isArray(figures)) views.push({ scope, limits, figures })
  }
  take({ kind: 'key', id: key.id }, key.limits, told[0])
  take({ kind: 'workspace', id: workspace.name }, workspace.limits, told[1])
  return views
}

const FITS = -2
const NEVER = -1

/** All refusals of a call; a soft budget only warns. The order is that of scripts/judge.ts. */
export function refusalOf(views: readonly View[], hold: CallHold, now: number): Refusal {
  const refusals: Refusal[] = []
  for (const view of views) {
    const { scope, limits, figures } = view
    const [over = 0, , , , , requests = 0, tokens = 0, inFlight = 0, rpm = FITS, tpm = FITS, parallel = 0] = figures
    if (over === 1 && limits.budget?.mode !== 'soft') {
      const budget = budgetOf(view, now)
      if (budget !== null) refusals.push({ kind: 'budget', ...budget })
    }
    const wait = (ms: number) => (ms === NEVER ? null : ms)
    if (rpm !== FITS) {
      refusals.push({ kind: 'rpm', scope, limit: limits.rpm ?? 0, used: requests, needed: 1, waitMs: wait(rpm) })
    }
    if (tpm !== FITS) {
      refusals.push({
        kind: 'tpm',
        scope,
        limit: limits.tpm ?? 0,
        used: tokens,
        needed: hold.tokens,
        waitMs: wait(tpm),
      })
    }
    if (parallel === 1) {
      const limit = limits.max_parallel ?? 0
      refusals.push({ kind: 'max_parallel', scope, limit, used: inFlight, needed: 1, waitMs: 0 })
    }
  }
  return tightest(refusals)
}

export function warningsOf(views: readonly View[], now: number): BudgetState[] {
  return views.flatMap((view) => {
    const budget = view.figures[0] === 1 ? budgetOf(view, now) : null
    return budget === null ? [] : [budget]
  })
}

function budgetOf({ scope, limits: { budget }, figures }: View, now: number): BudgetState | null {
  if (budget === undefined) return null
  const [, spentDollars = 0, spentRest = 0, heldDollars = 0, heldRest = 0] = figures
  return {
    scope,
    per: budget.per,
    limit: limitOf(budget),
    spent: amountOf(spentDollars, spentRest),
    held: amountOf(heldDollars, heldRest),
    resetsAt: periodBounds(budget.per, now).resetsAt,
  }
}

/** A scope as packed by the script (scripts/scope.ts). */
export function statusOfPacked(scope: Scope, packed: readonly number[]): ScopeStatus {
  const at = (place: number) => packed[place - 1] ?? 0
  const period = (number: 1 | 2 | 3 | 4) => ({
    ...periodBounds(PERIODS[number - 1] ?? 'total', at(1 + number)),
    spent: amountOf(at(4 + 2 * number), at(5 + 2 * number)),
    held: asPicodollars(amountOf(at(14), at(15)) - amountOf(at(26), at(27))),
  })
  return {
    scope,
    requestsLastMinute: at(21),
    tokensLastMinute: at(22),
    inFlight: at(19),
    changes: at(20),
    idle: amountOf(at(26), at(27)),
    periods: { day: period(1), week: period(2), month: period(3), total: period(4) },
  }
}
