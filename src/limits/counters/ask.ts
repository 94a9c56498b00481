import type { Limits } from '../../domain/limits.ts'
import { type BudgetState, limitOf, type Refusal, tightest } from '../admission.ts'
import { PERIODS, periodBounds } from '../budget-period.ts'
import type { CallHold, Scope, ScopeStatus } from '../ledger.ts'
import { WINDOW_SECONDS } from '../minute-window.ts'
import type { RateAllowance } from '../rate-allowance.ts'
import type { Payer } from '../spend-ledger.ts'
import { amountOf, dollarsAndRest } from './amount.ts'
import type { Reply } from './connection.ts'

const limitTexts = new WeakMap<Limits, string>()

/** As the script reads them. Limits are immutable values of the snapshot, so each is encoded once. */
function limitText(limits: Limits | null): string {
  if (limits === null) return ''
  let text = limitTexts.get(limits)
  if (text === undefined) {
    const { rpm = 0, tpm = 0, max_parallel: parallel = 0, budget } = limits
    const period = budget === undefined ? 0 : PERIODS.indexOf(budget.per) + 1
    const money = budget === undefined ? ['0', '0'] : dollarsAndRest(limitOf(budget))
    text = [rpm, tpm, parallel, period, budget?.mode === 'hard' ? 1 : 0, ...money].join(' ')
    limitTexts.set(limits, text)
  }
  return text
}

/** Arguments of the admission script. */
export function admitArguments(
  payer: Payer,
  hold: CallHold,
  call: { node: string; id: string; clock: string },
): string[] {
  const [dollars, rest] = hold.picodollars === null ? ['', ''] : dollarsAndRest(hold.picodollars)
  return [
    call.clock,
    call.node,
    call.id,
    dollars,
    rest,
    hold.tokens === null ? '' : String(hold.tokens),
    payer.key.id,
    payer.workspace.name,
    limitText(payer.key.limits),
    limitText(payer.workspace.limits),
    hold.isStream === true ? '1' : '0',
  ]
}

/** The state of a scope before the call. */
interface View {
  scope: Scope
  limits: Limits
  figures: readonly number[]
}

export function viewsOf({ key, workspace }: Payer, reply: Reply): View[] {
  const views: View[] = []
  const take = (scope: Scope, limits: Limits | null, figures: unknown) => {
    if (limits !== null && Array.isArray(figures)) views.push({ scope, limits, figures })
  }
  take({ kind: 'key', id: key.id }, key.limits, reply[4])
  take({ kind: 'workspace', id: workspace.name }, workspace.limits, reply[5])
  return views
}

const FITS = -2
const NEVER = -1

/** All refusals of a call; a soft budget only warns. The order is that of the script's `judge`. */
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

/** What is left of the minute, the tighter of several scopes; `added` is what the call itself took. */
export function allowanceOf(
  views: readonly View[],
  kind: 'requests' | 'tokens',
  added: number,
  now: number,
): RateAllowance | null {
  let tight: RateAllowance | null = null
  for (const { limits, figures } of views) {
    const limit = kind === 'requests' ? limits.rpm : limits.tpm
    if (limit === undefined) continue
    const used = (figures[kind === 'requests' ? 5 : 6] ?? 0) + added
    const remaining = Math.max(0, limit - used)
    if (tight !== null && tight.remaining <= remaining) continue
    const newest = added > 0 ? Math.floor(now / 1000) : (figures[11] ?? 0)
    tight = { limit, remaining, resetMs: used === 0 ? 0 : Math.max(0, (newest + WINDOW_SECONDS) * 1000 - now) }
  }
  return tight
}

/** A scope as packed by the script (scripts/scope.ts). */
export function statusOfPacked(scope: Scope, packed: readonly number[]): ScopeStatus {
  const at = (place: number) => packed[place - 1] ?? 0
  const period = (number: 1 | 2 | 3 | 4) => ({
    ...periodBounds(PERIODS[number - 1] ?? 'total', at(1 + number)),
    spent: amountOf(at(4 + 2 * number), at(5 + 2 * number)),
    held: amountOf(at(12 + 2 * number), at(13 + 2 * number)),
  })
  return {
    scope,
    requestsLastMinute: at(24),
    tokensLastMinute: at(25),
    inFlight: at(22),
    changes: at(23),
    periods: { day: period(1), week: period(2), month: period(3), total: period(4) },
  }
}
