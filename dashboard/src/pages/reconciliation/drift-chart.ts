import type { ChartContent } from '../../charts/chart-series.ts'
import { addExact, isZero, magnitude } from '../../format/exact.ts'
import type { Reconciliation } from './reconciliation-rows.ts'

/** By day: what providers bill more, what they bill less, and what of it nothing explains. */
export function driftChart({ month, data }: Reconciliation): ChartContent {
  const periods = data.flatMap(({ periods }) => periods)
  const starts = daysOf(month)
  const sumAt = (start: string, amount: (period: (typeof periods)[number]) => string) =>
    addExact(periods.filter(({ period }) => period.slice(0, 10) === start.slice(0, 10)).map(amount))
  const kinds: [id: string, name: string, color: string, amount: (period: (typeof periods)[number]) => string][] = [
    ['more', 'billed more, explained', 'var(--series-1)', (one) => explained(one, false)],
    ['less', 'billed less, explained', 'var(--series-3)', (one) => explained(one, true)],
    ['unexplained', 'unexplained', 'var(--series-6)', (one) => magnitude(one.unexplained_usd)],
  ]
  const series = kinds.map(([id, name, color, amount]) => {
    const values = starts.map((start) => sumAt(start, amount))
    return { id, name, color, values, total: addExact(values) }
  })
  return {
    ...{ label: 'Difference per day', unit: 'usd', interval: 'day', starts },
    series: series.filter(({ total }) => !isZero(total)),
  }
}

function explained(
  { difference_usd: difference, unexplained_usd: unexplained }: { difference_usd: string; unexplained_usd: string },
  isLess: boolean,
): string {
  const amount = addExact([difference, unexplained.startsWith('-') ? unexplained.slice(1) : `-${unexplained}`])
  return amount.startsWith('-') === isLess ? magnitude(amount) : '0'
}

function daysOf(month: string): string[] {
  const first = Date.parse(`${month}-01T00:00:00Z`)
  const days = new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).getUTCDate()
  return Array.from({ length: days }, (_, day) => new Date(first + day * 86_400_000).toISOString())
}
