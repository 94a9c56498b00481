import { Anchor, Text } from '@mantine/core'
import { useMemo } from 'react'
import { Link } from 'wouter'
import { endOf, startsOf } from '../../charts/chart-data.ts'
import { ChartPanel } from '../../charts/chart-panel.tsx'
import type { ChartContent } from '../../charts/chart-series.ts'
import type { Period } from '../../charts/periods.ts'
import { useUsageChart } from '../../charts/usage-chart.ts'
import type { GroupBy } from '../../charts/usage-groups.ts'
import { PanelLink } from '../../components/panel-link.tsx'
import { EmptyState, ErrorState } from '../../components/states.tsx'
import { addExact } from '../../format/exact.ts'
import { count } from '../../format/number.ts'
import { usePath } from '../../shell/place.ts'
import { type Usage, useGroups } from './use-overview.ts'

/** All requests over time, in order and not. */
export function RequestsChart({
  usage,
  period,
  height,
}: {
  usage: Usage | undefined
  period: Period
  height?: number
}) {
  const path = usePath()
  const content = useMemo(() => usage && okAndErrors(usage, path('requests')), [usage, path])
  return (
    <ChartPanel
      title="Requests"
      description={usage && everyInterval(usage)}
      content={content}
      empty={<NothingHappened period={period} />}
      {...(height === undefined ? {} : { height })}
    />
  )
}

function okAndErrors(usage: Usage, requests: string): ChartContent | undefined {
  const { interval, data, from, to, total } = usage
  if (interval === null) return undefined
  const starts = startsOf(from, to, interval)
  const rows = new Map(data.map((row) => [row.start, row]))
  const errors = starts.map((start) => String(rows.get(start)?.errors ?? 0))
  const ok = starts.map((start) => String((rows.get(start)?.requests ?? 0) - (rows.get(start)?.errors ?? 0)))
  const both = [
    { id: 'ok', name: 'ok', color: 'var(--series-1)', values: ok, total: addExact(ok) },
    { id: 'error', name: 'errors', color: 'var(--bad)', values: errors, total: addExact(errors) },
  ]
  const hrefIn = (start?: string, status?: string) =>
    `${requests}?${status === undefined ? '' : `status=${status}&`}${start === undefined ? `from=${from}` : `from=${start}&to=${endOf(start, interval)}`}`
  return {
    label: `Requests per ${interval}`,
    unit: 'requests',
    interval,
    starts,
    series: total.requests === 0 ? [] : both.map((one) => ({ ...one, hrefIn: (start) => hrefIn(start, one.id) })),
    hrefAt: (start) => hrefIn(start),
  }
}

/** Spend by model, or requests by route. */
export function GroupChart(props: { groupBy: 'model' | 'route'; period: Period; from: string; isReady: boolean }) {
  const { groupBy, period, from, isReady } = props
  const { data: usage, error, refetch } = useGroups(groupBy, period, from, isReady)
  const content = useUsageChart(usage, groupBy === 'model' ? 'cost' : 'requests', usePath()('requests'))
  const unpriced = groupBy === 'model' ? (usage?.total.unpriced_requests ?? 0) : 0
  return (
    <ChartPanel
      title={groupBy === 'model' ? 'Spend by model' : 'Requests by route'}
      description={
        usage && (
          <>
            {everyInterval(usage)}
            {unpriced > 0 && <Unpriced requests={unpriced} />}
          </>
        )
      }
      actions={<MoreInUsage groupBy={groupBy} period={period} />}
      content={content}
      failure={error && <ErrorState error={error} retry={() => void refetch()} />}
      empty={<NothingHappened period={period} spend={groupBy === 'model'} />}
      height={190}
    />
  )
}

function Unpriced({ requests }: { requests: number }) {
  const path = usePath()
  return (
    <Text span inherit c="var(--warn)">
      {' '}
      · without {count(requests)} {requests === 1 ? 'request' : 'requests'} of unknown price (
      <Anchor component={Link} href={path('registry')} inherit underline="always">
        set prices
      </Anchor>
      )
    </Text>
  )
}

function MoreInUsage({ groupBy, period }: { groupBy: GroupBy; period: Period }) {
  const path = usePath()
  const measure = groupBy === 'model' ? 'cost' : 'requests'
  return (
    <PanelLink
      href={`${path('usage')}?period=${period.name === '30d' ? '30d' : '7d'}&group=${groupBy}&measure=${measure}`}
      label={`Usage by ${groupBy}`}
    >
      Usage
    </PanelLink>
  )
}

function everyInterval({ interval }: Usage): string {
  return interval === 'day' ? 'per day, UTC' : `per ${interval}, your time`
}

function NothingHappened({ period, spend = false }: { period: Period; spend?: boolean }) {
  return (
    <EmptyState title={`${spend ? 'No spend' : 'No requests'} ${period.words}`}>
      {spend ? 'Calls that are free or whose price is unknown cost nothing here.' : 'A longer period may have some.'}
    </EmptyState>
  )
}
