import { Box, Button, Text, Transition } from '@mantine/core'
import { ArrowUp } from 'lucide-react'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { DataTable } from '../../components/data-table.tsx'
import { Panel } from '../../components/panel.tsx'
import { ErrorState, LoadingRows } from '../../components/states.tsx'
import { usePath } from '../../shell/place.ts'
import { requestColumns } from './columns.tsx'
import { EmptyList } from './empty-list.tsx'
import { ListEnd } from './list-end.tsx'
import classes from './requests.module.css'
import type { ListedRequest, useRequests } from './use-requests.ts'

export interface RequestListProps {
  requests: ReturnType<typeof useRequests>
  /** The search part of the address, kept when a request is opened. */
  search: string
  openId: string | undefined
  isFiltered: boolean
  /** Only calls that failed are listed. */
  isOfFailures: boolean
  onClear: () => void
  onSort: (isSlowest: boolean) => void
  /** Called when the pointer or the focus enters or leaves the list. */
  onAttend: (isAttended: boolean) => void
}

const rowKey = (row: ListedRequest) => row.id

export function RequestList(props: RequestListProps) {
  const { requests, search, openId, isFiltered, isOfFailures, onClear, onSort, onAttend } = props
  const { list, rows, waiting, admit, newIds, searchedTo, isSlow } = requests
  const path = usePath()
  const columns = useMemo(
    () => requestColumns((id) => path('requests', id) + (search === '' ? '' : `?${search}`), isOfFailures),
    [path, search, isOfFailures],
  )
  const more = () => void list.fetchNextPage()
  function show() {
    admit()
    window.scrollTo({ top: 0 })
  }
  if (rows === undefined) {
    return (
      <Panel flush>
        {list.error === null ? (
          <LoadingRows rows={12} />
        ) : (
          <ErrorState error={list.error} retry={() => void list.refetch()} />
        )}
      </Panel>
    )
  }
  const lastPage = list.data?.pages.at(-1)
  return (
    <div className={classes['list']} data-stale={list.isPlaceholderData || undefined}>
      <Waiting waiting={waiting} onShow={show} />
      <Attended onAttend={onAttend}>
        {list.error !== null && (
          <Text size="xs" c="var(--bad)" px="md" pt="xs" role="status">
            Not refreshed: {list.error.message}
          </Text>
        )}
        {rows.length === 0 ? (
          <EmptyList
            isFiltered={isFiltered}
            searchedTo={searchedTo}
            isLoading={list.isFetchingNextPage}
            onMore={list.hasNextPage ? more : null}
            onClear={onClear}
          />
        ) : (
          <>
            <DataTable
              label="Requests"
              columns={columns}
              rows={rows}
              rowKey={rowKey}
              sort={{ by: isSlow ? 'duration' : 'time', descending: true }}
              onSort={({ by }) => onSort(by === 'duration' && !isSlow)}
              isCurrent={(row) => row.id === openId}
              isNew={(row) => newIds.has(row.id)}
            />
            <ListEnd
              rows={rows.length}
              searchedTo={searchedTo}
              hasMore={list.hasNextPage}
              isSlow={isSlow}
              isLoading={list.isFetchingNextPage}
              isFruitful={(lastPage?.data.length ?? 0) > 0}
              onMore={more}
            />
          </>
        )}
      </Attended>
    </div>
  )
}

/** What shows more on hover lies above the link that covers its row: a click on it still opens the row. */
function openRow(target: EventTarget): void {
  if (!(target instanceof Element) || target.closest('a, button') !== null) return
  const isSelecting = window.getSelection()?.toString() !== ''
  if (!isSelecting) target.closest('tr')?.querySelector<HTMLElement>('a[data-request]')?.click()
}

/** Tracks whether the pointer or the focus is inside. */
function Attended({ onAttend, children }: { onAttend: (isAttended: boolean) => void; children: ReactNode }) {
  const [isPointed, setPointed] = useState(false)
  const [isFocused, setFocused] = useState(false)
  useEffect(() => onAttend(isPointed || isFocused), [onAttend, isPointed, isFocused])
  return (
    <Box
      // Not "enter": the list may have appeared under a pointer that was already there.
      onPointerMove={() => setPointed(true)}
      onPointerLeave={() => setPointed(false)}
      onFocus={() => setFocused(true)}
      onBlur={(event) => setFocused(event.currentTarget.contains(event.relatedTarget))}
      onClick={(event) => openRow(event.target)}
    >
      <Panel flush>{children}</Panel>
    </Box>
  )
}

/** New requests that are held back while the list is being read. */
function Waiting({ waiting, onShow }: { waiting: number; onShow: () => void }) {
  return (
    <div className={classes['waiting']} role="status">
      {/* After a moment: what comes in at once does not wait. */}
      <Transition mounted={waiting > 0} transition="slide-down" duration={150} enterDelay={200}>
        {(styles) => (
          <Button style={styles} size="xs" radius="xl" leftSection={<ArrowUp size={14} aria-hidden />} onClick={onShow}>
            {waiting >= 100 ? 'More than 100 new' : `${waiting} new`}
          </Button>
        )}
      </Transition>
    </div>
  )
}
