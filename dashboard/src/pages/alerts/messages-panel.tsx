import { Badge, Button, Stack, Text } from '@mantine/core'
import { MailCheck } from 'lucide-react'
import type { Item } from '../../api/client.ts'
import { usePages } from '../../api/hooks.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Panel } from '../../components/panel.tsx'
import { EmptyState, Loaded } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { AlertLine } from './alert-line.tsx'

type Message = Item<'alert-deliveries.list'>

const COLUMNS: Column<Message>[] = [
  { name: 'what', title: 'Message', cell: (message) => <Said by={message} /> },
  { name: 'channel', title: 'To', cell: ({ channel }) => channel },
  { name: 'state', title: 'State', cell: (message) => <State of={message} /> },
  {
    name: 'when',
    title: 'When',
    cell: ({ finished_at: finished, created_at: created }) => <Time at={finished ?? created} relative />,
  },
]

function Said({ by: { alerts, is_test: isTest } }: { by: Message }) {
  if (isTest) return <Text size="sm">Test message</Text>
  const [first, ...more] = alerts
  if (first === undefined) return null
  return (
    <AlertLine state={first.state} severity={first.severity}>
      {first.summary}
      {more.length > 0 && <Text span c="dimmed">{` and ${more.length} more`}</Text>}
    </AlertLine>
  )
}

function State({ of: { state, attempts, last_error: error, next_attempt_at: next } }: { of: Message }) {
  const times = attempts > 1 ? ` · ${attempts} attempts` : ''
  if (state === 'sent') return <Badge color="teal">{`sent${times}`}</Badge>
  if (error === null) return <Badge color="blue">{attempts === 0 ? 'waiting' : 'sending'}</Badge>
  return (
    <div>
      <Badge
        color={state === 'failed' ? 'red' : 'yellow'}
      >{`${state === 'failed' ? 'failed' : 'retrying'}${times}`}</Badge>
      <Text size="xs" c="dimmed" mt={2} maw={240} style={{ whiteSpace: 'normal' }}>
        {error}
      </Text>
      {next !== null && (
        <Text size="xs" c="dimmed">
          again <Time at={next} relative />
        </Text>
      )}
    </div>
  )
}

const REFRESH_MS = 10_000

/** What has become of every message. */
export function MessagesPanel() {
  const messages = usePages('alert-deliveries.list', { query: { limit: 10 } }, { refetchEvery: REFRESH_MS })
  return (
    <Panel title="Messages" description="Each message is sent once and retried until accepted." flush>
      <Loaded query={{ data: messages.rows, error: messages.error, refetch: messages.refetch as never }}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState title="No messages yet" icon={MailCheck}>
              Every message, and whether it arrived, appears here.
            </EmptyState>
          ) : (
            <Stack gap={0}>
              <DataTable label="Messages" columns={COLUMNS} rows={rows} rowKey={({ id }) => id} />
              {messages.hasNextPage && (
                <Button variant="subtle" onClick={() => void messages.fetchNextPage()} loading={messages.isFetching}>
                  Older messages
                </Button>
              )}
            </Stack>
          )
        }
      </Loaded>
    </Panel>
  )
}
