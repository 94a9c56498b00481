import { SegmentedControl } from '@mantine/core'
import { Gauge } from 'lucide-react'
import { Link } from 'wouter'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Panel } from '../../components/panel.tsx'
import { EmptyState, Loaded } from '../../components/states.tsx'
import { count, milliseconds, percent } from '../../format/number.ts'
import classes from './performance.module.css'
import {
  changeTo,
  DIMENSIONS,
  type Dimension,
  filterOf,
  groupName,
  isChosen,
  type PerformanceView,
} from './performance-view.ts'
import type { Performance, usePerformance } from './use-performance.ts'

type Row = Performance['data'][number]

const TITLES: Readonly<Record<Dimension, string>> = { model: 'Model', provider: 'Provider', route: 'Route' }

export interface GroupsPanelProps {
  view: PerformanceView
  groups: ReturnType<typeof usePerformance>['groups']
  requests: (filters: Record<string, string>) => string
  onChange: (change: Record<string, string | null>) => void
}

/** Who is slow, the slowest first. Choosing one shows it alone; choosing it again shows all. */
export function GroupsPanel({ view, groups, requests, onChange }: GroupsPanelProps) {
  const { by, period } = view
  // While another dimension loads, the former answer is in sight: its rows are of the former dimension.
  const shown = groups.data?.group_by ?? by
  return (
    <Panel
      title={`By ${by}`}
      description="slowest first, by p95 duration"
      flush
      actions={
        <SegmentedControl
          aria-label="By"
          size="xs"
          value={by}
          data={DIMENSIONS.map((name) => ({ value: name, label: TITLES[name] }))}
          onChange={(name) => onChange({ by: name === 'model' ? null : name })}
        />
      }
    >
      <Loaded query={groups}>
        {({ data }: Performance) =>
          data.length === 0 ? (
            <EmptyState title="No calls" icon={Gauge}>
              No calls {period.words}.
            </EmptyState>
          ) : (
            <DataTable
              label={`Performance by ${shown}`}
              columns={columnsOf(shown, view, requests, onChange).filter(
                ({ name }) => hasStreams(data) || !OF_STREAMS.has(name),
              )}
              rows={data.toSorted((a, b) => (b.duration_ms.p95 ?? -1) - (a.duration_ms.p95 ?? -1))}
              rowKey={({ group }) => group ?? ''}
              isCurrent={({ group }) => isChosen(shown, filterOf(shown, group) ?? { provider: '' }, view)}
            />
          )
        }
      </Loaded>
    </Panel>
  )
}

const OF_STREAMS: ReadonlySet<string> = new Set(['first50', 'first95'])

function hasStreams(rows: readonly Row[]): boolean {
  return rows.some((row) => row.first_content_ms.count > 0)
}

function columnsOf(
  by: Dimension,
  view: PerformanceView,
  requests: GroupsPanelProps['requests'],
  onChange: GroupsPanelProps['onChange'],
): Column<Row>[] {
  const timing = (name: string, title: string, figure: (row: Row) => number | null, wideOnly = false): Column<Row> => ({
    ...{ name, title, figures: true, wideOnly, cell: (row) => milliseconds(figure(row)) },
  })
  return [
    {
      name: 'group',
      title: TITLES[by],
      cell: ({ group }) => <GroupName by={by} group={group} view={view} onChange={onChange} />,
    },
    { name: 'requests', title: 'Requests', figures: true, cell: (row) => count(row.requests) },
    { name: 'errors', title: 'Failed', figures: true, cell: (row) => <Failed row={row} by={by} requests={requests} /> },
    timing('p50', 'p50', (row) => row.duration_ms.p50),
    timing('p95', 'p95', (row) => row.duration_ms.p95),
    timing('p99', 'p99', (row) => row.duration_ms.p99),
    timing('first50', 'First content p50', (row) => row.first_content_ms.p50, true),
    timing('first95', 'p95', (row) => row.first_content_ms.p95, true),
    {
      name: 'slowest',
      title: 'Slowest',
      figures: true,
      cell: ({ group }) => <SlowestLink by={by} group={group} requests={requests} />,
    },
  ]
}

interface GroupProps {
  by: Dimension
  group: string | null
}

function GroupName({ by, group, view, onChange }: GroupProps & Pick<GroupsPanelProps, 'view' | 'onChange'>) {
  const filter = filterOf(by, group)
  const name = groupName(by, group)
  if (filter === null) return <span className={classes['quiet']}>{name}</span>
  const isOn = isChosen(by, filter, view)
  return (
    <button
      type="button"
      className={classes['group']}
      aria-pressed={isOn}
      title={isOn ? 'Show all' : `Show only ${name}`}
      onClick={() => onChange(changeTo(by, isOn ? {} : filter))}
    >
      {name}
    </button>
  )
}

function Failed({ row, by, requests }: { row: Row } & Pick<GroupProps, 'by'> & Pick<GroupsPanelProps, 'requests'>) {
  const filter = filterOf(by, row.group)
  const text = percent(row.errors, row.requests)
  if (row.errors === 0 || filter === null) return text
  return (
    <Link className={classes['bad']} href={requests({ ...filter, status: 'error' })} title={codesText(row.codes)}>
      {text}
    </Link>
  )
}

function codesText(codes: Row['codes']): string {
  const all = Object.entries(codes).toSorted(([, a], [, b]) => b - a)
  return all.map(([code, calls]) => `${code} ${count(calls)}`).join(', ')
}

function SlowestLink({ by, group, requests }: GroupProps & Pick<GroupsPanelProps, 'requests'>) {
  const filter = filterOf(by, group)
  if (filter === null) return null
  return (
    <Link
      className={classes['link']}
      href={requests({ ...filter, sort: 'slowest' })}
      aria-label={`Show the slowest requests of ${groupName(by, group)}`}
    >
      Show
    </Link>
  )
}
