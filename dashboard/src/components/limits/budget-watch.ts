import type { Item } from '../../api/client.ts'
import { shortUsd } from '../../format/money.ts'

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

/** A sentence on where a monthly budget will probably end; null while the API does not know. */
export function forecastWords({ forecast_low_usd: low, forecast_high_usd: high }: Budget): string | null {
  if (low === null || high === null) return null
  const [from, to] = [shortUsd(low), shortUsd(high)]
  return from === to ? `Forecast for this month: ${from}` : `Forecast for this month: ${from} to ${to}`
}

function limit(used: number, most: number | undefined, words: string): UsedLimit | null {
  if (most === undefined) return null
  return { words: `${used.toLocaleString('en-US')} of ${most.toLocaleString('en-US')} ${words}`, share: used / most }
}

function fullest(budget: Budget): number {
  const money = moneyOf(budget)
  const used = money === null ? [] : [money.spent_usd, money.unconfirmed_usd, money.held_usd]
  const share = money === null ? 0 : used.reduce((sum, usd) => sum + Number(usd), 0) / Number(money.limit_usd)
  return Math.max(share, ...pressedLimits(budget).map(({ share }) => share))
}

/** A badge for it. What refuses calls is never green. */
export function stateOf({ state, scope, limits, refused_last_day: refused }: Budget): { color: string; label: string } {
  if (state === 'over') return { color: 'red', label: limits.budget?.mode === 'soft' ? 'Over limit' : 'At limit' }
  if (state === 'near') return { color: 'yellow', label: refused > 0 ? 'Refusing calls' : 'Near limit' }
  // A rate recovers within a minute, but a key that ran into it today runs into it again.
  if (scope === 'key' && refused > 0) return { color: 'yellow', label: 'Refused calls' }
  return { color: 'teal', label: 'OK' }
}
