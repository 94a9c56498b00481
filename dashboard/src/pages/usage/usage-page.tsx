import '@mantine/dates/styles.css'
import { Group, Text } from '@mantine/core'
import { ChartPanel } from '../../charts/chart-panel.tsx'
import { useUsageChart } from '../../charts/usage-chart.ts'
import { Page } from '../../components/page.tsx'
import { Panel } from '../../components/panel.tsx'
import { EmptyState, ErrorState, Loaded } from '../../components/states.tsx'
import { count } from '../../format/number.ts'
import { usePath, useUrlState } from '../../shell/place.ts'
import { CsvMenu } from './csv-menu.tsx'
import { OtherUnits } from './other-units.tsx'
import { ChartControls, GroupControl, PeriodControl, WorkspacesControl } from './usage-controls.tsx'
import { UsageFilters } from './usage-filters.tsx'
import type { Usage } from './usage-rows.ts'
import { UsageTable } from './usage-table.tsx'
import { UsageTotals } from './usage-totals.tsx'
import { type UsageView, viewOf } from './usage-view.ts'
import { useToday, useUsage } from './use-usage.ts'
import { WhatIfPanel } from './what-if-panel.tsx'

const MEASURE_TITLES = { cost: 'Spend', requests: 'Requests', tokens: 'Tokens' } as const

/** Who uses how much, and what it costs. */
export function UsagePage() {
  const [search] = useUrlState()
  const view = viewOf(search, useToday())
  const { overTime, sums, before } = useUsage(view)
  const chart = useUsageChart(overTime.data, view.measure, usePath()('requests'))
  return (
    <Page
      title="Usage"
      description="Usage and cost. Days are UTC."
      actions={
        <>
          <PeriodControl view={view} />
          <CsvMenu sums={sums.data} overTime={overTime.data} isAll={view.isAll} />
        </>
      }
    >
      <Group gap="sm">
        <WorkspacesControl view={view} />
        <GroupControl view={view} />
        <UsageFilters view={view} />
      </Group>
      <UsageTotals total={sums.data?.total} before={before} />
      <ChartPanel
        title={`${MEASURE_TITLES[view.measure]} by ${view.groupBy}`}
        description={<ChartNote usage={overTime.data} view={view} />}
        actions={<ChartControls view={view} />}
        content={chart}
        failure={overTime.error && <ErrorState error={overTime.error} retry={() => void overTime.refetch()} />}
        empty={<NothingUsed view={view} />}
        height={280}
      />
      <Panel title={`Totals by ${view.groupBy}`} flush>
        <Loaded query={sums}>
          {(usage: Usage) =>
            usage.data.length === 0 ? (
              <NothingUsed view={view} />
            ) : (
              <UsageTable key={view.groupBy} usage={usage} view={view} />
            )
          }
        </Loaded>
      </Panel>
      <OtherUnits usage={sums.data} />
      {!view.isAll && <WhatIfPanel view={view} />}
    </Page>
  )
}

function ChartNote({ usage, view }: { usage: Usage | undefined; view: UsageView }) {
  if (usage === undefined) return null
  const unpriced = view.measure === 'cost' ? usage.total.unpriced_requests : 0
  return (
    <>
      {usage.interval === 'day' ? 'per day, UTC' : 'per hour, your time'}
      {unpriced > 0 && (
        <Text span inherit c="var(--warn)">
          {' '}
          · without {count(unpriced)} {unpriced === 1 ? 'request' : 'requests'} of unknown price
        </Text>
      )}
    </>
  )
}

function NothingUsed({ view }: { view: UsageView }) {
  const isFiltered = Object.keys(view.filters).length > 0
  return (
    <EmptyState title={view.measure === 'cost' ? 'No spend in this period' : 'No requests in this period'}>
      {isFiltered ? 'Other filters or a longer period may have some.' : 'A longer period may have some.'}
    </EmptyState>
  )
}
