import { useState } from 'react'
import type { Item } from '../../api/client.ts'
import { useChange, useOperation } from '../../api/hooks.ts'
import { Confirm } from '../../components/confirm.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { MayButton } from '../../components/may-button.tsx'
import { Panel } from '../../components/panel.tsx'
import { EmptyState, Loaded } from '../../components/states.tsx'
import { count } from '../../format/number.ts'
import type { Reconciliation } from './reconciliation-rows.ts'

type Report = Item<'reports.list'>

/** What was imported about the month, for which days, and whether those can still change. */
export function SourcesPanel({ month, compared }: { month: string; compared: Reconciliation | undefined }) {
  const reports = useOperation('reports.list', {})
  const [deleting, setDeleting] = useState<Report | null>(null)
  const settles = new Map(
    (compared?.data ?? []).map(({ provider, periods }) => [
      provider,
      periods.reduce((last, { settles_at: at }) => (at > last ? at : last), ''),
    ]),
  )
  return (
    <Panel title="Imported reports" description={`about ${month}`} flush>
      <Loaded query={reports}>
        {({ data }: { data: Report[] }) => {
          const rows = data.filter(
            ({ starts_at: from, ends_at: to }) => from.slice(0, 7) <= month && to >= `${month}-01`,
          )
          return rows.length === 0 ? (
            <EmptyState title={`No reports about ${month}`}>
              One key of the provider for each gateway, used by nothing else, makes the comparison exact.
            </EmptyState>
          ) : (
            <DataTable
              label="Imported reports"
              columns={columnsOf(settles, setDeleting)}
              rows={rows}
              rowKey={({ id }) => id}
            />
          )
        }}
      </Loaded>
      <DeleteReport report={deleting} onClose={() => setDeleting(null)} />
    </Panel>
  )
}

const day = (time: string) => time.slice(0, 10)

function columnsOf(settles: ReadonlyMap<string, string>, onDelete: (report: Report) => void): Column<Report>[] {
  return [
    { name: 'name', title: 'File', cell: ({ name }) => <span style={{ overflowWrap: 'anywhere' }}>{name}</span> },
    { name: 'provider', title: 'Provider', cell: ({ provider }) => provider },
    { name: 'source', title: 'Form', cell: ({ source }) => source, leftOut: 'first' },
    {
      name: 'days',
      title: 'Days',
      cell: ({ starts_at: from, ends_at: to }) => `${day(from)} – ${day(new Date(Date.parse(to) - 1).toISOString())}`,
    },
    { name: 'lines', title: 'Lines', figures: true, cell: ({ lines }) => count(lines), wideOnly: true },
    { name: 'state', title: 'State', cell: ({ provider }) => settledText(settles.get(provider)) },
    {
      name: 'by',
      title: 'Imported',
      cell: ({ imported_at: at, imported_by: by }) => `${day(at)} by ${by}`,
      wideOnly: true,
      leftOut: 'second',
    },
    {
      name: 'delete',
      title: 'Actions',
      cell: (report) => (
        <MayButton
          to="reports.delete"
          size="compact-xs"
          variant="subtle"
          color="gray"
          aria-label={`Delete ${report.name}`}
          onClick={() => onDelete(report)}
        >
          Delete
        </MayButton>
      ),
    },
  ]
}

/** Of a provider's reports of the month as a whole. */
function settledText(at: string | undefined): string {
  if (at === undefined || at === '') return 'not compared'
  return Date.parse(at) > Date.now() ? `can change until ${at.slice(0, 16).replace('T', ' ')}Z` : 'settled'
}

function DeleteReport({ report, onClose }: { report: Report | null; onClose: () => void }) {
  const change = useChange('reports.delete')
  return (
    <Confirm
      isOpen={report !== null}
      onClose={onClose}
      title={`Delete ${report?.name ?? ''}?`}
      action="Delete report"
      isBusy={change.isPending}
      error={change.error}
      onConfirm={() => report !== null && change.mutate({ params: { id: report.id } }, { onSuccess: onClose })}
    >
      Its lines are no longer compared. Closed months stay as they are.
    </Confirm>
  )
}
