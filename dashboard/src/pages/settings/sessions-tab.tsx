import { Badge, Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { call, type Item } from '../../api/client.ts'
import { useChange, usePages } from '../../api/hooks.ts'
import { Confirm } from '../../components/confirm.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Panel } from '../../components/panel.tsx'
import { EmptyState, ErrorState, LoadingRows } from '../../components/states.tsx'
import { tell } from '../../components/tell.ts'
import { Time } from '../../components/time.tsx'

type Session = Item<'sessions.list'>

/** The admin key, or the person. */
const holderOf = ({ key_name, person_name }: Session) => key_name ?? person_name

function columnsWith(onEnd: (session: Session) => void): Column<Session>[] {
  return [
    {
      name: 'key',
      title: 'Who',
      cell: (session) => (
        <Group gap="xs" wrap="nowrap">
          <Text span size="sm" fw={550}>
            {holderOf(session)}
          </Text>
          {session.current && <Badge color="blue">this one</Badge>}
        </Group>
      ),
    },
    { name: 'since', title: 'Since', cell: ({ created_at }) => <Time at={created_at} relative /> },
    { name: 'at', title: 'Signed in at', wideOnly: true, cell: ({ created_at }) => <Time at={created_at} /> },
    { name: 'until', title: 'Expires', cell: ({ expires_at }) => <Time at={expires_at} relative /> },
    { name: 'id', title: 'Session', wideOnly: true, cell: ({ id }) => <span className="mono">{id}</span> },
    {
      name: 'end',
      title: 'Actions',
      figures: true,
      cell: (session) => (
        <Button
          variant="default"
          size="compact-xs"
          onClick={() => onEnd(session)}
          aria-label={session.current ? 'Sign out here' : `Sign out ${holderOf(session)}, session ${session.id}`}
        >
          Sign out
        </Button>
      ),
    },
  ]
}

/** Who is signed in to the dashboard now. */
export function SessionsTab() {
  const sessions = usePages('sessions.list', { query: { limit: 100 } }, { refetchEvery: 30_000 })
  const [ending, setEnding] = useState<Session | null>(null)
  return (
    <Panel
      title="Sessions"
      description="Everyone signed in to the dashboard. A session ends after a day, when its admin key or person is removed, or when you end it here."
      flush
    >
      {sessions.rows === undefined ? (
        sessions.error === null ? (
          <LoadingRows />
        ) : (
          <ErrorState error={sessions.error} retry={() => void sessions.refetch()} />
        )
      ) : sessions.rows.length === 0 ? (
        <EmptyState title="No sessions">You are using a bearer key.</EmptyState>
      ) : (
        <DataTable label="Sessions" columns={columnsWith(setEnding)} rows={sessions.rows} rowKey={({ id }) => id} />
      )}
      {sessions.hasNextPage && (
        <Group justify="center" p="sm">
          <Button
            variant="default"
            size="xs"
            loading={sessions.isFetchingNextPage}
            onClick={() => void sessions.fetchNextPage()}
          >
            Show older ones
          </Button>
        </Group>
      )}
      {ending !== null && <EndSession of={ending} onClose={() => setEnding(null)} />}
    </Panel>
  )
}

function EndSession({ of: session, onClose }: { of: Session; onClose: () => void }) {
  const revoke = useChange('sessions.revoke')
  async function confirm() {
    if (session.current) {
      // The same as in the menu of the account: the cookie goes too, and nothing of the page stays.
      await call('sessions.end', {})
      window.location.assign('/dashboard')
      return
    }
    const onSuccess = () => {
      tell(`Session of ${holderOf(session)} ended`)
      onClose()
    }
    revoke.mutate({ params: { id: session.id } }, { onSuccess })
  }
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={session.current ? 'Sign out here?' : `Sign out this session of ${holderOf(session)}?`}
      action="Sign out"
      isBusy={revoke.isPending}
      error={revoke.error}
      onConfirm={() => void confirm()}
    >
      {session.current
        ? 'This is your own session: you’ll have to sign in again.'
        : 'It ends now. To keep someone out, revoke their admin key or disable the person.'}
    </Confirm>
  )
}
