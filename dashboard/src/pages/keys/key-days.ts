import type { Reply } from '../../api/client.ts'
import { drawableUsd } from '../../format/money.ts'

export interface Day {
  start: string
  requests: number
  cost_usd: string
  /** From 0 to 100, of the dearest day. */
  height: number
}

const DAY_MS = 86_400_000

/** Every day of the period, those without calls too: a gap is news. */
export function keyDays({ from, to, data }: Pick<Reply<'usage.get'>, 'from' | 'to' | 'data'>): Day[] {
  const byStart = new Map(data.map((row) => [row.start === null ? null : Date.parse(row.start), row]))
  const most = Math.max(...data.map(({ cost_usd }) => drawableUsd(cost_usd)), 0)
  const days: Day[] = []
  for (let start = Math.floor(Date.parse(from) / DAY_MS) * DAY_MS; start < Date.parse(to); start += DAY_MS) {
    const row = byStart.get(start)
    const cost = row?.cost_usd ?? '0'
    days.push({
      start: new Date(start).toISOString(),
      requests: row?.requests ?? 0,
      cost_usd: cost,
      height: most === 0 ? 0 : (drawableUsd(cost) / most) * 100,
    })
  }
  return days
}
