import type { Period } from '../domain/budgets/budget-period.ts'
import { wrongField } from './errors.ts'

const PERIODS: Readonly<Record<string, Period>> = {
  ...{ '1d': 'day', '24h': 'day', daily: 'day' },
  ...{ '7d': 'week', '1w': 'week', weekly: 'week' },
  ...{ '30d': 'month', '1mo': 'month', monthly: 'month' },
}

const NAMES: Record<Period, string | null> = { day: '1d', week: '7d', month: '30d', total: null }

/** The budget period of a `budget_duration`; LiteLLM's `30d`, too, ends with the calendar month. */
export function periodOf(duration: string | null): Period {
  if (duration === null || duration === '') return 'total'
  const period = PERIODS[duration.toLowerCase()]
  if (period !== undefined) return period
  throw wrongField('budget_duration', `'${duration}' is not offered; use 1d, 7d, 30d, or null for a budget in total.`)
}

/** As it was written where that says the same. */
export function durationOf(period: Period | null, written: string | undefined): string | null {
  if (written !== undefined && (period === null || PERIODS[written.toLowerCase()] === period)) return written
  return period === null ? null : NAMES[period]
}

const SECOND_MS = 1000
const UNITS: Readonly<Record<string, number>> = {
  s: SECOND_MS,
  m: 60 * SECOND_MS,
  h: 3_600 * SECOND_MS,
  d: 86_400 * SECOND_MS,
  w: 7 * 86_400 * SECOND_MS,
}

/** When a key with this `duration` expires; null: never. */
export function expiryOf(duration: string | null, now: number): string | null {
  if (duration === null || duration === '' || duration === '-1') return null
  const match = /^(\d{1,6})(s|m|h|d|w|mo)$/.exec(duration)
  if (match === null) throw wrongField('duration', `'${duration}' is not a duration such as 30s, 30m, 30h, 30d or 1mo.`)
  const [, count = '', unit = ''] = match
  const date = new Date(now)
  if (unit === 'mo') date.setUTCMonth(date.getUTCMonth() + Number(count))
  else date.setTime(now + Number(count) * (UNITS[unit] ?? 0))
  return date.toISOString()
}

/** For how long the old value of a regenerated key still works. */
export function graceSeconds(period: string | null | undefined, now: number): number {
  const ends = expiryOf(period ?? null, now)
  return ends === null ? 0 : Math.round((Date.parse(ends) - now) / SECOND_MS)
}
