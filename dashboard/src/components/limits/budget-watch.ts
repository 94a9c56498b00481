import type { Item } from '../../api/client.ts'

export type Budget = Item<'budgets.list'>

export interface UsedLimit {
  words: string
  share: number
}

const NEAR = 0.8

export function fullestFirst(budgets: readonly Budget[]): Budget[] {
  return budgets.toSorted((a, b) => fullest(b) - fullest(a) || a.name.localeCompare(b.name))
}

/** The rate limits that are nearly used up, as text. */
export function pressedLimits({ limits, ...used }: Budget): UsedLimit[] {
  return [
    limit(used.requests_last_minute, limits.rpm, 'requests in the last minute'),
    limit(used.tokens_last_minute, limits.tpm, 'tokens in the last minute'),
    limit(used.in_flight, limits.max_parallel, 'calls at the same time'),
  ].filter((each) => each !== null && each.share >= NEAR) as UsedLimit[]
}

/** The budget's own period; null without a budget. */
export function moneyOf({ limits, periods }: Budget) {
  if (limits.budget === undefined) return null
  const money = periods[limits.budget.per]
  return money.limit_usd === null ? null : { ...money, limit_usd: money.limit_usd, ...limits.budget }
}

function limit(used: number, most: number | undefined, words: string): UsedLimit | null {
  if (most === undefined) return null
  return { words: `${used.toLocaleString('en-US')} of ${most.toLocaleString('en-US')} ${words}`, share: used / most }
}

function fullest(budget: Budget): number {
  const money = moneyOf(budget)
  const spent = money === null ? 0 : (Number(money.spent_usd) + Number(money.held_usd)) / Number(money.limit_usd)
  return Math.max(spent, ...pressedLimits(budget).map(({ share }) => share))
}

/** A badge for it. What refuses calls is never green. */
export function stateOf({ state, limits, refused_last_day: refused }: Budget): { color: string; label: string } {
  if (state === 'over') return { color: 'red', label: limits.budget?.mode === 'soft' ? 'Over limit' : 'At limit' }
  if (state === 'near') return { color: 'yellow', label: refused > 0 ? 'Refusing calls' : 'Near limit' }
  return { color: 'teal', label: 'OK' }
}
