import { Group, Switch } from '@mantine/core'
import { KeyRound, Plus, SearchX } from 'lucide-react'
import { useCallback, useDeferredValue, useMemo, useRef } from 'react'
import { useLocation, useSearch } from 'wouter'
import type { Sort } from '../../components/data-table.tsx'
import { MayButton } from '../../components/may-button.tsx'
import { Page } from '../../components/page.tsx'
import { Panel } from '../../components/panel.tsx'
import { SearchField } from '../../components/search-field.tsx'
import { EmptyState, ErrorState, LoadingRows } from '../../components/states.tsx'
import { usePath, usePlaceParts, useUrlState, useWorkspace } from '../../shell/place.ts'
import { CreateKey } from './create-key.tsx'
import { KeyDrawer } from './key-drawer.tsx'
import { type KnownRows, type ListedKey, matching, sorted, withUse } from './key-list.ts'
import { KeysTable } from './keys-table.tsx'
import { useGrowingList } from './use-growing-list.ts'

/** `name` or `-spent`: a minus for the largest first. */
function sortFrom(text: string | undefined): Sort {
  if (text === undefined) return { by: 'name', descending: false }
  return { by: text.replace(/^-/, ''), descending: text.startsWith('-') }
}

export function KeysPage() {
  const workspace = useWorkspace()
  const path = usePath()
  const [openId] = usePlaceParts()
  const [search, setSearch] = useUrlState()
  const [, navigate] = useLocation()
  const keys = useGrowingList('keys.list', workspace)
  const budgets = useGrowingList('budgets.list', workspace)
  const known = useRef<KnownRows>(new Map())
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows are made anew at each render, their pages are not.
  const rows = useMemo(
    () => keys.rows && withUse(keys.rows, budgets.rows ?? [], known.current),
    [keys.data, budgets.data],
  )
  const query = useSearch()
  // The filters stay when a key is opened and closed.
  const go = useCallback((...parts: string[]) => `${path('keys', ...parts)}${query && `?${query}`}`, [path, query])
  const isRevokedShown = search['revoked'] === '1'
  return (
    <Page
      title="Keys"
      description="What programs call this gateway with. Each belongs to one workspace and can have limits of its own."
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
      <Group justify="space-between" gap="sm">
        <SearchField
          label="Search keys"
          w={{ base: '100%', xs: 280 }}
          value={search['search'] ?? ''}
          onSearch={(text) => setSearch({ search: text })}
        />
        <Switch
          label="Show revoked keys"
          checked={isRevokedShown}
          onChange={(event) => setSearch({ revoked: event.currentTarget.checked ? '1' : null })}
        />
      </Group>
      <Panel flush>
        {rows !== undefined ? (
          <KeysList
            all={rows}
            filter={{ search: search['search'] ?? '', revoked: isRevokedShown }}
            sort={sortFrom(search['sort'])}
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
      {search['new'] === '1' && <CreateKey onClose={() => setSearch({ new: null })} />}
    </Page>
  )
}

interface KeysListProps {
  all: readonly ListedKey[]
  filter: { search: string; revoked: boolean }
  sort: Sort
  onSort: (sort: Sort) => void
  currentId: string | undefined
  link: (id: string) => string
}

function KeysList({ all, filter, sort, ...others }: KeysListProps) {
  // Thousands of keys arrive page by page: typing and clicking go before showing them.
  const arrived = useDeferredValue(all)
  const { search, revoked } = filter
  const { by, descending } = sort
  const rows = useMemo(() => {
    const now = Date.now()
    return sorted(matching(arrived, { search, revoked }, now), { by, descending }, now)
  }, [arrived, search, revoked, by, descending])
  if (rows.length > 0) return <KeysTable rows={rows} sort={sort} {...others} />
  if (filter.search.trim() !== '') {
    return (
      <EmptyState title={`No key matches “${filter.search.trim()}”`} icon={SearchX}>
        Names, ids and the first characters of values are searched
        {filter.revoked ? '.' : '; revoked keys are not shown.'}
      </EmptyState>
    )
  }
  return (
    <EmptyState
      title={all.length === 0 ? 'This workspace has no keys yet' : 'No key works here any more'}
      icon={KeyRound}
    >
      {all.length === 0
        ? 'A program needs one to call the gateway. Its value is shown once, when it is created.'
        : 'All of them are revoked; “Show revoked keys” lists them.'}
    </EmptyState>
  )
}
