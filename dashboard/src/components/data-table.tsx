import { Table } from '@mantine/core'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { memo, type ReactNode } from 'react'
import classes from './data-table.module.css'

export interface Column<Row> {
  /** Also the name under which the page sorts. */
  name: string
  title: string
  cell: (row: Row) => ReactNode
  /** Figures are right-aligned. */
  figures?: boolean
  /** Says that the page can sort by it. */
  sortable?: boolean
  /** Left out on a phone; the page has it one step further in. */
  wideOnly?: boolean
  /** Left out, in this order, where the table would be wider than its place; the page has it one step further in. */
  leftOut?: 'first' | 'second' | 'third'
}

export interface DataTableProps<Row> {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  rowKey: (row: Row) => string
  sort?: Sort | undefined
  onSort?: (sort: Sort) => void
  /** Marks the row that is open beside the table. */
  isCurrent?: (row: Row) => boolean
  /** Marks a row that has just arrived. */
  isNew?: (row: Row) => boolean
  /** Many columns: less space between them. */
  dense?: boolean
  /** All rows added up, below them. */
  total?: Row | undefined
}

export interface Sort {
  by: string
  descending: boolean
}

/**
 * A table for people: figures line up, headings stay, on a phone each row becomes a small card of labelled lines. To make a
 * whole row lead somewhere, put a link with the class `row-link` into its first cell: it covers the row.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, rowKey, sort, onSort, isCurrent, isNew, dense = false, total } = props
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls, and the keyboard must reach it.
    <section className={classes['scroll']} aria-label={label} tabIndex={0}>
      <Table
        className={classes['table'] ?? ''}
        verticalSpacing={7}
        horizontalSpacing={dense ? 10 : 'md'}
        highlightOnHover
      >
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Heading key={column.name} column={column} sort={sort} onSort={onSort} />
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Row
              key={rowKey(row)}
              row={row}
              columns={columns}
              isCurrent={isCurrent?.(row) === true}
              isNew={isNew?.(row) === true}
            />
          ))}
        </Table.Tbody>
        {total !== undefined && (
          <Table.Tfoot>
            <Row row={total} columns={columns} isCurrent={false} isNew={false} />
          </Table.Tfoot>
        )}
      </Table>
    </section>
  )
}

interface RowProps<Content> {
  row: Content
  columns: readonly Column<Content>[]
  isCurrent: boolean
  isNew: boolean
}

/** Drawn again only when it changed, for tables of hundreds of rows: keep `columns` the same between renders there. */
const Row = memo(TableRow) as typeof TableRow

function TableRow<Content>({ row, columns, isCurrent, isNew }: RowProps<Content>) {
  return (
    <Table.Tr data-current={isCurrent || undefined} data-new={isNew || undefined}>
      {columns.map((column) => (
        <Table.Td
          key={column.name}
          data-label={column.title}
          data-figures={column.figures || undefined}
          data-wide-only={column.wideOnly || undefined}
          data-left-out={column.leftOut}
        >
          {column.cell(row)}
        </Table.Td>
      ))}
    </Table.Tr>
  )
}

function Heading<Row>({
  column,
  sort,
  onSort,
}: {
  column: Column<Row>
  sort: Sort | undefined
  onSort: ((sort: Sort) => void) | undefined
}) {
  const isSorted = sort?.by === column.name
  const order = isSorted ? (sort.descending ? 'descending' : 'ascending') : undefined
  return (
    <Table.Th
      data-figures={column.figures || undefined}
      data-wide-only={column.wideOnly || undefined}
      data-left-out={column.leftOut}
      {...(column.sortable ? { 'aria-sort': order ?? 'none' } : {})}
    >
      {column.sortable && onSort !== undefined ? (
        <button
          type="button"
          className={classes['sort']}
          onClick={() => onSort({ by: column.name, descending: isSorted ? !sort.descending : column.figures === true })}
        >
          {column.title}
          {order === 'descending' && <ArrowDown size={13} aria-hidden />}
          {order === 'ascending' && <ArrowUp size={13} aria-hidden />}
        </button>
      ) : (
        column.title
      )}
    </Table.Th>
  )
}
