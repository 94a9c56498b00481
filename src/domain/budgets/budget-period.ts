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
