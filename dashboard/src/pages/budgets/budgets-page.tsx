import { Anchor, Group, SegmentedControl } from '@mantine/core'
import { PiggyBank, SearchX } from 'lucide-react'
import { useMemo } from 'react'
import { Link } from 'wouter'
import { useAll } from '../../api/hooks.ts'
import type { Budget } from '../../components/limits/budget-watch.ts'
import { Page } from '../../components/page.tsx'
import { Panel } from '../../components/panel.tsx'
import { SearchField } from '../../components/search-field.tsx'
import { EmptyState, Loaded } from '../../components/states.tsx'
import { usePath, useUrlState, useWorkspace } from '../../shell/place.ts'
import { matching, sorted } from './budget-list.ts'
import { BudgetsTable } from './budgets-table.tsx'
import { ValuesPanel } from './values-panel.tsx'

const REFRESH_MS = 30_000

/** Every budget and limit, and what is left of it. */
export function BudgetsPage() {
  const workspace = useWorkspace()
  const [{ only }] = useUrlState()
  const query = { values: 'true' as const, ...(only === 'workspace' && { workspace }) }
  const budgets = useAll('budgets.list', { query }, { refetchEvery: REFRESH_MS })
  return (
    <Page
      title="Budgets"
      description="Keys and workspaces with a budget or rate limit. Forecasts assume the average pace so far; periods end at midnight UTC."
    >
      <BudgetFilters />
      <Panel flush>
        <Loaded query={budgets}>{(rows: Budget[]) => <BudgetList all={rows} />}</Loaded>
      </Panel>
      <ValuesPanel budgets={budgets.data ?? []} />
    </Page>
  )
}

function BudgetFilters() {
  const workspace = useWorkspace()
  const isOneOfMany = (useAll('workspaces.list', {}).data?.length ?? 1) > 1
  const [{ search = '', only }, setSearch] = useUrlState()
  return (
    <Group justify="space-between" gap="sm">
      <SearchField
        label="Search budgets"
        w={{ base: '100%', xs: 280 }}
        value={search}
        onSearch={(text) => setSearch({ search: text })}
      />
      {isOneOfMany && (
        <SegmentedControl
          aria-label="Workspaces"
          size="xs"
          value={only === 'workspace' ? 'workspace' : 'all'}
          data={[
            { value: 'all', label: 'All workspaces' },
            { value: 'workspace', label: workspace },
          ]}
          onChange={(value) => setSearch({ only: value === 'all' ? null : value })}
        />
      )}
    </Group>
  )
}

function BudgetList({ all }: { all: readonly Budget[] }) {
  const path = usePath()
  const [{ search = '', sort = '-state' }, setSearch] = useUrlState()
  const [by, descending] = [sort.replace(/^-/, ''), sort.startsWith('-')]
  const rows = useMemo(() => sorted(matching(all, search), { by, descending }), [all, search, by, descending])
  if (all.length === 0) {
    return (
      <EmptyState title="No budgets yet" icon={PiggyBank}>
        Give a{' '}
        <Anchor component={Link} inherit href={path('keys')}>
          key
        </Anchor>{' '}
        a budget per day, week or month, or limit its requests and tokens per minute.
      </EmptyState>
    )
  }
  if (rows.length === 0) {
    return (
      <EmptyState title={`No budget matches “${search.trim()}”`} icon={SearchX}>
        The names of keys and workspaces are searched.
      </EmptyState>
    )
  }
  return (
    <BudgetsTable
      rows={rows}
      sort={{ by, descending }}
      onSort={(next) => setSearch({ sort: `${next.descending ? '-' : ''}${next.by}` })}
    />
  )
}
