import { Button } from '@mantine/core'
import { Activity, SearchX } from 'lucide-react'
import { callOrigin } from '../../api/call-origin.ts'
import { useOperation } from '../../api/hooks.ts'
import { CodeBlock } from '../../components/code-block.tsx'
import { EmptyState } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { useWorkspace } from '../../shell/place.ts'
import { curlOf } from './curl.ts'

export interface EmptyListProps {
  isFiltered: boolean
  /** How far back was looked; null when to the end of the log. */
  searchedTo: string | null
  isLoading: boolean
  /** Null: there is no further page. */
  onMore: (() => void) | null
  onClear: () => void
}

/** No rows: because nothing was found so far, because nothing matches, or because nothing was ever asked. */
export function EmptyList({ isFiltered, searchedTo, isLoading, onMore, onClear }: EmptyListProps) {
  if (searchedTo !== null) {
    return (
      <EmptyState title="Nothing found so far" icon={SearchX}>
        Looked back to <Time at={searchedTo} />; older requests may match.
        <br />
        {onMore === null ? (
          'Choose a period that ends earlier.'
        ) : (
          <Button variant="default" size="xs" mt="sm" loading={isLoading} onClick={onMore}>
            Look further
          </Button>
        )}
      </EmptyState>
    )
  }
  if (isFiltered) {
    return (
      <EmptyState title="No request matches" icon={SearchX}>
        Nothing in the log of this workspace meets all of the filters.
        <br />
        <Button variant="default" size="xs" mt="sm" onClick={onClear}>
          Clear the filters
        </Button>
      </EmptyState>
    )
  }
  return <NoRequestsYet />
}

/** With a model that this workspace has, so that the call works as pasted. */
function NoRequestsYet() {
  const workspace = useWorkspace()
  const catalog = useOperation('catalog.list', { query: { workspace, limit: 1 } })
  const model = catalog.data?.data[0]?.id ?? 'MODEL'
  return (
    <>
      <EmptyState title="No requests yet" icon={Activity}>
        Every call to this workspace appears here: what was asked, who served it, what it cost. Make the first with one
        of its keys:
      </EmptyState>
      <div style={{ maxWidth: 640, margin: '-1.5rem auto 2rem', padding: '0 1rem' }}>
        <CodeBlock label="A first call" code={curlOf(callOrigin(), model)} />
      </div>
    </>
  )
}
