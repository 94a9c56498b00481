import { type Period, periodBounds } from '../../domain/budgets/budget-period.ts'
import type { Direction, Status } from '../finding.ts'

export interface MappedPeriod {
  per: Period
  /** The amount is multiplied by it: `[30, 90]` for a budget of 90 days. */
  share: readonly [bigint, bigint]
  status: Status
  direction: Direction
  message: string
}

const WORDS: Record<string, string> = { hourly: '1h', daily: '1d', weekly: '7d', monthly: '30d' }
const SECONDS: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800, mo: 2_592_000 }
const WHOLE = [1n, 1n] as const
const DAY = 86_400

/** What `budget_duration` and `budget_reset_at` become; null: the duration cannot be read. */
export function mapPeriod(duration: string | null, resetAt: number | null, now: number): MappedPeriod | null {
  if (duration === null) return { per: 'total', share: WHOLE, status: 'exact', direction: 'same', message: '' }
  const match = /^(\d{1,6})(mo|[smhdw])$/.exec(WORDS[duration.trim().toLowerCase()] ?? duration)
  const days = match === null ? 0 : (Number(match[1]) * (SECONDS[match[2] ?? ''] ?? 0)) / DAY
  if (days <= 0) return null
  const calendar = ({ 1: 'day', 7: 'week', 30: 'month' } as Record<number, Period>)[days]
  if (calendar !== undefined) return aligned(calendar, duration, resetAt, now)
  if (days > 30) {
    const share = [30n, BigInt(Math.ceil(days))] as const
    return tighter(
      'month',
      share,
      `${duration}: budgets are per day, week, month or in total; a month's share per month`,
    )
  }
  const per = days < 1 ? 'day' : days < 7 ? 'week' : 'month'
  return tighter(per, WHOLE, `${duration}: budgets are per day, week, month or in total; the same amount per ${per}`)
}

function tighter(per: Period, share: MappedPeriod['share'], message: string): MappedPeriod {
  return { per, share, status: 'approximate', direction: 'tighter', message }
}

/** Exact only where LiteLLM would reset it at the same moment: periods set up long ago roll from another one. */
function aligned(per: Period, duration: string, resetAt: number | null, now: number): MappedPeriod {
  const { resetsAt } = periodBounds(per, now)
  const isSame = resetAt === null || resetAt === resetsAt || resetAt <= now
  const message = isSame ? '' : `${duration}: LiteLLM resets it at ${iso(resetAt)}, here at ${iso(resetsAt ?? now)}`
  return { per, share: WHOLE, status: isSame ? 'exact' : 'approximate', direction: 'same', message }
}

function iso(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
