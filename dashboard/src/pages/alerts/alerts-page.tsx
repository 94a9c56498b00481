import { Button, Stack } from '@mantine/core'
import { BellRing, Plus } from 'lucide-react'
import { Link } from 'wouter'
import type { Item } from '../../api/client.ts'
import { usePages } from '../../api/hooks.ts'
import { useRefusal } from '../../api/session.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { MayButton } from '../../components/may-button.tsx'
import { Page } from '../../components/page.tsx'
import { Panel } from '../../components/panel.tsx'
import { Permitted } from '../../components/permitted.tsx'
import { EmptyState, Loaded } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { useUrlState, useWorkspace } from '../../shell/place.ts'
import { AlertLine } from './alert-line.tsx'
import { ChannelsPanel } from './channels-panel.tsx'
import { CreateChannel } from './create-channel.tsx'
import { MessagesPanel } from './messages-panel.tsx'
import { RulesPanel } from './rules-panel.tsx'

type Alert = Item<'alerts.list'>

const COLUMNS: Column<Alert>[] = [
  {
    name: 'what',
    title: 'What',
    cell: (alert) => (
      <AlertLine state={alert.state} severity={alert.severity}>
        <AboutLink alert={alert} />
      </AlertLine>
    ),
  },
  { name: 'fired', title: 'Since', cell: ({ fired_at }) => <Time at={fired_at} relative /> },
  {
    name: 'resolved',
    title: 'Until',
    cell: ({ resolved_at: at }) => (at === null ? 'now' : <Time at={at} relative />),
    wideOnly: true,
  },
]

/** Leads to the key, route, provider, model or workspace that it is about. */
function AboutLink({ alert: { workspace, key, route, provider, model, rule, subject, summary } }: { alert: Alert }) {
  const here = useWorkspace()
  const parts =
    key !== null
      ? ['keys', key]
      : route !== null
        ? ['routes', route]
        : rule === 'reconciliation_drift'
          ? ['reconciliation']
          : provider !== null && model !== null && rule === 'unpriced'
            ? ['registry', provider, model]
            : provider !== null
              ? ['providers', provider]
              : rule === 'budget'
                ? ['budgets']
                : null
  if (parts === null) return summary
  // Its subject is the provider and the day.
  const month = /^\S+ (\d{4}-\d{2})/.exec(subject)?.[1]
  const search = rule === 'reconciliation_drift' && month !== undefined ? `?month=${month}` : ''
  return (
    <Link className="row-link" href={`/${[workspace ?? here, ...parts].map(encodeURIComponent).join('/')}${search}`}>
      {summary}
    </Link>
  )
}

const REFRESH_MS = 10_000

export function AlertsPage() {
  const alerts = usePages('alerts.list', { query: { limit: 50 } }, { refetchEvery: REFRESH_MS })
  const [search, setSearch] = useUrlState()
  const maySeeChannels = useRefusal('alert-channels.list') === undefined
  return (
    <Page
      title="Alerts"
      description="Active and past alerts of all workspaces, what raises them, and where they’re sent."
      actions={
        <MayButton
          to="alert-channels.create"
          leftSection={<Plus size={16} aria-hidden />}
          onClick={() => setSearch({ new: '1' }, { push: true })}
        >
          Add a channel
        </MayButton>
      }
    >
      <Panel title="Alerts" description="Newest first, kept for 90 days." flush>
        <Loaded query={{ data: alerts.rows, error: alerts.error, refetch: alerts.refetch as never }}>
          {(rows) =>
            rows.length === 0 ? (
              <EmptyState title="No alerts" icon={BellRing}>
                Budgets at their thresholds, failing providers, slow models and more appear here.
              </EmptyState>
            ) : (
              <Stack gap={0}>
                <DataTable label="Alerts" columns={COLUMNS} rows={rows} rowKey={({ id }) => id} />
                {alerts.hasNextPage && (
                  <Button variant="subtle" onClick={() => void alerts.fetchNextPage()} loading={alerts.isFetching}>
                    Older alerts
                  </Button>
                )}
              </Stack>
            )
          }
        </Loaded>
      </Panel>
      <RulesPanel />
      {maySeeChannels && <ChannelsPanel />}
      {maySeeChannels && <MessagesPanel />}
      {search['new'] === '1' && (
        <Permitted to="alert-channels.create">
          <CreateChannel onClose={() => setSearch({ new: null })} />
        </Permitted>
      )}
    </Page>
  )
}
