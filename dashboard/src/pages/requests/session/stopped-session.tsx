import { Alert, Group, Text } from '@mantine/core'
import { Repeat } from 'lucide-react'
import { useOperation } from '../../../api/hooks.ts'
import { Time } from '../../../components/time.tsx'
import { loopText } from '../../../format/loop-signals.ts'
import { ResumeSession } from '../next/one-click.tsx'

const LOOK_EVERY_MS = 5_000

/** A session whose last call was refused because it was stopped as a loop, with the way on. */
export function StoppedSession({ workspace, session }: { workspace: string; session: string }) {
  const query = { workspace, session, limit: 1 }
  const requests = useOperation('requests.list', { query }, { refetchEvery: LOOK_EVERY_MS })
  const last = requests.data?.data[0]
  if (last?.session !== session || last.code !== 'loop_stopped') return null
  const until = last.figures['resets_at']
  if (until === undefined || Date.parse(String(until)) <= Date.now()) return null
  return (
    <Alert
      color="yellow"
      icon={<Repeat size={18} aria-hidden />}
      title="This session was stopped as a loop"
      // Not an alert, as it is by default: it is part of what was opened, and contains a button.
      role="region"
    >
      <Group justify="space-between">
        <Text size="sm">
          {last.loop !== null && `${loopText(last.loop)}. `}It may go on <Time at={String(until)} relative />.
        </Text>
        <ResumeSession workspace={workspace} session={session} />
      </Group>
    </Alert>
  )
}
