import { ActionIcon, Menu, Text, useMantineColorScheme } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { BookText, Check, CircleUserRound, LogOut, Monitor, Moon, Sun } from 'lucide-react'
import { call, type Reply } from '../api/client.ts'
import { Time } from '../components/time.tsx'

const SCHEMES = [
  { value: 'light', label: 'Light', icon: Sun },
  { value: 'dark', label: 'Dark', icon: Moon },
  { value: 'auto', label: 'As the system', icon: Monitor },
] as const

export function AccountMenu({ session }: { session: Reply<'sessions.current'> }) {
  const queries = useQueryClient()
  const { colorScheme, setColorScheme } = useMantineColorScheme()

  async function signOut() {
    await call('sessions.end', {})
    queries.clear()
    await queries.resetQueries()
    window.location.assign('/dashboard')
  }

  return (
    <Menu width={240} position="bottom-end" shadow="md">
      <Menu.Target>
        <ActionIcon variant="default" size="lg" aria-label={`Signed in with the key ${session.key_name}`}>
          <CircleUserRound size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          Signed in with <b>{session.key_name}</b>
          {session.expires_at !== null && (
            <Text size="xs">
              until <Time at={session.expires_at} />
            </Text>
          )}
        </Menu.Label>
        <Menu.Divider />
        <Menu.Label>Colours</Menu.Label>
        {SCHEMES.map(({ value, label, icon: Icon }) => (
          <Menu.Item
            key={value}
            leftSection={<Icon size={16} aria-hidden />}
            rightSection={colorScheme === value ? <Check size={16} aria-label="chosen" /> : null}
            onClick={() => setColorScheme(value)}
          >
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item component="a" href="/docs" leftSection={<BookText size={16} aria-hidden />}>
          Management API
        </Menu.Item>
        <Menu.Item leftSection={<LogOut size={16} aria-hidden />} onClick={() => void signOut()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
