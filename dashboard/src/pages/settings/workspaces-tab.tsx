import { Text } from '@mantine/core'
import { Plus } from 'lucide-react'
import { Link, useLocation } from 'wouter'
import { useAll } from '../../api/hooks.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { MayButton } from '../../components/may-button.tsx'
import { Panel } from '../../components/panel.tsx'
import { Permitted } from '../../components/permitted.tsx'
import { Loaded } from '../../components/states.tsx'
import { ManagedBadge } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import { count } from '../../format/number.ts'
import { usePath, usePlaceParts, useUrlState } from '../../shell/place.ts'
import { CreateWorkspace } from './create-workspace.tsx'
import { limitsLine } from './limits-line.ts'
import type { Workspace } from './workspace.ts'
import { WorkspaceDrawer } from './workspace-drawer.tsx'

function columnsWith(link: (name: string) => string): Column<Workspace>[] {
  return [
    {
      name: 'name',
      title: 'Name',
      cell: ({ name }) => (
        <Link href={link(name)} className="row-link">
          {name}
        </Link>
      ),
    },
    {
      name: 'description',
      title: 'Description',
      cell: ({ description }) => (
        <Text size="sm" c="dimmed" truncate maw={320} title={description ?? undefined}>
          {description ?? '–'}
        </Text>
      ),
    },
    { name: 'routes', title: 'Routes', figures: true, cell: ({ routes }) => count(routes) },
    { name: 'keys', title: 'Live keys', figures: true, cell: ({ live_keys }) => count(live_keys) },
    {
      name: 'limits',
      title: 'Limits for all its keys together',
      cell: ({ limits, limits_managed_by: by }) => (
        <>
          {limitsLine(limits)} <ManagedBadge by={by} />
        </>
      ),
    },
    {
      name: 'streaming',
      title: 'Streaming',
      wideOnly: true,
      cell: ({ streaming, streaming_managed_by: by }) => (
        <>
          {streaming === null ? 'default' : streaming ? 'on' : 'off'} <ManagedBadge by={by} />
        </>
      ),
    },
    { name: 'created', title: 'Created', wideOnly: true, cell: ({ created_at }) => <Time at={created_at} /> },
  ]
}

export function WorkspacesTab() {
  const path = usePath()
  const [, navigate] = useLocation()
  const [, openName] = usePlaceParts()
  const [search, setSearch] = useUrlState()
  const workspaces = useAll('workspaces.list', {})
  return (
    <Panel
      title="Workspaces"
      description="Each has its own routes and keys, and its own requests and costs."
      flush
      actions={
        <MayButton
          to="workspaces.create"
          variant="default"
          leftSection={<Plus size={16} aria-hidden />}
          onClick={() => setSearch({ new: '1' }, { push: true })}
        >
          Create a workspace
        </MayButton>
      }
    >
      <Loaded query={workspaces}>
        {(rows) => (
          <DataTable
            label="Workspaces"
            columns={columnsWith((name) => path('settings', 'workspaces', name))}
            rows={rows}
            rowKey={({ name }) => name}
            isCurrent={({ name }) => name === openName}
          />
        )}
      </Loaded>
      {openName !== undefined && (
        <WorkspaceDrawer key={openName} name={openName} onClose={() => navigate(path('settings', 'workspaces'))} />
      )}
      {search['new'] === '1' && (
        <Permitted to="workspaces.create">
          <CreateWorkspace onClose={() => setSearch({ new: null })} />
        </Permitted>
      )}
    </Panel>
  )
}
