import { Link, useSearch } from 'wouter'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Money } from '../../components/money.tsx'
import { usePath } from '../../shell/place.ts'
import { Billed, Difference } from './amount.tsx'
import type { CellRow } from './reconciliation-rows.ts'

export function CellsTable({ rows }: { rows: readonly CellRow[] }) {
  return <DataTable label="Differences by day and model" columns={COLUMNS} rows={rows} rowKey={({ id }) => id} />
}

const figures = (
  name: string,
  title: string,
  cell: Column<CellRow>['cell'],
  more: Partial<Column<CellRow>> = {},
): Column<CellRow> => ({ name, title, cell, figures: true, ...more })

const COLUMNS: Column<CellRow>[] = [
  { name: 'period', title: 'Day', cell: (row) => <CellLink row={row} /> },
  { name: 'model', title: 'Model', cell: ({ model }) => model ?? 'not about a model' },
  { name: 'provider', title: 'Provider', cell: ({ provider }) => provider, leftOut: 'first' },
  {
    ...{ name: 'accounts', title: 'Key at the provider', wideOnly: true, leftOut: 'second' },
    cell: ({ accounts }) => <span style={{ overflowWrap: 'anywhere' }}>{accounts.join(', ')}</span>,
  },
  figures('ours', 'Booked', (row) => <Money usd={row.ours_usd} column />),
  figures('theirs', 'Billed', (row) => <Billed usd={row.theirs_usd} />),
  figures('difference', 'Difference', (row) => <Difference usd={row.difference_usd} />),
  figures('quantity', 'Quantity', (row) => <Difference usd={row.quantity_usd} />, {
    wideOnly: true,
  }),
  figures('price', 'Price', (row) => <Difference usd={row.price_usd} />, { wideOnly: true }),
  figures('unexplained', 'Unexplained', (row) => <Difference usd={row.unexplained_usd} isBad />),
]

function CellLink({ row }: { row: CellRow }) {
  const path = usePath()
  const search = new URLSearchParams(useSearch())
  search.set('cell', row.id)
  return (
    <Link
      href={`${path('reconciliation')}?${search}`}
      className="row-link"
      aria-label={`${row.period}, ${row.model ?? 'not about a model'}: why`}
    >
      {row.period}
    </Link>
  )
}
