import { SegmentedControl, Text } from '@mantine/core'
import { ChartPanel } from '../../charts/chart-panel.tsx'
import { PERIODS } from '../../charts/periods.ts'
import { useBeginning } from '../../charts/use-beginning.ts'
import { Page } from '../../components/page.tsx'
import { EmptyState, ErrorState } from '../../components/states.tsx'
import { count, percent } from '../../format/number.ts'
import { usePath, useUrlState } from '../../shell/place.ts'
import { FilterChip } from './filter-chip.tsx'
import { GroupsPanel } from './groups-panel.tsx'
import classes from './performance.module.css'
import { codesChart, type Timing, timingChart } from './performance-charts.ts'
import { besides, type PerformanceView, viewOf } from './performance-view.ts'
import { ProvidersPanel } from './providers-panel.tsx'
import { SlowestPanel } from './slowest-panel.tsx'
import { type Figures, usePerformance } from './use-performance.ts'
import { WorkspacesPanel } from './workspaces-panel.tsx'

/** How fast calls are, what is slow, and what fails. */
export function PerformancePage() {
  const [search, change] = useUrlState()
  const view = viewOf(search)
  const from = useBeginning(view.period)
  const asked = usePerformance(view, from)
  const path = usePath()
  const requests = (filters: Record<string, string>) =>
    `${path('requests')}?${new URLSearchParams({ from, ...filters })}`
  const narrowed = (filters: Record<string, string>) => requests({ ...view.filters, ...filters })
  const compared = (filters: Record<string, string>) => requests({ ...besides(view.by, view.filters), ...filters })
  return (
    <Page
      title="Performance"
      description={`How fast calls were, and what failed, ${view.period.words}`}
      actions={
        <SegmentedControl
          aria-label="Period"
          size="xs"
          value={view.period.name}
          data={PERIODS.map(({ name, title }) => ({ value: name, label: title }))}
          onChange={(name) => change({ period: name === '24h' ? null : name })}
        />
      }
    >
      <FilterChip filters={view.filters} onClear={() => change({ provider: null, model: null, route: null })} />
      <Charts view={view} overTime={asked.overTime} requests={narrowed} />
      <GroupsPanel view={view} groups={asked.groups} requests={compared} onChange={change} />
      <div className={classes['halves']}>
        <SlowestPanel slowest={asked.slowest} view={view} requests={narrowed} />
        <ProvidersPanel providers={asked.providers} view={view} requests={requests} />
      </div>
      <WorkspacesPanel workspaces={asked.workspaces} view={view} />
    </Page>
  )
}

interface ChartsProps {
  view: PerformanceView
  overTime: ReturnType<typeof usePerformance>['overTime']
  requests: (filters: Record<string, string>) => string
}

function Charts({ view: { period }, overTime, requests }: ChartsProps) {
  const { data, error } = overTime
  const failure = error && <ErrorState error={error} retry={() => void overTime.refetch()} />
  const every = period.interval === 'day' ? 'per day, UTC' : `per ${period.interval}, your time`
  const timing = (field: Timing, label: string, of: string) => (
    <ChartPanel
      title={label}
      description={data && `${every} · ${of}: ${count(data.total[field].count)}`}
      content={timingChart(data, field, label, requests)}
      failure={failure}
      empty={<EmptyState title="No calls were served">Try a longer period or another filter.</EmptyState>}
    />
  )
  const duration = timing('duration_ms', 'Duration', 'calls that were served')
  const errors = (
    <ChartPanel
      title="Errors by code"
      description={data && <ErrorsNote every={every} total={data.total} />}
      content={codesChart(data, requests)}
      failure={failure}
      empty={<EmptyState title="No errors">Nothing failed {period.words}.</EmptyState>}
    />
  )
  // Without streams, which are off at first, nothing is first content.
  const hasStreams = data !== undefined && data.total.first_content_ms.count > 0
  return (
    <>
      <div className={classes['halves']}>
        {duration}
        {hasStreams ? timing('first_content_ms', 'Time to first content', 'streams') : errors}
      </div>
      {hasStreams && errors}
    </>
  )
}

function ErrorsNote({ every, total: { errors, requests } }: { every: string; total: Figures }) {
  return (
    <>
      {every} ·{' '}
      <Text span inherit c={errors > 0 ? 'var(--bad)' : 'dimmed'}>
        {percent(errors, requests)}
      </Text>{' '}
      of {count(requests)} calls failed
    </>
  )
}
