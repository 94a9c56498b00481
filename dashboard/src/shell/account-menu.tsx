import {
  ActionIcon,
  Anchor,
  Button,
  Popover,
  SegmentedControl,
  Stack,
  Text,
  useMantineColorScheme,
} from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { CircleUserRound, LogOut } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { call, type Reply } from '../api/client.ts'
import { useRefusal } from '../api/session.ts'
import { Time } from '../components/time.tsx'
import { usePath } from './place.ts'

const SCHEMES = [
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
  { value: 'auto', label: 'System' },
]

/** Who this is, in which colours, and the way out. */
export function AccountMenu({ session }: { session: Reply<'sessions.current'> }) {
  const queries = useQueryClient()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const [isOpen, setOpen] = useState(false)
  const path = usePath()
  const mayInvite = useRefusal('invites.create') === undefined

  async function signOut() {
    await call('sessions.end', {})
    queries.clear()
    // The playground's content must not be visible to the next person who signs in.
    sessionStorage.clear()
    window.location.assign('/dashboard')
  }

  return (
    <Popover width={260} position="bottom-end" shadow="md" trapFocus opened={isOpen} onChange={setOpen}>
      <Popover.Target>
        <ActionIcon
          variant="default"
          size="lg"
          onClick={() => setOpen(!isOpen)}
          aria-label={
            session.key_name === null
              ? `Signed in as ${session.person_name}`
              : `Signed in with the key ${session.key_name}`
          }
        >
          <CircleUserRound size={18} aria-hidden />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label="Account">
        <Stack gap="sm">
          <Text size="sm">
            Signed in {session.key_name === null ? 'as' : 'with'} <b>{session.key_name ?? session.person_name}</b>
            {session.expires_at !== null && (
              <Text size="xs" c="dimmed" component="span" display="block">
                until <Time at={session.expires_at} />
              </Text>
            )}
          </Text>
          <SegmentedControl
            aria-label="Colours"
            size="xs"
            fullWidth
            data={SCHEMES}
            value={colorScheme}
            onChange={(value) => setColorScheme(value as typeof colorScheme)}
          />
          {mayInvite && (
            <Anchor
              component={Link}
              href={`${path('settings', 'people')}?new=1`}
              size="sm"
              onClick={() => setOpen(false)}
            >
              Invite someone
            </Anchor>
          )}
          <Anchor href="/docs" size="sm">
            API reference
          </Anchor>
          <Button variant="default" leftSection={<LogOut size={16} aria-hidden />} onClick={() => void signOut()}>
            Sign out
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
