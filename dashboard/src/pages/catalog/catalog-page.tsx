import { Button, Text } from '@mantine/core'
import { Coins } from 'lucide-react'
import { useCallback, useDeferredValue, useMemo } from 'react'
import { Link, useLocation } from 'wouter'
import { useAll } from '../../api/hooks.ts'
import type { Sort } from '../../components/data-table.tsx'
import { Page } from '../../components/page.tsx'
import { Panel } from '../../components/panel.tsx'
import { EmptyState, Loaded, LoadingRows } from '../../components/states.tsx'
import { count } from '../../format/number.ts'
import { usePath, usePlaceParts, useUrlState, useWorkspace } from '../../shell/place.ts'
import { CatalogDrawer } from './catalog-drawer.tsx'
import { CatalogFilters } from './catalog-filters.tsx'
import { type CatalogItem, choices, filtersOf, isFiltered, matches, sortText } from './catalog-list.ts'
import { sorted } from './catalog-sort.ts'
import { CatalogTable } from './catalog-table.tsx'

export function CatalogPage() {
  const workspace = useWorkspace()
  const path = usePath()
  const catalog = useAll('catalog.list', { query: { workspace } })
  return (
    <Page
      title="Catalog"
      description={catalog.data === undefined ? 'What a caller may send as model' : <Summary items={catalog.data} />}
      actions={
        <Button
          component={Link}
          href={path('registry')}
          variant="default"
          leftSection={<Coins size={15} aria-hidden />}
        >
          Price registry
        </Button>
      }
    >
      <Loaded
        query={catalog}
        loading={
          <Panel flush>
            <LoadingRows rows={14} />
          </Panel>
        }
      >
        {(items) => <CatalogList items={items} />}
      </Loaded>
    </Page>
  )
}

function CatalogList({ items }: { items: readonly CatalogItem[] }) {
  const [search, change] = useUrlState()
  const deferred = useDeferredValue(search)
  const [, navigate] = useLocation()
  const path = usePath()
  // An alias may contain slashes; in a typed link they are not encoded.
  const current = usePlaceParts().join('/')
  const asked = useMemo(() => filtersOf(search), [search])
  // The fields answer at once; the rows follow when there is time.
  const filters = useMemo(() => filtersOf(deferred), [deferred])
  const rows = useMemo(() => {
    const found = items.filter((item) => matches(item, filters))
    return sorted(found, filters.sort)
  }, [items, filters])
  const offered = useMemo(() => choices(items), [items])
  // The filters stay while a row is looked at.
  const query = new URLSearchParams(deferred).toString()
  const linkTo = useCallback((id: string) => path('catalog', id) + (query === '' ? '' : `?${query}`), [path, query])
  // biome-ignore lint/correctness/useExhaustiveDependencies: `change` reads the address when it is called.
  const onSort = useCallback((sort: Sort) => change({ sort: sortText(sort) }), [])
  return (
    <>
      <CatalogFilters filters={asked} offered={offered} onChange={change} />
      <Panel flush>
        {rows.length === 0 ? (
          <NothingFound isEmpty={!isFiltered(filters)} />
        ) : (
          <CatalogTable
            rows={rows}
            sort={asked.sort}
            onSort={onSort}
            wanted={filters.capabilities}
            current={current}
            linkTo={linkTo}
          />
        )}
      </Panel>
      <Text size="xs" c="dimmed" role="status">
        {rows.length === items.length
          ? `${count(items.length)} models`
          : `${count(rows.length)} of ${count(items.length)} models`}
        . A direct id that is not listed works too when a provider knows it.
      </Text>
      <CatalogDrawer
        id={current === '' ? undefined : current}
        items={items}
        onClose={() => navigate(path('catalog') + (query === '' ? '' : `?${query}`))}
      />
    </>
  )
}

function Summary({ items }: { items: readonly CatalogItem[] }) {
  const aliases = items.filter(({ kind }) => kind === 'alias').length
  const providers = new Set(items.flatMap(({ chain }) => chain.map(({ provider }) => provider))).size
  return (
    <>
      What a caller may send as <span className="mono">model</span>: {count(aliases)} aliases and{' '}
      {count(items.length - aliases)} direct ids, served by {count(providers)} providers. Prices are in USD per million
      tokens.
    </>
  )
}

function NothingFound({ isEmpty }: { isEmpty: boolean }) {
  const [, change] = useUrlState()
  const path = usePath()
  if (isEmpty) {
    return (
      <EmptyState title="The catalog is empty">
        No provider has listed its models yet, and this workspace has no route. Set a provider’s key or create a route.
        <Button component={Link} href={path('providers')} variant="default" size="xs" mt="sm">
          Open providers
        </Button>
      </EmptyState>
    )
  }
  const none = { search: null, kind: null, provider: null, capability: null, deprecated: null }
  return (
    <EmptyState title="No model matches these filters">
      <Button variant="default" size="xs" mt="xs" onClick={() => change(none)}>
        Clear the filters
      </Button>
    </EmptyState>
  )
}
