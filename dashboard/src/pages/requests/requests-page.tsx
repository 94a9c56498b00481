import { ActionIcon, Tooltip } from '@mantine/core'
import { RotateCw } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useSearch } from 'wouter'
import { Page } from '../../components/page.tsx'
import { usePlaceParts, useUrlState, useWorkspace } from '../../shell/place.ts'
import { ExportMenu } from './export-menu.tsx'
import { FilterBar } from './filter-bar.tsx'
import { hasFilters, isOver, queryOf, type RequestsQuery, withoutFilters } from './filters.ts'
import { LiveSwitch } from './live-switch.tsx'
import { RequestList } from './request-list.tsx'
import { useRequests } from './use-requests.ts'

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
  const tail = { isOn: search['live'] === '1' && !isPast, isPaused: isAttended || openId !== undefined }
  const requests = useRequests(query, tail)
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
          onChange={(isOn) => change({ live: isOn ? '1' : null })}
        />
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
      <RequestList
        requests={requests}
        search={useSearch()}
        openId={openId}
        isFiltered={hasFilters(search)}
        onClear={() => change(withoutFilters())}
        onAttend={setAttended}
      />
    </Page>
  )
}
