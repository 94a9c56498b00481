import { Link } from 'wouter'
import type { Reply } from '../../api/client.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Money } from '../../components/money.tsx'
import { Panel } from '../../components/panel.tsx'
import { compareExact } from '../../format/exact.ts'
import { count, percent, shortCount } from '../../format/number.ts'
import type { PerformanceView } from './performance-view.ts'
import type { usePerformance } from './use-performance.ts'

type Row = Reply<'usage.workspaces'>['data'][number]

const COLUMNS: Column<Row>[] = [
  {
    name: 'workspace',
    title: 'Workspace',
    cell: ({ workspace, start }) =>
      start === ALL ? (
        'All'
      ) : (
        <Link className="row-link" href={`/${encodeURIComponent(workspace ?? '')}/performance`}>
          {workspace}
        </Link>
      ),
  },
  { name: 'requests', title: 'Requests', figures: true, cell: (row) => count(row.requests) },
  { name: 'errors', title: 'Failed', figures: true, cell: (row) => percent(row.errors, row.requests) },
  {
    name: 'fallbacks',
    title: 'Fallbacks',
    figures: true,
    cell: (row) => percent(row.fallbacks, row.requests),
    wideOnly: true,
  },
  { name: 'in', title: 'Tokens in', figures: true, cell: (row) => shortCount(row.prompt_tokens), wideOnly: true },
  { name: 'out', title: 'Out', figures: true, cell: (row) => shortCount(row.completion_tokens), wideOnly: true },
  { name: 'cost', title: 'Cost', figures: true, cell: (row) => <Money usd={row.cost_usd} column /> },
]

/** Marks the row of all. */
const ALL = 'all'

/** What every workspace uses, for those who may see several. The costliest comes first. */
export function WorkspacesPanel({
  workspaces,
  view,
}: {
  workspaces: ReturnType<typeof usePerformance>['workspaces']
  view: PerformanceView
}) {
  const { data } = workspaces
  if (data === undefined || data.data.length < 2) return null
  return (
    <Panel title="All workspaces" description={`usage ${view.period.words}`} flush>
      <DataTable
        label="Usage by workspace"
        columns={COLUMNS}
        rows={data.data.toSorted((a, b) => compareExact(b.cost_usd, a.cost_usd))}
        rowKey={({ workspace }) => workspace ?? ''}
        total={{ ...data.total, workspace: '', start: ALL } as Row}
      />
    </Panel>
  )
}
