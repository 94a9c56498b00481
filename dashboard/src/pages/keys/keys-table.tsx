import { Button, Group, Text } from '@mantine/core'
import { useMemo, useState } from 'react'
import { Link } from 'wouter'
import { type Column, DataTable, type Sort } from '../../components/data-table.tsx'
import { KeyStateBadge } from '../../components/key-state-badge.tsx'
import { BudgetBar } from '../../components/limits/budget-bar.tsx'
import { RateUse } from '../../components/limits/rate-use.tsx'
import { Money } from '../../components/money.tsx'
import { ManagedBadge } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import { count } from '../../format/number.ts'
import { budgetMoney, type ListedKey } from './key-list.ts'

function KeyBudget({ row }: { row: ListedKey }) {
  const money = budgetMoney(row)
  if (money === null) return null
  return (
    <BudgetBar
      label={`Budget of ${row.name}`}
      limitUsd={money.limit_usd}
      spentUsd={money.spent_usd}
      heldUsd={money.held_usd}
      unconfirmedUsd={money.unconfirmed_usd}
      per={money.per}
      mode={money.mode}
    />
  )
}

function columnsWith(link: (id: string) => string): Column<ListedKey>[] {
  return [
    {
      name: 'name',
      title: 'Name',
      sortable: true,
      cell: (row) => (
        <Group gap="xs" wrap="nowrap">
          <Link href={link(row.id)} className="row-link">
            {row.name}
          </Link>
          <ManagedBadge by={row.managed_by} />
        </Group>
      ),
    },
    { name: 'prefix', title: 'Begins with', cell: ({ prefix }) => <span className="mono">{prefix}…</span> },
    { name: 'state', title: 'State', sortable: true, cell: (row) => <KeyStateBadge lifetime={row} /> },
    {
      name: 'last-used',
      title: 'Last use',
      sortable: true,
      cell: ({ last_used_at: at }) =>
        at === null ? (
          <Text span size="sm" c="dimmed">
            never
          </Text>
        ) : (
          <Time at={at} relative />
        ),
    },
    {
      name: 'spent',
      title: 'Spent',
      sortable: true,
      figures: true,
      cell: ({ spent_usd }) => <Money usd={spent_usd} column decimals={4} />,
    },
    { name: 'budget', title: 'Budget', sortable: true, cell: (row) => <KeyBudget row={row} /> },
    { name: 'rates', title: 'Now', wideOnly: true, cell: ({ use }) => <RateUse use={use} /> },
  ]
}

export interface MoreKeys {
  isLoading: boolean
  load: () => void
}

export interface KeysTableProps {
  rows: readonly ListedKey[]
  sort: Sort
  /** Older ones that are not read yet. */
  more: MoreKeys | null
  onSort: (sort: Sort) => void
  currentId: string | undefined
  /** Where the drawer of a key lives. */
  link: (id: string) => string
}

/** Drawn at first; more on request, so that thousands of keys do not make the page slow. */
const STEP = 200

export function KeysTable({ rows, sort, more, onSort, currentId, link }: KeysTableProps) {
  const columns = useMemo(() => columnsWith(link), [link])
  const [limit, setLimit] = useState(STEP)
  const hidden = rows.length - limit
  function showMore() {
    setLimit(limit + STEP)
    if (hidden <= 0) more?.load()
  }
  return (
    <>
      <DataTable
        label="Keys"
        columns={columns}
        rows={hidden > 0 ? rows.slice(0, limit) : rows}
        rowKey={({ id }) => id}
        sort={sort}
        onSort={onSort}
        isCurrent={({ id }) => id === currentId}
      />
      {(hidden > 0 || more !== null) && (
        <Group justify="center" p="sm">
          <Button variant="default" size="xs" loading={hidden <= 0 && more?.isLoading === true} onClick={showMore}>
            {hidden > 0
              ? `Show ${count(Math.min(STEP, hidden))} more of ${count(hidden)}${more === null ? '' : '+'}`
              : 'Show older keys'}
          </Button>
        </Group>
      )}
    </>
  )
}
