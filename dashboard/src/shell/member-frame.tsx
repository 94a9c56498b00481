import { AppShell, Group, Text } from '@mantine/core'
import { lazy, Suspense } from 'react'
import type { Reply } from '../api/client.ts'
import { SessionContext } from '../api/session.ts'
import { Logo } from '../components/logo.tsx'
import { AccountMenu } from './account-menu.tsx'
import { WorkspaceContext } from './place.ts'

const MyKeysPage = lazy(async () => ({ default: (await import('../pages/my-keys/my-keys-page.tsx')).MyKeysPage }))

/** For those who may see their own keys and nothing else: one page, whatever the address. */
export function MemberFrame({ session }: { session: Reply<'sessions.current'> }) {
  return (
    <WorkspaceContext value={session.workspaces?.[0] ?? 'default'}>
      <SessionContext value={session}>
        <AppShell header={{ height: 54 }} padding={{ base: 'sm', sm: 'lg' }}>
          <AppShell.Header bg="var(--surface-raised)">
            <Group h="100%" px={{ base: 'sm', sm: 'md' }} gap={9} wrap="nowrap">
              <Logo />
              <Text fw={680} c="var(--text-strong)" lts="-0.01em" flex={1}>
                Switchyard
              </Text>
              <AccountMenu session={session} />
            </Group>
          </AppShell.Header>
          <AppShell.Main id="content">
            <Suspense>
              <MyKeysPage />
            </Suspense>
          </AppShell.Main>
        </AppShell>
      </SessionContext>
    </WorkspaceContext>
  )
}
