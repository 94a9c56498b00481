import { Anchor, Text } from '@mantine/core'
import { useMemo } from 'react'
import { Link } from 'wouter'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { BudgetBar } from '../../components/limits/budget-bar.tsx'
import type { Budget } from '../../components/limits/budget-watch.ts'
import { Money } from '../../components/money.tsx'
import { Panel } from '../../components/panel.tsx'
import { Time } from '../../components/time.tsx'
import { count } from '../../format/number.ts'
import { useUrlState } from '../../shell/place.ts'
import { matching } from './budget-list.ts'
import { eachWords, hrefOfValue, type ValueRow, valueRows } from './value-rows.ts'

const COLUMNS: Column<ValueRow>[] = [
  { name: 'each', title: 'Budget', cell: (row) => <Whose row={row} /> },
  { name: 'value', title: 'Tightest', cell: (row) => <Value row={row} /> },
  { name: 'spent', title: 'Spent', cell: (row) => <Spent row={row} /> },
  { name: 'left', title: 'Left', figures: true, cell: (row) => <Left row={row} /> },
  {
    name: 'resets',
    title: 'Resets',
    wideOnly: true,
    leftOut: 'first',
    cell: ({ use }) => (use?.resets_at == null ? <Dimmed>never</Dimmed> : <Time at={use.resets_at} relative />),
  },
]

/** Budgets for each session, agent, user, …: of what may be millions the tightest few. */
export function ValuesPanel({ budgets }: { budgets: readonly Budget[] }) {
  const [{ search = '' }] = useUrlState()
  const rows = useMemo(() => valueRows(matching(budgets, search)), [budgets, search])
  if (rows.length === 0) return null
  return (
    <Panel
      flush
      title="Budgets for each session, agent or user"
      description="The least left of what has cost something since yesterday."
    >
      <DataTable label="Budgets of values" columns={COLUMNS} rows={rows} rowKey={({ id }) => id} />
    </Panel>
  )
}

function Whose({ row: { owner, budget, isFirst } }: { row: ValueRow }) {
  if (!isFirst) return <Dimmed>{eachWords(budget)}</Dimmed>
  return (
    <div>
      <Money usd={budget.limit_usd} /> {eachWords(budget)}
      <Text size="xs" c="dimmed">
        {owner.scope === 'key' ? `key ${owner.name} in ${owner.workspace}` : `workspace ${owner.name}`}
        {budget.each !== null && `, ${count(budget.live)} live`}
      </Text>
    </div>
  )
}

function Value({ row }: { row: ValueRow }) {
  const { use, budget } = row
  if (use === null) return <Dimmed>none yet</Dimmed>
  const name = use.value ?? (budget.each === 'key' ? (use.key ?? use.key_id) : null)
  if (name === null) return <Dimmed>all calls</Dimmed>
  return (
    <div>
      <Anchor component={Link} inherit href={hrefOfValue(row, use)} truncate display="block" maw={260} title={name}>
        {name}
      </Anchor>
      {use.session !== null && (
        <Text size="xs" c="dimmed" truncate maw={260}>
          in session {use.session}
        </Text>
      )}
      {row.owner.scope === 'workspace' && budget.each !== 'key' && use.key !== null && (
        <Text size="xs" c="dimmed">
          key {use.key}
        </Text>
      )}
    </div>
  )
}

function Spent({ row: { use, budget } }: { row: ValueRow }) {
  if (use === null) return <Dimmed>–</Dimmed>
  return (
    <BudgetBar
      label={`Budget of ${use.value ?? use.key ?? 'all calls'}`}
      limitUsd={use.limit_usd}
      spentUsd={use.spent_usd}
      heldUsd={use.held_usd}
      unconfirmedUsd="0"
      per={budget.per}
      mode={budget.mode}
    />
  )
}

function Left({ row: { use } }: { row: ValueRow }) {
  if (use === null) return <Dimmed>–</Dimmed>
  return (
    <div>
      <Money usd={use.remaining_usd} />
      {Number(use.held_usd) > 0 && (
        <Text size="xs" c="dimmed">
          <Money usd={use.held_usd} /> held
        </Text>
      )}
    </div>
  )
}

function Dimmed({ children }: { children: string }) {
  return (
    <Text span size="xs" c="dimmed">
      {children}
    </Text>
  )
}
