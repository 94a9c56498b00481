import { asPicodollars, type Picodollars } from '../domain/pricing/price.ts'

export const PERIODS = ['day', 'week', 'month', 'total'] as const
export type Period = (typeof PERIODS)[number]

const DAY_MS = 86_400_000

/** UTC calendar periods, weeks from Monday. All start at midnight, so an hour never spans two periods. */
export function periodBounds(period: Period, at: number): { startsAt: number; resetsAt: number | null } {
  const day = Math.floor(at / DAY_MS)
  switch (period) {
    case 'day':
      return { startsAt: day * DAY_MS, resetsAt: (day + 1) * DAY_MS }
    case 'week': {
      // 1 January 1970 was a Thursday.
      const monday = day - ((day + 3) % 7)
      return { startsAt: monday * DAY_MS, resetsAt: (monday + 7) * DAY_MS }
    }
    case 'month': {
      const date = new Date(at)
      const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
      return { startsAt: Date.UTC(year, month), resetsAt: Date.UTC(year, month + 1) }
    }
    case 'total':
      return { startsAt: 0, resetsAt: null }
  }
}

/** Spending of one scope in one period. */
export interface PeriodCounter {
  readonly startsAt: number
  /** Null: never. */
  readonly resetsAt: number | null
  spent: Picodollars
  held: Picodollars
}

export type PeriodCounters = Record<Period, PeriodCounter>

const NOTHING = asPicodollars(0n)

export function newCounters(at: number, spent?: Readonly<Record<Period, Picodollars>>): PeriodCounters {
  const counter = (period: Period): PeriodCounter => ({
    ...periodBounds(period, at),
    spent: spent?.[period] ?? NOTHING,
    held: NOTHING,
  })
  return { day: counter('day'), week: counter('week'), month: counter('month'), total: counter('total') }
}

/**
 * A new period gets a new counter. The old one stays with the calls that were admitted in it: their cost belongs there,
 * whenever they end.
 */
export function rollOver(counters: PeriodCounters, at: number): void {
  const { resetsAt } = counters.day
  if (resetsAt === null || at < resetsAt) return
  for (const period of PERIODS) {
    const over = counters[period].resetsAt
    if (over !== null && at >= over) counters[period] = { ...periodBounds(period, at), spent: NOTHING, held: NOTHING }
  }
}
