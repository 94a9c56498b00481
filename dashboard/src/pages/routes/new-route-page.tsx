import { List, Text } from '@mantine/core'
import { useState } from 'react'
import type { Versioned } from '../../api/client.ts'
import { useAll, useVersioned } from '../../api/hooks.ts'
import { Page } from '../../components/page.tsx'
import { Panel } from '../../components/panel.tsx'
import { LoadingRows } from '../../components/states.tsx'
import { useUrlState, useWorkspace } from '../../shell/place.ts'
import { type Draft, draftOf, emptyDraft, type Route } from './route-draft.ts'
import { RouteEditor } from './route-editor.tsx'

/** `?new=1`, with an alias, a first entry or a route to copy (`from`) where the link that led here knew one. */
export function NewRoutePage() {
  const workspace = useWorkspace()
  const [search] = useUrlState()
  const from = search['from'] ?? ''
  const routes = useAll('routes.list', { query: { workspace } })
  const copied = useVersioned('routes.get', { params: { alias: from }, query: { workspace } }, { enabled: from !== '' })
  const isWaiting = routes.isPending || (from !== '' && copied.isPending)
  if (isWaiting) {
    return (
      <Page title="Create a route">
        <Panel>
          <LoadingRows />
        </Panel>
      </Page>
    )
  }
  const taken = new Set(routes.data?.map(({ alias }) => alias))
  return <NewRoute start={startOf(search, copied.data)} taken={taken} />
}

function startOf(search: Record<string, string>, copied: Versioned<Route> | undefined): Draft {
  const alias = search['alias'] ?? ''
  if (copied !== undefined) return { ...draftOf(copied.value), alias, shared: false }
  const { provider, model } = search
  return emptyDraft(alias, { ...(provider ? { provider } : {}), ...(model ? { model } : {}) })
}

function NewRoute({ start, taken }: { start: Draft; taken: ReadonlySet<string> }) {
  const [first] = useState(start)
  return <RouteEditor present={null} start={first} taken={taken} side={() => <HowItWorks />} />
}

function HowItWorks() {
  return (
    <Panel title="How a chain works">
      <List size="sm" spacing="xs">
        <List.Item>Entries are called in order. The first that answers serves the call.</List.Item>
        <List.Item>
          A timeout, rate limit, outage or wrong provider key moves on to the next entry, after retries where they may
          help.
        </List.Item>
        <List.Item>
          An invalid request doesn’t: the caller gets the error right away, and no second call is paid.
        </List.Item>
        <List.Item>
          Entries that don’t support the request are skipped. A prompt that’s too long moves on to a larger context
          window.
        </List.Item>
        <List.Item>An entry that keeps failing is skipped for a while. The last usable one is always tried.</List.Item>
      </List>
      <Text size="xs" c="dimmed" pt="sm">
        Callers send the alias as <span className="mono">model</span>. An alias takes precedence over a model id of the
        same name.
      </Text>
    </Panel>
  )
}
