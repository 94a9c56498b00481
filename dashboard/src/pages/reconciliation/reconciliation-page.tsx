import { Button, Group, SegmentedControl, Stack } from '@mantine/core'
import { Download, Scale } from 'lucide-react'
import { useMemo } from 'react'
import { addressOf } from '../../api/client.ts'
import { useOperation } from '../../api/hooks.ts'
import { ChartPanel } from '../../charts/chart-panel.tsx'
import { Page } from '../../components/page.tsx'
import { Panel } from '../../components/panel.tsx'
import { Permitted } from '../../components/permitted.tsx'
import { EmptyState, ErrorState, Loaded } from '../../components/states.tsx'
import { useUrlState } from '../../shell/place.ts'
import { CellDrawer } from './cell-drawer.tsx'
import { CellsTable } from './cells-table.tsx'
import { driftChart } from './drift-chart.ts'
import { ImportButton } from './import-report.tsx'
import { MonthPanel } from './month-panel.tsx'
import { MonthSelect, useMonth } from './month-select.tsx'
import { ProvidersPanel } from './providers-panel.tsx'
import { cellsOf, isDifferent, type Reconciliation } from './reconciliation-rows.ts'
import { SourcesPanel } from './sources-panel.tsx'

/** What providers report against what was booked, and why the two differ. */
export function ReconciliationPage() {
  return (
    <Page
      title="Reconciliation"
      description="Providers’ reports against the request log. Days are those of the report; months are UTC."
      actions={
        <Permitted to="reconciliation.get">
          <MonthSelect />
          <ImportButton />
        </Permitted>
      }
    >
      <Permitted to="reconciliation.get" isPart>
        <Comparison />
      </Permitted>
    </Page>
  )
}

function Comparison() {
  const month = useMonth()
  const compared = useOperation('reconciliation.get', { query: { month } })
  const chart = useMemo(() => (compared.data === undefined ? undefined : driftChart(compared.data)), [compared.data])
  const failure = compared.error && <ErrorState error={compared.error} retry={() => void compared.refetch()} />
  if (compared.data?.data.length === 0 && compared.data.foreign_accounts.length === 0) {
    return (
      <Stack gap="lg">
        <Panel>
          <EmptyState title={`No reports for ${month}`} icon={Scale}>
            Import a usage or cost report of a provider to see where its bill and the request log differ, and why.
          </EmptyState>
        </Panel>
        <SourcesPanel month={month} compared={compared.data} />
        <MonthPanel month={month} />
      </Stack>
    )
  }
  return (
    <Stack gap="lg">
      <Loaded query={compared}>{(data: Reconciliation) => <ProvidersPanel compared={data} />}</Loaded>
      <ChartPanel
        title="Difference by day"
        description="billed by providers − booked here, in USD; less is drawn upwards too"
        content={chart}
        failure={failure}
        empty={<EmptyState title="No differences this month">Every day agrees to the last digit.</EmptyState>}
      />
      <Panel title="By day and model" flush actions={<CellActions month={month} />}>
        <Loaded query={compared}>{(data: Reconciliation) => <Cells compared={data} />}</Loaded>
      </Panel>
      <SourcesPanel month={month} compared={compared.data} />
      <MonthPanel month={month} />
    </Stack>
  )
}

function CellActions({ month }: { month: string }) {
  return (
    <Group gap="xs">
      <OnlyDifferences />
      <Button
        component="a"
        variant="default"
        size="xs"
        leftSection={<Download size={14} aria-hidden />}
        href={addressOf('reconciliation.export', { query: { month } })}
        download={`reconciliation-${month}.csv`}
      >
        CSV
      </Button>
    </Group>
  )
}

function OnlyDifferences() {
  const [{ show = 'differences' }, change] = useUrlState()
  return (
    <SegmentedControl
      aria-label="Rows"
      size="xs"
      value={show}
      data={[
        { value: 'differences', label: 'Differences' },
        { value: 'all', label: 'All' },
      ]}
      onChange={(value) => change({ show: value === 'differences' ? null : value })}
    />
  )
}

function Cells({ compared }: { compared: Reconciliation }) {
  const [{ show = 'differences', cell }] = useUrlState()
  const all = useMemo(() => cellsOf(compared), [compared])
  const rows = useMemo(() => (show === 'all' ? all : all.filter(isDifferent)), [all, show])
  return (
    <>
      {rows.length === 0 ? (
        <EmptyState title="No differences this month">Show all rows to see what was compared.</EmptyState>
      ) : (
        <CellsTable rows={rows} />
      )}
      <CellDrawer cell={all.find(({ id }) => id === cell)} />
    </>
  )
}
