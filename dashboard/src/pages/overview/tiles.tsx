import { startsOf } from '../../charts/chart-data.ts'
import type { Period } from '../../charts/periods.ts'
import { Money } from '../../components/money.tsx'
import { compareFigures, compareShares, shareOf } from '../../format/comparison.ts'
import { drawableUsd } from '../../format/money.ts'
import { callCount, count, milliseconds, percent, shortCount } from '../../format/number.ts'
import { usePath } from '../../shell/place.ts'
import classes from './overview.module.css'
import { Tile, type TileProps } from './tile.tsx'
import type { Sums, Usage } from './use-overview.ts'

/** Rates and percentiles of fewer calls than this say nothing that one could compare with. */
const FEW = 20

interface TilesProps {
  period: Period
  from: string
  now: Usage | undefined
  before: Sums | undefined
}

/** The six figures that say whether all is well. */
export function Tiles({ period, from, now, before }: TilesProps) {
  const path = usePath()
  const requests = (filters: Record<string, string>) =>
    `${path('requests')}?${new URLSearchParams({ ...filters, from })}`
  const span = period.name === '30d' ? 'period=30d' : 'period=7d'
  const total = now?.total
  const course = courseOf(now)
  const solid = before !== undefined && before.requests >= FEW ? before : undefined
  const tiles: TileProps[] = [
    {
      label: 'Requests',
      href: requests({}),
      value: total && whole(total.requests),
      comparisons: [compareFigures(total?.requests ?? null, before?.requests ?? null, 'neither')],
      course: course((sums) => sums.requests),
    },
    {
      ...rate('errors', total, solid, course),
      label: 'Error rate',
      href: requests({ status: 'error' }),
      tone: 'bad',
    },
    {
      ...rate('fallbacks', total, solid, course),
      label: 'Fallback rate',
      href: requests({ fallback: 'true' }),
    },
    {
      label: 'Spend',
      href: `${path('usage')}?${span}`,
      value: total && <Money usd={total.cost_usd} />,
      warning: total?.unpriced_requests ? `+ ${count(total.unpriced_requests)} unpriced` : undefined,
      note: total?.cache_hits ? <Saved total={total} /> : undefined,
      comparisons: [compareFigures(spendOf(total), spendOf(before), 'neither')],
      course: course((sums) => drawableUsd(sums.cost_usd)),
    },
    {
      ...timing('latency_ms', total, solid, course),
      label: 'Provider latency',
      href: `${path('performance')}?period=${period.name}`,
    },
    {
      ...timing('gateway_ms', total, solid, course),
      label: 'Gateway overhead',
      href: requests({}),
    },
  ]
  return (
    <div className={classes['tiles']}>
      {tiles.map((tile) => (
        <Tile key={tile.label} {...tile} />
      ))}
    </div>
  )
}

/** By the response caches of routes. */
function Saved({ total }: { total: Sums }) {
  return (
    <span title={`${callCount(total.cache_hits)} answered from the response cache`}>
      saved <Money usd={total.saved_usd} />
    </span>
  )
}

type Course = (figure: (sums: Sums) => number | null) => (number | null)[]

/** One figure for each interval; those without calls have no row and count as nothing. */
function courseOf(usage: Usage | undefined): Course {
  if (usage === undefined || usage.interval === null) return () => []
  const rows = new Map(usage.data.map((row) => [row.start, row]))
  const starts = startsOf(usage.from, usage.to, usage.interval)
  return (figure) =>
    starts.map((start) => {
      const row = rows.get(start)
      return row === undefined ? 0 : figure(row)
    })
}

function whole(value: number): string {
  return value < 10_000_000 ? count(value) : shortCount(value)
}

function spendOf(sums: Sums | undefined): number | null {
  return sums === undefined ? null : drawableUsd(sums.cost_usd)
}

function rate(field: 'errors' | 'fallbacks', total: Sums | undefined, before: Sums | undefined, course: Course) {
  const share = (sums: Sums | undefined) => (sums === undefined ? null : shareOf(sums[field], sums.requests))
  return {
    value: total && percent(total[field], total.requests),
    comparisons: [compareShares(share(total), share(before), 'down')],
    course: course(share),
  }
}

function timing(field: 'latency_ms' | 'gateway_ms', total: Sums | undefined, before: Sums | undefined, course: Course) {
  return {
    unit: 'p50/p95',
    value: total && (
      <>
        {milliseconds(total[field].p50)} <span className={classes['second']}>/ {milliseconds(total[field].p95)}</span>
      </>
    ),
    comparisons: (['p50', 'p95'] as const).map((which) =>
      compareFigures(total?.[field][which] ?? null, before?.[field][which] ?? null, 'down'),
    ),
    course: course((sums) => sums[field].p95),
  }
}
