import { Anchor, Text } from '@mantine/core'
import { Link } from 'wouter'
import { DrawerSection } from '../../components/detail-drawer.tsx'
import { usePath } from '../../shell/place.ts'
import { type Fact, Facts } from './facts.tsx'
import { SessionSum } from './session-sum.tsx'
import type { ListedRequest } from './use-requests.ts'

/** Who the call was for, in the caller's words, and what the session has come to. */
export function AttributionSection({ request }: { request: ListedRequest }) {
  const { workspace, user, session, tags } = request
  const path = usePath()
  const named = Object.entries(tags)
  if (user === null && session === null && named.length === 0) return null
  const facts: (Fact | null)[] = [
    user === null ? null : { name: 'User', value: <Filtered field="user" value={user} /> },
    session === null ? null : { name: 'Session', value: <Filtered field="session" value={session} /> },
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

/** Leads to the requests that have the same. */
function Filtered({ field, value, text = value }: { field: 'user' | 'session' | 'tag'; value: string; text?: string }) {
  const path = usePath()
  return (
    <Anchor
      component={Link}
      inherit
      href={`${path('requests')}?${new URLSearchParams({ [field]: value })}`}
      title={`Requests with the same ${field}: ${value}`}
      style={{ overflowWrap: 'anywhere' }}
    >
      {text}
    </Anchor>
  )
}
