import { Group, Switch, Text } from '@mantine/core'
import { KeyRound, Plus, SearchX } from 'lucide-react'
import { useCallback, useDeferredValue, useEffect, useMemo, useRef } from 'react'
import { useLocation, useSearch } from 'wouter'
import type { Sort } from '../../components/data-table.tsx'
import { MayButton } from '../../components/may-button.tsx'
import { Page } from '../../components/page.tsx'
import { Panel } from '../../components/panel.tsx'
import { Permitted } from '../../components/permitted.tsx'
import { SearchField } from '../../components/search-field.tsx'
import { EmptyState, ErrorState, LoadingRows } from '../../components/states.tsx'
import { keySearch } from '../../format/key-search.ts'
import { count } from '../../format/number.ts'
import { usePath, usePlaceParts, useUrlState, useWorkspace } from '../../shell/place.ts'
import { CreateKey } from './create-key.tsx'
import { KeyDrawer } from './key-drawer.tsx'
import { type KnownRows, type ListedKey, matching, sorted, withUse } from './key-list.ts'
import { KeysTable, type MoreKeys } from './keys-table.tsx'
import { useGrowingList } from './use-growing-list.ts'

const PAGE = 500

/** `name` or `-spent`: a minus for the largest first. */
function sortFrom(text: string): Sort {
  return { by: text.replace(/^-/, ''), descending: text.startsWith('-') }
}

export function KeysPage() {
  const workspace = useWorkspace()
  const path = usePath()
  const [openId] = usePlaceParts()
  const [search, setSearch] = useUrlState()
  const [, navigate] = useLocation()
  const wanted = keySearch(search['search'] ?? '')
  const chosenSort = search['sort']
  const keys = useGrowingList(
    'keys.list',
    { workspace, limit: PAGE, ...(wanted === '' ? {} : { search: wanted }) },
    chosenSort === undefined ? 'as far as asked for' : 'whole',
  )
  const budgets = useGrowingList('budgets.list', { workspace, limit: PAGE }, 'whole')
  const isWhole = !keys.hasNextPage
  // One page is sorted by name. More are shown newest first as they come, so that nothing moves under the reader's eyes.
  const isOnePage = isWhole && keys.data?.pages.length === 1
  const sort = sortFrom(chosenSort ?? (isOnePage ? 'name' : ''))
  const known = useRef<KnownRows>(new Map())
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows are new at each render, their pages are not.
  const rows = useMemo(
    () => keys.rows && withUse(keys.rows, budgets.rows ?? [], known.current),
    [keys.data, budgets.data],
  )
  const query = useSearch()
  // The filters stay when a key is opened and closed.
  const go = useCallback((...parts: string[]) => `${path('keys', ...parts)}${query && `?${query}`}`, [path, query])
  return (
    <Page
      title="Keys"
      description="Programs use these to call the gateway. Each key belongs to one workspace and can have its own limits."
      actions={
        <MayButton
          to="keys.create"
          leftSection={<Plus size={16} aria-hidden />}
          onClick={() => setSearch({ new: '1' }, { push: true })}
        >
          Create a key
        </MayButton>
      }
    >
      <KeyFilters />
      <Panel flush>
        {rows !== undefined && chosenSort !== undefined && !isWhole ? (
          <>
            <Text size="sm" c="dimmed" p="md" pb={0} role="status">
              Sorting needs all keys: {count(rows.length)} read so far.
            </Text>
            <LoadingRows />
          </>
        ) : rows !== undefined ? (
          <KeysList
            all={rows}
            filter={{ search: wanted, revoked: search['revoked'] === '1' }}
            sort={sort}
            more={isWhole ? null : { isLoading: keys.isFetching, load: () => void keys.fetchNextPage() }}
            onSort={({ by, descending }) => setSearch({ sort: `${descending ? '-' : ''}${by}` })}
            currentId={openId}
            link={go}
          />
        ) : keys.error !== null ? (
          <ErrorState error={keys.error} retry={() => void keys.refetch()} />
        ) : (
          <LoadingRows />
        )}
      </Panel>
      {openId !== undefined && (
        <KeyDrawer
          key={openId}
          id={openId}
          use={budgets.rows?.find(({ scope, id }) => scope === 'key' && id === openId) ?? null}
          onClose={() => navigate(go())}
        />
      )}
      {search['new'] === '1' && (
        <Permitted to="keys.create">
          <CreateKey onClose={() => setSearch({ new: null })} />
        </Permitted>
      )}
    </Page>
  )
}

function KeyFilters() {
  const [{ search = '', revoked }, setSearch] = useUrlState()
  return (
    <Group justify="space-between" gap="sm">
      <SearchField
        label="Search keys"
        w={{ base: '100%', xs: 280 }}
        value={search}
        onSearch={(text) => setSearch({ search: keySearch(text) })}
      />
      <Switch
        label="Show revoked keys"
        checked={revoked === '1'}
        onChange={(event) => setSearch({ revoked: event.currentTarget.checked ? '1' : null })}
      />
    </Group>
  )
}

interface KeysListProps {
  all: readonly ListedKey[]
  filter: { search: string; revoked: boolean }
  sort: Sort
  /** Older ones that are not read yet. */
  more: MoreKeys | null
  onSort: (sort: Sort) => void
  currentId: string | undefined
  link: (id: string) => string
}

function KeysList({ all, filter, sort, more, ...others }: KeysListProps) {
  // Thousands of keys arrive page by page: typing and clicking go before showing them.
  const arrived = useDeferredValue(all)
  const { search, revoked } = filter
  const { by, descending } = sort
  const rows = useMemo(() => {
    const now = Date.now()
    return sorted(matching(arrived, { search, revoked }, now), { by, descending }, now)
  }, [arrived, search, revoked, by, descending])
  // All that was read may be revoked.
  const isEmptySoFar = rows.length === 0 && more !== null
  useEffect(() => {
    if (isEmptySoFar && !more.isLoading) more.load()
  }, [isEmptySoFar, more])
  if (rows.length > 0) return <KeysTable rows={rows} sort={sort} more={more} {...others} />
  if (isEmptySoFar) return <LoadingRows />
  if (filter.search.trim() !== '') {
    return (
      <EmptyState title={`No key matches “${filter.search.trim()}”`} icon={SearchX}>
        Names, ids and the first characters of values are searched
        {filter.revoked ? '.' : '; revoked keys are not shown.'}
      </EmptyState>
    )
  }
  return (
    <EmptyState title={all.length === 0 ? 'This workspace has no keys yet' : 'No active keys'} icon={KeyRound}>
      {all.length === 0
        ? 'Programs need a key to call the gateway. Its value is shown once, when it’s created.'
        : 'All of them are revoked; “Show revoked keys” lists them.'}
    </EmptyState>
  )
}
