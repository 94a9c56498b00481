import { Badge, Button, Text } from '@mantine/core'
import { Plus, Route as RouteIcon } from 'lucide-react'
import { useMemo } from 'react'
import { Link } from 'wouter'
import { useAll } from '../../api/hooks.ts'
import { ChainLine } from '../../components/chain-line.tsx'
import { type Column, DataTable, type Sort } from '../../components/data-table.tsx'
import { MayLink } from '../../components/may-button.tsx'
import { Money } from '../../components/money.tsx'
import { Page } from '../../components/page.tsx'
import { Panel } from '../../components/panel.tsx'
import { SearchField } from '../../components/search-field.tsx'
import { EmptyState, Loaded, LoadingRows } from '../../components/states.tsx'
import { ManagedBadge } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import { count, percent } from '../../format/number.ts'
import { usePath, useUrlState, useWorkspace } from '../../shell/place.ts'
import { entriesAt, type Route } from './route-draft.ts'
import { type Traffic, useTraffic } from './route-traffic.tsx'
import classes from './routes.module.css'
import { type ListedRoute, listed } from './routes-order.ts'

export function RoutesList() {
  const workspace = useWorkspace()
  const routes = useAll('routes.list', { query: { workspace } })
  const path = usePath()
  const create = (
    <MayLink to="routes.put" href={`${path('routes')}?new=1`} leftSection={<Plus size={15} aria-hidden />}>
      Create a route
    </MayLink>
  )
  return (
    <Page
      title="Routes"
      description="The aliases callers send as model, and the chain of models behind each. Figures are for the last 24 hours."
      actions={routes.data?.length === 0 ? undefined : create}
    >
      <Loaded
        query={routes}
        loading={
          <Panel flush>
            <LoadingRows />
          </Panel>
        }
      >
        {(rows) =>
          rows.length === 0 ? (
            <Panel>
              <EmptyState title="No routes yet" icon={RouteIcon}>
                A route gives a chain of models a name. Callers send the name; the gateway calls the first model and
                moves on to the next if it fails. You can change the chain without touching their code.
                <div className={classes['firstAction']}>{create}</div>
              </EmptyState>
            </Panel>
          ) : (
            <RoutesTable routes={rows} />
          )
        }
      </Loaded>
    </Page>
  )
}

function RoutesTable({ routes }: { routes: readonly Route[] }) {
  const [search, change] = useUrlState()
  const traffic = useTraffic()
  const path = usePath()
  const text = search['search'] ?? ''
  const sort: Sort = { by: (search['sort'] ?? 'alias').replace(/^-/, ''), descending: search['sort']?.[0] === '-' }
  const rows = listed(routes, traffic, text, sort)
  const columns = useMemo(() => columnsOf(path), [path])
  return (
    <>
      {(routes.length > 8 || text !== '') && (
        <SearchField
          label="Search aliases, descriptions, models"
          value={text}
          onSearch={(next) => change({ search: next })}
          maw={360}
        />
      )}
      <Panel flush>
        {rows.length === 0 ? (
          <EmptyState title="No route matches this search">
            <Button variant="default" size="xs" mt="xs" onClick={() => change({ search: null })}>
              Clear search
            </Button>
          </EmptyState>
        ) : (
          <DataTable
            label="Routes"
            columns={columns}
            rows={rows}
            rowKey={({ route }) => route.alias}
            dense
            sort={sort}
            onSort={({ by, descending }) => change({ sort: descending ? `-${by}` : by })}
          />
        )}
      </Panel>
    </>
  )
}

function columnsOf(path: (...parts: string[]) => string): Column<ListedRoute>[] {
  return [
    {
      name: 'alias',
      title: 'Alias',
      sortable: true,
      cell: ({ route }) => <Identity route={route} href={path('routes', route.alias)} />,
    },
    { name: 'chain', title: 'Chain', cell: ({ route }) => <Chain route={route} /> },
    { name: 'calls', title: 'Calls', ...figures, cell: ({ traffic }) => count(traffic?.requests ?? 0) },
    {
      name: 'errors',
      title: 'Errors',
      ...figures,
      cell: ({ traffic }) => <Rate traffic={traffic} of="errors" loud={0.05} />,
    },
    {
      name: 'fallbacks',
      title: 'Fallbacks',
      ...figures,
      cell: ({ traffic }) => <Rate traffic={traffic} of="fallbacks" loud={0.25} />,
    },
    { name: 'spend', title: 'Spend', ...figures, cell: ({ traffic }) => <Money usd={traffic?.cost_usd ?? '0'} /> },
    {
      name: 'updated',
      title: 'Updated',
      sortable: true,
      figures: true,
      wideOnly: true,
      cell: ({ route }) => <Time at={route.updated_at} relative />,
    },
  ]
}

const figures = { sortable: true, figures: true }

function Identity({ route, href }: { route: Route; href: string }) {
  const workspace = useWorkspace()
  return (
    <span className={classes['identity']}>
      <span className={classes['name']}>
        <Link href={href} className="row-link mono">
          {route.alias}
        </Link>
        <ManagedBadge by={route.managed_by} />
        {route.shared && (
          <Badge size="xs" variant="light" color="gray">
            {route.workspace === workspace ? 'shared' : `from ${route.workspace}`}
          </Badge>
        )}
      </span>
      {route.description !== null && (
        <Text span size="xs" c="dimmed" truncate title={route.description}>
          {route.description}
        </Text>
      )}
    </span>
  )
}

function Chain({ route }: { route: Route }) {
  return (
    <span className={classes['chain']}>
      <ChainLine places={route.chain.map(entriesAt)} />
    </span>
  )
}

/** A share of the calls; coloured where it asks for a look. */
function Rate({ traffic, of, loud }: { traffic: Traffic | undefined; of: 'errors' | 'fallbacks'; loud: number }) {
  if (traffic === undefined || traffic.requests === 0) return <span className={classes['none']}>–</span>
  if (traffic[of] === 0) return <span className={classes['none']}>0 %</span>
  const isLoud = traffic[of] / traffic.requests >= loud
  return (
    <span title={`${count(traffic[of])} of ${count(traffic.requests)} calls`}>
      <Text span inherit {...(isLoud ? { c: of === 'errors' ? 'var(--bad)' : 'var(--warn)', fw: 600 } : {})}>
        {percent(traffic[of], traffic.requests)}
      </Text>
    </span>
  )
}
