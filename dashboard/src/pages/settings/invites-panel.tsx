import { Badge, Button, Group, Text } from '@mantine/core'
import { UserPlus } from 'lucide-react'
import { useState } from 'react'
import type { Item } from '../../api/client.ts'
import { useAll, useChange } from '../../api/hooks.ts'
import { accessWords } from '../../components/access-fields.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { MayButton } from '../../components/may-button.tsx'
import { Panel } from '../../components/panel.tsx'
import { Permitted } from '../../components/permitted.tsx'
import { EmptyState, Loaded } from '../../components/states.tsx'
import { tell } from '../../components/tell.ts'
import { Time } from '../../components/time.tsx'
import { useUrlState } from '../../shell/place.ts'
import { InvitePerson } from './invite-person.tsx'

type Invite = Item<'invites.list'>

function columnsWith(onWithdraw: (invite: Invite) => void): Column<Invite>[] {
  return [
    {
      name: 'email',
      title: 'Address',
      cell: ({ email, expires_at }) => (
        <Group gap="xs" wrap="nowrap">
          <Text span size="sm" fw={550}>
            {email}
          </Text>
          {Date.parse(expires_at) <= Date.now() && <Badge color="gray">expired</Badge>}
        </Group>
      ),
    },
    { name: 'access', title: 'Access', cell: (invite) => accessWords(invite) },
    { name: 'by', title: 'Invited by', wideOnly: true, cell: ({ invited_by }) => invited_by },
    { name: 'expires', title: 'Expires', cell: ({ expires_at }) => <Time at={expires_at} relative /> },
    {
      name: 'withdraw',
      title: 'Actions',
      figures: true,
      cell: (invite) => (
        <Button
          variant="default"
          size="compact-xs"
          onClick={() => onWithdraw(invite)}
          aria-label={`Withdraw the invite for ${invite.email}`}
        >
          Withdraw
        </Button>
      ),
    },
  ]
}

/** Invitations that have not been accepted. */
export function InvitesPanel() {
  const invites = useAll('invites.list', {})
  const [search, setSearch] = useUrlState()
  const [withdrawing, setWithdrawing] = useState<Invite | null>(null)
  return (
    <Panel
      title="Invitations"
      description="Each is used up when someone signs in with its address."
      flush
      actions={
        <MayButton
          to="invites.create"
          leftSection={<UserPlus size={16} aria-hidden />}
          onClick={() => setSearch({ new: '1' }, { push: true })}
        >
          Invite someone
        </MayButton>
      }
    >
      <Loaded query={invites}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState title="No invitations">Invite people by e-mail address.</EmptyState>
          ) : (
            <DataTable label="Invitations" columns={columnsWith(setWithdrawing)} rows={rows} rowKey={({ id }) => id} />
          )
        }
      </Loaded>
      {search['new'] === '1' && (
        <Permitted to="invites.create">
          <InvitePerson onClose={() => setSearch({ new: null })} />
        </Permitted>
      )}
      {withdrawing !== null && <Withdraw of={withdrawing} onClose={() => setWithdrawing(null)} />}
    </Panel>
  )
}

function Withdraw({ of: invite, onClose }: { of: Invite; onClose: () => void }) {
  const withdraw = useChange('invites.withdraw')
  const onSuccess = () => {
    tell(`Invitation for ${invite.email} withdrawn`)
    onClose()
  }
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Withdraw the invite for ${invite.email}?`}
      action="Withdraw the invite"
      isBusy={withdraw.isPending}
      error={withdraw.error}
      onConfirm={() => withdraw.mutate({ params: { id: invite.id } }, { onSuccess })}
    >
      They can no longer sign in with it. You can invite them again.
    </Confirm>
  )
}
