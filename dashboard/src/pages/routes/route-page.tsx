import { Button, Stack } from '@mantine/core'
import { Route as RouteIcon } from 'lucide-react'
import { lazy, Suspense, useMemo, useState } from 'react'
import { Link } from 'wouter'
import type { Versioned } from '../../api/client.ts'
import { useVersioned } from '../../api/hooks.ts'
import { History } from '../../components/history/history.tsx'
import { Page } from '../../components/page.tsx'
import { Panel } from '../../components/panel.tsx'
import { EmptyState, ErrorState, LoadingRows } from '../../components/states.tsx'
import { usePath, useWorkspace } from '../../shell/place.ts'
import { draftOf, type Route } from './route-draft.ts'
import { RouteEditor } from './route-editor.tsx'
import { TryPanel } from './try-panel.tsx'

const Advice = lazy(async () => ({ default: (await import('../../components/advice/advice.tsx')).Advice }))

export function RoutePage({ alias }: { alias: string }) {
  const workspace = useWorkspace()
  const [isGoing, setGoing] = useState(false)
  // What is being deleted is not asked for again.
  const route = useVersioned('routes.get', { params: { alias }, query: { workspace } }, { enabled: !isGoing })
  const { data, error } = route
  if (data !== undefined) {
    const isDeleted = error?.status === 404
    return <Present present={data} isDeleted={isDeleted} refetch={route.refetch} onGoing={setGoing} />
  }
  return (
    <Page title={alias}>
      <Panel>
        {error === null ? (
          <LoadingRows />
        ) : error.status === 404 ? (
          <Missing alias={alias} />
        ) : (
          <ErrorState error={error} retry={() => void route.refetch()} />
        )}
      </Panel>
      {error?.status === 404 && <RouteHistory alias={alias} current={null} />}
    </Page>
  )
}

interface PresentProps {
  present: Versioned<Route>
  isDeleted: boolean
  refetch: () => Promise<unknown>
  onGoing: (isGoing: boolean) => void
}

const NO_ALIASES: ReadonlySet<string> = new Set()

function Present({ present, ...others }: PresentProps) {
  // The draft begins with the state at opening; the editor follows later versions.
  const [first] = useState(present)
  const start = useMemo(() => draftOf(first.value), [first])
  return (
    <RouteEditor
      present={present}
      start={start}
      taken={NO_ALIASES}
      {...others}
      side={(hasChanges) => (
        <Stack>
          <TryPanel alias={present.value.alias} hasChanges={hasChanges} />
          <RouteHistory alias={present.value.alias} current={present.value} />
          <RouteSavings alias={present.value.alias} />
        </Stack>
      )}
    />
  )
}

function RouteSavings({ alias }: { alias: string }) {
  return (
    <Panel title="Savings">
      <Suspense>
        <Advice key={alias} workspace={useWorkspace()} of={{ route: alias }} />
      </Suspense>
    </Panel>
  )
}

function RouteHistory({ alias, current }: { alias: string; current: Route | null }) {
  return (
    <Panel title="History">
      <History resource={`routes/${alias}`} workspace={useWorkspace()} current={current} />
    </Panel>
  )
}

function Missing({ alias }: { alias: string }) {
  const path = usePath()
  return (
    <EmptyState title={`There is no route '${alias}' in this workspace`} icon={RouteIcon}>
      It may have been deleted, or it is in another workspace.
      <div>
        <Button
          component={Link}
          mt="sm"
          size="xs"
          href={`${path('routes')}?${new URLSearchParams({ new: '1', alias })}`}
        >
          Create it
        </Button>
      </div>
    </EmptyState>
  )
}
