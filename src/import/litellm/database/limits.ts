import type { Budget, Limits } from '../../../domain/limits.ts'
import { picodollarsOfUsd } from '../../../domain/pricing/price.ts'
import type { Finding } from '../../finding.ts'
import { NO_BUDGET_FROM, picodollarsOfFloat, usdText } from '../amounts.ts'
import { mapPeriod } from '../periods.ts'
import { isEmpty, numberIn, type Row, textIn, unwrapped } from './rows.ts'

/** A finding, before it is known whose it is. */
export type Remark = Pick<Finding, 'path' | 'status' | 'direction' | 'message'>

export interface MappedLimits {
  limits: Limits
  /** USD spent in the current period of the budget; null: nothing, or no budget. */
  opening: string | null
  /** A limit of nothing: LiteLLM refuses every call. */
  isClosed: boolean
  remarks: Remark[]
}

/** What the budget that `budget_id` names says where the row itself says nothing. */
const FILLED = ['max_budget', 'soft_budget', 'tpm_limit', 'rpm_limit', 'model_max_budget'] as const

export function mapLimits(own: Row, budget: Row | null, now: number): MappedLimits {
  const row = filled(own, budget)
  const mapped: MappedLimits = { limits: {}, opening: null, isClosed: false, remarks: [] }
  addCounts(mapped, row)
  addBudget(mapped, row, now)
  for (const column of ['model_max_budget', 'tpd_limit'] as const) {
    if (isEmpty(row[column])) continue
    const message = `${column} has no counterpart: it is not enforced`
    mapped.remarks.push({ path: column, status: 'unsupported', direction: 'looser', message })
  }
  return mapped
}

function filled(own: Row, budget: Row | null): Row {
  if (budget === null) return own
  const missing = FILLED.filter((column) => isEmpty(own[column]))
  const taken = Object.fromEntries(missing.map((column) => [column, budget[column]]))
  // The period belongs to the amount.
  const period =
    isEmpty(own['max_budget']) && !isEmpty(budget['max_budget'])
      ? { budget_duration: budget['budget_duration'], budget_reset_at: budget['budget_reset_at'] }
      : {}
  return { ...own, ...taken, ...period }
}

const COUNTS = { rpm_limit: 'rpm', tpm_limit: 'tpm', max_parallel_requests: 'max_parallel' } as const
const LARGEST_COUNT = 1_000_000_000

function addCounts(mapped: MappedLimits, row: Row): void {
  for (const [column, field] of Object.entries(COUNTS)) {
    const count = numberIn(row, column)
    if (count === null || count > LARGEST_COUNT) continue
    if (count < 1) mapped.isClosed = true
    else mapped.limits = { ...mapped.limits, [field]: Math.floor(count) }
  }
}

function addBudget(mapped: MappedLimits, row: Row, now: number): void {
  const hard = amountIn(row, 'max_budget')
  if (hard !== null && hard <= 0n) mapped.isClosed = true
  const window = hard === null ? windowIn(mapped, row) : null
  const ofWindow = window === null ? null : amountIn(window, 'max_budget')
  const strict = hard ?? ofWindow
  const amount = strict ?? amountIn(row, 'soft_budget')
  if (amount === null || amount <= 0n || amount >= NO_BUDGET_FROM) return
  setBudget(mapped, { ...row, ...window }, { amount, mode: strict === null ? 'soft' : 'hard', now })
}

function amountIn(row: Row, column: string): bigint | null {
  const value = row[column]
  return typeof value === 'string' || typeof value === 'number' ? picodollarsOfFloat(String(value)) : null
}

interface Given {
  amount: bigint
  mode: Budget['mode']
  now: number
}

function setBudget(mapped: MappedLimits, row: Row, { amount, mode, now }: Given): void {
  const duration = textIn(row, 'budget_duration')
  const resetAt = numberIn(row, 'budget_reset_at')
  const period = mapPeriod(duration, resetAt, now)
  if (period === null) {
    const message = `budget_duration '${duration}' cannot be read: a budget per day is used; set it here`
    mapped.remarks.push({ path: 'budget_duration', status: 'manual', direction: 'tighter', message })
  } else if (period.status !== 'exact') mapped.remarks.push({ ...period, path: 'budget_duration' })
  const { per, share } = period ?? { per: 'day' as const, share: [1n, 1n] as const }
  const usd = usdText((amount * share[0]) / share[1])
  if (!/[1-9]/.test(usd)) mapped.isClosed = true
  else mapped.limits = { ...mapped.limits, budget: { usd, per, mode, ...(mode === 'hard' && { when_tight: 'fit' }) } }
  const spent = amountIn(row, 'spend') ?? 0n
  // A reset that is due and has not run yet: what was spent belongs to the period before.
  const isStale = resetAt !== null && resetAt <= now
  if (spent > 0n && !isStale && mapped.limits.budget !== undefined) {
    mapped.opening = usdText(spent < NO_BUDGET_FROM ? spent : NO_BUDGET_FROM - 1n)
  }
}

/** Of several windows the one that allows least a day; the others are not enforced. */
function windowIn(mapped: MappedLimits, row: Row): Row | null {
  const given = unwrapped(row['budget_limits'])
  const windows = (Array.isArray(given) ? given : []).filter(
    (item): item is Row => typeof item === 'object' && item !== null,
  )
  if (windows.length === 0) return null
  const [tightest, ...others] = windows.toSorted((a, b) => Number(perDay(a) - perDay(b)))
  if (others.length > 0) {
    const message = `budget_limits has ${windows.length} windows: one budget is kept, the others are not enforced`
    mapped.remarks.push({ path: 'budget_limits', status: 'unsupported', direction: 'looser', message })
  }
  return tightest ?? null
}

const DAYS = { day: 1n, week: 7n, month: 30n, total: 36_500n }

function perDay(window: Row): bigint {
  const period = mapPeriod(textIn(window, 'budget_duration'), null, 0)
  return (amountIn(window, 'max_budget') ?? NO_BUDGET_FROM) / DAYS[period?.per ?? 'day']
}

type Own = Pick<MappedLimits, 'limits' | 'opening'>

/** Both at once on one key; null: their budgets have different periods. */
export function tighterOf(first: Own, second: Own): Own | null {
  const [one, other] = [first.limits.budget, second.limits.budget]
  if (one !== undefined && other !== undefined && one.per !== other.per) return null
  const limits: Limits = { ...first.limits, ...second.limits }
  for (const field of Object.values(COUNTS)) {
    const counts = [first.limits[field], second.limits[field]].filter((count) => count !== undefined)
    if (counts.length > 0) limits[field] = Math.min(...counts)
  }
  const isFirst = other === undefined || (one !== undefined && isLess(one.usd, other.usd))
  const budget = isFirst ? one : other
  return {
    limits: budget === undefined ? limits : { ...limits, budget },
    opening: larger(first.opening, second.opening),
  }
}

function isLess(usd: string, other: string): boolean {
  return picodollarsOfUsd(usd) < picodollarsOfUsd(other)
}

function larger(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other
  return isLess(one, other) ? other : one
}
