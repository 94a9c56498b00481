import { Badge, Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import { type Column, DataTable, type Sort } from '../../components/data-table.tsx'
import { BudgetBar } from '../../components/limits/budget-bar.tsx'
import { type Budget, moneyOf, stateOf } from '../../components/limits/budget-watch.ts'
import { RateUse } from '../../components/limits/rate-use.tsx'
import { Money } from '../../components/money.tsx'
import { Time } from '../../components/time.tsx'
import { count } from '../../format/number.ts'
import { isExceeded } from './budget-list.ts'

const COLUMNS: Column<Budget>[] = [
  { name: 'name', title: 'Key or workspace', sortable: true, cell: (budget) => <Whose budget={budget} /> },
  {
    name: 'state',
    title: 'State',
    sortable: true,
    cell: (budget) => {
      const { color, label } = stateOf(budget)
      return <Badge color={color}>{label}</Badge>
    },
  },
  { name: 'budget', title: 'Spent', sortable: true, cell: (budget) => <Spent budget={budget} /> },
  { name: 'left', title: 'Left', sortable: true, figures: true, cell: (budget) => <Left budget={budget} /> },
  {
    name: 'forecast',
    title: 'Forecast',
    sortable: true,
    figures: true,
    cell: (budget) => <Forecast budget={budget} />,
  },
  {
    name: 'refused',
    title: 'Refused (24 h)',
    sortable: true,
    figures: true,
    cell: ({ refused_last_day: refused }) => (
      <Text span inherit c={refused > 0 ? 'var(--bad)' : 'dimmed'}>
        {count(refused)}
      </Text>
    ),
  },
  { name: 'resets', title: 'Resets', sortable: true, cell: (budget) => <Resets budget={budget} /> },
  { name: 'rates', title: 'Rate limits', wideOnly: true, leftOut: 'first', cell: (use) => <RateUse use={use} /> },
]

function Whose({ budget: { scope, id, name, workspace } }: { budget: Budget }) {
  const place = scope === 'key' ? `${encodeURIComponent(workspace)}/keys/${id}` : `${id}/settings/workspaces/${id}`
  return (
    <div>
      <Link href={`/${place}`} className="row-link">
        {name}
      </Link>
      <Text size="xs" c="dimmed">
        {scope === 'key' ? `key in ${workspace}` : 'workspace'}
      </Text>
    </div>
  )
}

function Spent({ budget }: { budget: Budget }) {
  const money = moneyOf(budget)
  if (money === null) return <None>{budget.limits.budgets === undefined ? 'no budget' : 'see below'}</None>
  return (
    <BudgetBar
      label={`Budget of ${budget.name}`}
      limitUsd={money.limit_usd}
      spentUsd={money.spent_usd}
      heldUsd={money.held_usd}
      unconfirmedUsd={money.unconfirmed_usd}
      per={money.per}
      mode={money.mode}
      state={budget.state}
    />
  )
}

function Left({ budget }: { budget: Budget }) {
  const money = moneyOf(budget)
  if (money === null) return <None>–</None>
  const isHeld = Number(money.held_usd) > 0
  const isOpen = Number(money.unconfirmed_usd) > 0
  return (
    <div>
      <Money usd={money.remaining_usd} />
      {isHeld && (
        <Text size="xs" c="dimmed">
          <Money usd={money.held_usd} /> held
        </Text>
      )}
      {isOpen && (
        <Text size="xs" c="dimmed" title="Providers may have billed it, for calls that gave no count of tokens">
          <Money usd={money.unconfirmed_usd} /> unconfirmed
        </Text>
      )}
    </div>
  )
}

function Forecast({ budget }: { budget: Budget }) {
  const { forecast_usd: forecast, forecast_low_usd: low, forecast_high_usd: high } = budget
  if (forecast === null) return <None>–</None>
  return (
    <div>
      <Text span inherit c={isExceeded(budget) ? 'var(--warn)' : 'inherit'}>
        <Money usd={forecast} />
      </Text>
      {low !== null && high !== null && (
        <Text size="xs" c="dimmed" title="8 of 10 months end in this range, by how the days of this month differ">
          <Money usd={low} /> – <Money usd={high} />
        </Text>
      )}
    </div>
  )
}

function Resets({ budget }: { budget: Budget }) {
  const money = moneyOf(budget)
  if (money === null) return <None>–</None>
  return money.resets_at === null ? <None>never</None> : <Time at={money.resets_at} relative />
}

function None({ children }: { children: string }) {
  return (
    <Text span size="sm" c="dimmed">
      {children}
    </Text>
  )
}

/** Drawn at first; more on request, so that thousands do not make the page slow. */
const STEP = 200

export function BudgetsTable(props: { rows: readonly Budget[]; sort: Sort; onSort: (sort: Sort) => void }) {
  const { rows, sort, onSort } = props
  const [limit, setLimit] = useState(STEP)
  const hidden = rows.length - limit
  return (
    <>
      <DataTable
        label="Budgets"
        columns={COLUMNS}
        rows={hidden > 0 ? rows.slice(0, limit) : rows}
        rowKey={({ scope, id }) => `${scope} ${id}`}
        sort={sort}
        onSort={onSort}
      />
      {hidden > 0 && (
        <Group justify="center" p="sm">
          <Button variant="default" size="xs" onClick={() => setLimit(limit + STEP)}>
            {`Show ${count(Math.min(STEP, hidden))} more of ${count(hidden)}`}
          </Button>
        </Group>
      )}
    </>
  )
}
