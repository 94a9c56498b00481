import { Anchor, Text } from '@mantine/core'
import { Link } from 'wouter'
import { DrawerSection } from '../../components/detail-drawer.tsx'
import { usePath } from '../../shell/place.ts'
import { type Fact, Facts } from './facts.tsx'
import { SessionSum } from './session/session-sum.tsx'
import type { ListedRequest } from './use-requests.ts'

/** Who the call was for, in the caller's words, and what the session has come to. */
export function AttributionSection({ request }: { request: ListedRequest }) {
  const { workspace, user, session, agent, project, tags } = request
  const path = usePath()
  const named = Object.entries(tags)
  if (user === null && session === null && project === null && named.length === 0) return null
  const facts: (Fact | null)[] = [
    user === null ? null : { name: 'User', value: <Filtered field="user" value={user} /> },
    session === null ? null : { name: 'Session', value: <Filtered field="session" value={session} /> },
    agent === null ? null : { name: 'Agent', value: <Filtered field="agent" value={agent} within={session} /> },
    project === null ? null : { name: 'Project', value: <Filtered field="project" value={project} /> },
    ...named.map(([name, value]) => ({
      name: `Tag ${name}`,
      value: <Filtered field="tag" value={`${name}:${value}`} text={value} />,
    })),
  ]
  return (
    <DrawerSection title="Attribution">
      {session !== null && (
        <Text size="sm">
          <SessionSum
            workspace={workspace}
            session={session}
            href={`${path('requests')}?${new URLSearchParams({ session })}`}
          />
        </Text>
      )}
      <Facts facts={facts} />
    </DrawerSection>
  )
}

interface FilteredProps {
  field: 'user' | 'session' | 'agent' | 'project' | 'tag'
  value: string
  text?: string
  /** The session that gives the value its meaning. */
  within?: string | null
}

/** Leads to the requests that have the same. */
function Filtered({ field, value, text = value, within = null }: FilteredProps) {
  const path = usePath()
  const search = { ...(within === null ? {} : { session: within }), [field]: value }
  return (
    <Anchor
      component={Link}
      inherit
      href={`${path('requests')}?${new URLSearchParams(search)}`}
      title={`Requests with the same ${field}: ${value}`}
      style={{ overflowWrap: 'anywhere' }}
    >
      {text}
    </Anchor>
  )
}
