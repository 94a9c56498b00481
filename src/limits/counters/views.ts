import type { Limits } from '../../domain/limits.ts'
import { asPicodollars } from '../../domain/pricing/price.ts'
import type { Verdict } from '../admission.ts'
import { PERIODS, periodBounds } from '../budget-period.ts'
import type { Scope, ScopeStatus } from '../ledger.ts'
import type { Payer } from '../spend-ledger.ts'
import { amountOf } from './values.ts'

const FITS = -2
const NEVER = -1

/** What the script says of the scopes of a call that have limits (scripts/judge.ts). */
export function verdictsOf({ key, workspace }: Payer, told: readonly [unknown, unknown]): Verdict[] {
  const verdicts: Verdict[] = []
  const take = (scope: Scope, limits: Limits | null, figures: unknown) => {
    if (limits !== null && Array.isArray(figures)) verdicts.push(verdictOf(scope, limits, figures))
  }
  take({ kind: 'key', id: key.id }, key.limits, told[0])
  take({ kind: 'workspace', id: workspace.name }, workspace.limits, told[1])
  return verdicts
}

function verdictOf(scope: Scope, limits: Limits, figures: readonly number[]): Verdict {
  const at = (place: number) => figures[place] ?? 0
  const wait = (ms: number) => (ms === FITS ? null : { waitMs: ms === NEVER ? null : ms })
  return {
    scope,
    limits,
    spent: amountOf(at(1), at(2)),
    held: amountOf(at(3), at(4)),
    requests: at(5),
    tokens: at(6),
    inFlight: at(7),
    isOverBudget: at(0) === 1,
    overRpm: wait(at(8)),
    overTpm: wait(at(9)),
    isOverParallel: at(10) === 1,
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
