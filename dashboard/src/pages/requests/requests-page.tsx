import { ActionIcon, Text, Tooltip } from '@mantine/core'
import { RotateCw, Snail } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import { Page } from '../../components/page.tsx'
import { usePath, usePlaceParts, useUrlState, useWorkspace } from '../../shell/place.ts'
import { ExportMenu } from './export-menu.tsx'
import { FilterBar } from './filter-bar.tsx'
import { hasFilters, isOfFailures, isOver, isSlowest, queryOf, type RequestsQuery, withoutFilters } from './filters.ts'
import { LiveSwitch } from './live-switch.tsx'
import { RequestList } from './request-list.tsx'
import { RequestPanel } from './request-panel.tsx'
import { neighbours } from './rows.ts'
import { SessionSum } from './session/session-sum.tsx'
import { SessionTree } from './session/session-tree.tsx'
import { StoppedSession } from './session/stopped-session.tsx'
import { useRequests } from './use-requests.ts'
import { useSteps } from './use-steps.ts'

/** Every call through the gateway, newest first; one of them opens beside the list. */
export function RequestsPage() {
  const workspace = useWorkspace()
  const [search, change] = useUrlState()
  const [openId] = usePlaceParts()
  // Periods count back from when the page was opened, or last refreshed: the list does not shift under the reader.
  const [asOf, setAsOf] = useState(() => Date.now())
  const asked = JSON.stringify(queryOf(search, workspace, asOf))
  const query = useMemo(() => JSON.parse(asked) as RequestsQuery, [asked])
  const [isAttended, setAttended] = useState(false)
  const isPast = isOver(search, asOf)
  const tail = {
    isOn: search['live'] === '1' && !isPast && !isSlowest(search),
    isPaused: isAttended || openId !== undefined,
  }
  const requests = useRequests(query, tail)
  const sort = (isSlow: boolean) => change(isSlow ? { sort: 'slowest', live: null } : { sort: null })
  function refresh() {
    setAsOf(Date.now())
    void requests.list.refetch()
  }
  return (
    <Page title="Requests" description="Every call through the gateway, newest first.">
      <FilterBar search={search} onChange={(changes) => change(changes)}>
        <LiveSwitch
          isOn={search['live'] === '1'}
          isPaused={tail.isPaused}
          isOver={isPast}
          problem={requests.problem}
          onChange={(isOn) => change(isOn ? { live: '1', sort: null } : { live: null })}
        />
        <Tooltip label={isSlowest(search) ? 'Newest first' : 'Slowest first'}>
          <ActionIcon
            variant={isSlowest(search) ? 'light' : 'default'}
            size={36}
            aria-label="Slowest first"
            aria-pressed={isSlowest(search)}
            onClick={() => sort(!isSlowest(search))}
          >
            <Snail size={16} aria-hidden />
          </ActionIcon>
        </Tooltip>
        <Tooltip label="Refresh">
          <ActionIcon
            variant="default"
            size={36}
            aria-label="Refresh"
            loading={requests.list.isRefetching}
            onClick={refresh}
          >
            <RotateCw size={15} aria-hidden />
          </ActionIcon>
        </Tooltip>
        <ExportMenu query={query} />
      </FilterBar>
      {search['session'] !== undefined && search['session'] !== '' && (
        <Session workspace={workspace} session={search['session']} />
      )}
      <RequestList
        requests={requests}
        search={useSearch()}
        openId={openId}
        isFiltered={hasFilters(search)}
        isOfFailures={isOfFailures(search)}
        onClear={() => change(withoutFilters())}
        onSort={sort}
        onAttend={setAttended}
      />
      <Opened id={openId} requests={requests} />
    </Page>
  )
}

/** What the chosen session has come to, and whether it was stopped. */
function Session({ workspace, session }: { workspace: string; session: string }) {
  return (
    <>
      <StoppedSession key={session} workspace={workspace} session={session} />
      <SessionTree
        workspace={workspace}
        session={session}
        otherwise={
          <Text size="sm" c="dimmed" role="status">
            <SessionSum workspace={workspace} session={session} />
          </Text>
        }
      />
    </>
  )
}

/** The opened request and its neighbours in the list. The filters stay in the address. */
function Opened({ id, requests }: { id: string | undefined; requests: ReturnType<typeof useRequests> }) {
  const path = usePath()
  const [, navigate] = useLocation()
  const { rows = [], list } = requests
  const { index, newer, older } = neighbours(rows, id)
  const isNearEnd = index !== null && index >= rows.length - 5
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list
  useEffect(() => {
    if (isNearEnd && hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [isNearEnd, hasNextPage, isFetchingNextPage, fetchNextPage])
  useEffect(() => {
    if (id !== undefined) document.querySelector('tr[data-current]')?.scrollIntoView({ block: 'nearest' })
  }, [id])
  const go = (...parts: string[]) => navigate(path('requests', ...parts) + window.location.search, { replace: true })
  const steps = {
    onNewer: newer === undefined ? null : () => go(newer.id),
    onOlder: older === undefined ? null : () => go(older.id),
  }
  function close() {
    go()
    // Back to where the reader was, for the keyboard.
    document.querySelector<HTMLElement>(`a[data-request="${CSS.escape(id ?? '')}"]`)?.focus({ preventScroll: true })
  }
  useSteps({ ...steps, onClose: id === undefined ? null : close })
  if (id === undefined) return null
  return <RequestPanel id={id} listed={index === null ? undefined : rows[index]} onClose={close} {...steps} />
}
