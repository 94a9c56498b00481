import { Box } from '@mantine/core'
import { Rocket } from 'lucide-react'
import { Panel } from '../../components/panel.tsx'
import { EmptyState } from '../../components/states.tsx'
import { FirstCall } from './first-call.tsx'

/** For people who are not led through the first steps: what an empty page waits for. */
export function FirstRequest() {
  return (
    <Panel>
      <EmptyState title="No requests yet" icon={Rocket}>
        The first call appears here within seconds.
      </EmptyState>
      <Box maw={720} mx="auto" pb="xl">
        <FirstCall />
      </Box>
    </Panel>
  )
}
