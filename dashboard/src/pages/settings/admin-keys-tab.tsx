import { Badge, Button, Group, Text } from '@mantine/core'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import type { Item } from '../../api/client.ts'
import { useAll, useChange, useOperation } from '../../api/hooks.ts'
import { accessWords } from '../../components/access-fields.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { KeyStateBadge } from '../../components/key-state-badge.tsx'
import { MayButton } from '../../components/may-button.tsx'
import { Panel } from '../../components/panel.tsx'
import { Permitted } from '../../components/permitted.tsx'
import { Loaded } from '../../components/states.tsx'
import { tell } from '../../components/tell.ts'
import { Time } from '../../components/time.tsx'
import { works } from '../../format/key-state.ts'
import { useUrlState } from '../../shell/place.ts'
import { CreateAdminKey } from './create-admin-key.tsx'

type AdminKey = Item<'admin-keys.list'>

interface Known {
  /** The key that this browser is signed in with. */
  ownId: string | null | undefined
  /** How many work that may do everything: the last one is never revoked. */
  working: number
  onRevoke: (key: AdminKey) => void
}

function columnsWith({ ownId, working, onRevoke }: Known): Column<AdminKey>[] {
  return [
    {
      name: 'name',
      title: 'Name',
      cell: ({ id, name }) => (
        <Group gap="xs" wrap="nowrap">
          <Text span size="sm" fw={550}>
            {name}
          </Text>
          {id === ownId && <Badge color="blue">yours</Badge>}
        </Group>
      ),
    },
    { name: 'prefix', title: 'Begins with', cell: ({ prefix }) => <span className="mono">{prefix}…</span> },
    { name: 'access', title: 'May', cell: (key) => accessWords(key) },
    { name: 'state', title: 'State', cell: (key) => <KeyStateBadge lifetime={key} /> },
    { name: 'created', title: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
    {
      name: 'expires',
      title: 'Expires',
      cell: ({ expires_at: at }) => (at === null ? 'never' : <Time at={at} />),
    },
    {
      name: 'revoke',
      title: 'Actions',
      figures: true,
      cell: (key) => {
        if (!works(key, Date.now())) return null
        const isLast = working <= 1 && mayEverything(key)
        return (
          <Button
            variant="default"
            size="compact-xs"
            {...(isLast ? {} : { c: 'var(--bad)' })}
            disabled={isLast}
            title={isLast ? 'The last key with full access can’t be revoked. Create another one first.' : undefined}
            onClick={() => onRevoke(key)}
            aria-label={`Revoke ${key.name}`}
          >
            Revoke
          </Button>
        )
      },
    },
  ]
}

function mayEverything({ role, workspaces }: AdminKey): boolean {
  return role === 'admin' && workspaces === null
}

export function AdminKeysTab() {
  const keys = useAll('admin-keys.list', {})
  const session = useOperation('sessions.current', {})
  const [search, setSearch] = useUrlState()
  const [revoking, setRevoking] = useState<AdminKey | null>(null)
  const now = Date.now()
  const working = keys.data?.filter((key) => works(key, now) && mayEverything(key)).length ?? 0
  return (
    <Panel
      title="Admin keys"
      description="For the dashboard, the command line and the management API. Give each person and program its own, so that the audit log shows who made a change."
      flush
      actions={
        <MayButton
          to="admin-keys.create"
          variant="default"
          leftSection={<Plus size={16} aria-hidden />}
          onClick={() => setSearch({ new: '1' }, { push: true })}
        >
          Create an admin key
        </MayButton>
      }
    >
      <Loaded query={keys}>
        {(rows) => (
          <DataTable
            label="Admin keys"
            columns={columnsWith({ ownId: session.data?.key_id, working, onRevoke: setRevoking })}
            rows={rows}
            rowKey={({ id }) => id}
          />
        )}
      </Loaded>
      {search['new'] === '1' && (
        <Permitted to="admin-keys.create">
          <CreateAdminKey onClose={() => setSearch({ new: null })} />
        </Permitted>
      )}
      {revoking !== null && (
        <RevokeAdminKey of={revoking} isOwn={revoking.id === session.data?.key_id} onClose={() => setRevoking(null)} />
      )}
    </Panel>
  )
}

function RevokeAdminKey({ of: key, isOwn, onClose }: { of: AdminKey; isOwn: boolean; onClose: () => void }) {
  const revoke = useChange('admin-keys.revoke')
  function confirm() {
    const onSuccess = () => {
      tell(`Admin key ${key.name} revoked`)
      onClose()
    }
    revoke.mutate({ params: { id: key.id } }, { onSuccess })
  }
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Revoke the admin key ${key.name}?`}
      action="Revoke the admin key"
      isBusy={revoke.isPending}
      error={revoke.error}
      onConfirm={confirm}
    >
      It is refused from now on, and everybody who is signed in with it is signed out
      {isOwn ? <b>, including yours: you’ll need another admin key to sign in again</b> : ''}. This cannot be undone.
    </Confirm>
  )
}
