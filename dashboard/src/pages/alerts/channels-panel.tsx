import { Group, Switch, Text } from '@mantine/core'
import { Send } from 'lucide-react'
import { useState } from 'react'
import type { Reply } from '../../api/client.ts'
import { useChange, useOperation } from '../../api/hooks.ts'
import { useRefusal } from '../../api/session.ts'
import { Confirm } from '../../components/confirm.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { MayButton } from '../../components/may-button.tsx'
import { Panel } from '../../components/panel.tsx'
import { EmptyState, Loaded } from '../../components/states.tsx'
import { ManagedBadge } from '../../components/status.tsx'
import { tell, tellError } from '../../components/tell.ts'
import { Time } from '../../components/time.tsx'
import { type Channel, KIND_TITLES, SEVERITY_TITLES } from './channel-kinds.ts'
import { EditChannel } from './edit-channel.tsx'

interface Chosen {
  onEdit: (channel: Channel) => void
  onDelete: (channel: Channel) => void
}

function columnsWith(chosen: Chosen): Column<Channel>[] {
  return [
    {
      name: 'name',
      title: 'Name',
      cell: ({ name, kind, managed_by }) => (
        <Text span size="sm">
          <b>{name}</b> · {KIND_TITLES[kind]} <ManagedBadge by={managed_by} />
        </Text>
      ),
    },
    {
      name: 'to',
      title: 'Sends to',
      cell: (channel) => <WhereTo channel={channel} />,
      wideOnly: true,
    },
    { name: 'severity', title: 'Gets', cell: ({ min_severity }) => SEVERITY_TITLES[min_severity] },
    { name: 'state', title: 'Last message', cell: (channel) => <LastMessage of={channel} /> },
    {
      name: 'actions',
      title: 'Actions',
      figures: true,
      cell: (channel) => <Actions of={channel} {...chosen} />,
    },
  ]
}

function WhereTo({ channel: { url, host, to } }: { channel: Channel }) {
  const where = url ?? to?.join(', ') ?? host
  if (where !== null) return <span className="mono">{where}</span>
  return (
    <Text span size="sm" c="dimmed" title="The address is a secret: anyone who has it can post there">
      not shown
    </Text>
  )
}

function LastMessage({ of: { last_error: error, last_sent_at: at, failed } }: { of: Channel }) {
  const given = failed > 0 ? `, ${failed} failed` : ''
  if (error !== null) {
    return (
      <Text span size="sm" c="var(--bad)" style={{ whiteSpace: 'normal' }}>
        {error}
        {given}
      </Text>
    )
  }
  return at === null ? (
    <>none yet</>
  ) : (
    <>
      <Time at={at} relative />
      {given}
    </>
  )
}

function Actions({ of: channel, onEdit, onDelete }: Chosen & { of: Channel }) {
  const test = useChange('alert-channels.test')
  const update = useChange('alert-channels.update')
  const mayNot = useRefusal('alert-channels.update')
  const { id, name, enabled, managed_by } = channel
  const refusal = managed_by === null ? mayNot : 'Set in switchyard.yaml; change it there.'
  function send() {
    const onSuccess = ({ problem }: Reply<'alert-channels.test'>) =>
      problem === null ? tell(`${name} accepted the test message`) : tellError(`${name}: ${problem}`)
    test.mutate({ params: { id } }, { onSuccess, onError: ({ message }) => tellError(`${name}: ${message}`) })
  }
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      <Switch
        size="xs"
        aria-label={`Send to ${name}`}
        checked={enabled}
        disabled={update.isPending || refusal !== undefined}
        title={refusal}
        onChange={(event) => update.mutate({ params: { id }, body: { enabled: event.currentTarget.checked } })}
      />
      <MayButton
        to="alert-channels.test"
        variant="default"
        size="compact-xs"
        leftSection={<Send size={12} aria-hidden />}
        loading={test.isPending}
        onClick={send}
        aria-label={`Test ${name}`}
      >
        Test
      </MayButton>
      {managed_by === null && <Changes of={channel} onEdit={onEdit} onDelete={onDelete} />}
    </Group>
  )
}

function Changes({ of: channel, onEdit, onDelete }: Chosen & { of: Channel }) {
  const { name } = channel
  return (
    <>
      <MayButton
        to="alert-channels.update"
        variant="default"
        size="compact-xs"
        onClick={() => onEdit(channel)}
        aria-label={`Edit ${name}`}
      >
        Edit
      </MayButton>
      <MayButton
        to="alert-channels.delete"
        variant="default"
        size="compact-xs"
        c="var(--bad)"
        onClick={() => onDelete(channel)}
        aria-label={`Delete ${name}`}
      >
        Delete
      </MayButton>
    </>
  )
}

const REFRESH_MS = 10_000

/** Where alerts go. */
export function ChannelsPanel() {
  const channels = useOperation('alert-channels.list', {}, { refetchEvery: REFRESH_MS })
  const [deleting, setDeleting] = useState<Channel | null>(null)
  const [editing, setEditing] = useState<Channel | null>(null)
  return (
    <Panel title="Channels" description="Where alerts and recoveries are sent. Failed deliveries are retried." flush>
      <Loaded query={channels}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState title="No channels yet" icon={Send}>
              Add a channel: a webhook, Slack, PagerDuty or e-mail.
            </EmptyState>
          ) : (
            <DataTable
              label="Channels"
              columns={columnsWith({ onEdit: setEditing, onDelete: setDeleting })}
              rows={data}
              rowKey={({ id }) => id}
            />
          )
        }
      </Loaded>
      {editing !== null && <EditChannel of={editing} onClose={() => setEditing(null)} />}
      {deleting !== null && <DeleteChannel of={deleting} onClose={() => setDeleting(null)} />}
    </Panel>
  )
}

function DeleteChannel({ of: { id, name }, onClose }: { of: Channel; onClose: () => void }) {
  const remove = useChange('alert-channels.delete')
  function confirm() {
    const onSuccess = () => {
      tell(`Channel ${name} deleted`)
      onClose()
    }
    remove.mutate({ params: { id } }, { onSuccess })
  }
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Delete the channel ${name}?`}
      action="Delete the channel"
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={confirm}
    >
      No more alerts are sent there, and messages that are waiting are dropped.
    </Confirm>
  )
}
