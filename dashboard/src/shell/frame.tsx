import { AppShell, Burger, Center, Group, Loader, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Suspense, useEffect } from 'react'
import { Link, Redirect, Route, Switch, useLocation } from 'wouter'
import type { Reply } from '../api/client.ts'
import { useAll } from '../api/hooks.ts'
import { SessionContext } from '../api/session.ts'
import { Logo } from '../components/logo.tsx'
import { AccountMenu } from './account-menu.tsx'
import { NavigationList } from './navigation-list.tsx'
import { NotFound } from './not-found.tsx'
import { PageBoundary } from './page-boundary.tsx'
import { PAGES } from './pages.ts'
import { Palette, PaletteButton } from './palette.tsx'
import { useWorkspace, WorkspaceContext } from './place.ts'
import { ShortcutBar } from './shortcut-bar.tsx'
import { UnknownWorkspace } from './unknown-workspace.tsx'
import { WorkspaceSelect } from './workspace-select.tsx'

const pages = PAGES.flatMap((group) => group.pages)

/** What stands around every page. */
export function Frame({ session }: { session: Reply<'sessions.current'> }) {
  return (
    <Switch>
      <Route path="/:workspace/:page/*?">
        {({ workspace }) => (
          <WorkspaceContext value={decodeURIComponent(workspace)}>
            <SessionContext value={session}>
              <Shell session={session} />
            </SessionContext>
          </WorkspaceContext>
        )}
      </Route>
      <Route path="/:workspace">{({ workspace }) => <Redirect to={`/${workspace}/overview`} replace />}</Route>
      <Route>
        <Redirect to={`/${encodeURIComponent(firstOf(session))}/overview`} replace />
      </Route>
    </Switch>
  )
}

/** The workspace to begin with: the default one, where the session may see it. */
function firstOf({ workspaces }: Reply<'sessions.current'>): string {
  return workspaces === null || workspaces.includes('default') ? 'default' : (workspaces[0] ?? 'default')
}

function Shell({ session }: { session: Reply<'sessions.current'> }) {
  const [isOpen, { toggle, close }] = useDisclosure(false)
  const [location] = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: closes whenever the place changes.
  useEffect(close, [location])
  return (
    <AppShell
      header={{ height: 54 }}
      navbar={{ width: 216, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      footer={{ height: { base: 56, sm: 0 } }}
      padding={{ base: 'sm', sm: 'lg' }}
    >
      <a className="skip-link" href="#content">
        Skip to content
      </a>
      <AppShell.Header bg="var(--surface-raised)">
        <Group h="100%" px={{ base: 'sm', sm: 'md' }} gap="sm" wrap="nowrap">
          <Burger opened={isOpen} onClick={toggle} hiddenFrom="sm" size="sm" aria-label="Pages" />
          <Link href="/" aria-label="Switchyard, overview" style={{ display: 'flex', textDecoration: 'none' }}>
            <Group gap={9} wrap="nowrap">
              <Logo />
              <Text fw={680} c="var(--text-strong)" visibleFrom="xs" lts="-0.01em">
                Switchyard
              </Text>
            </Group>
          </Link>
          <WorkspaceSelect />
          <Group ml="auto" gap="xs" wrap="nowrap">
            <PaletteButton />
            <AccountMenu session={session} />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" bg="var(--surface-raised)">
        <NavigationList />
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1} style={{ outline: 'none' }}>
        <PageBoundary key={location.split('/')[2]}>
          <Suspense fallback={<Waiting />}>
            <Pages />
          </Suspense>
        </PageBoundary>
      </AppShell.Main>
      <ShortcutBar />
      <Palette />
    </AppShell>
  )
}

function Pages() {
  const workspace = useWorkspace()
  // The page does not wait for the list: nearly every address is right.
  const names = useAll('workspaces.list', {}).data?.map(({ name }) => name)
  if (names !== undefined && !names.includes(workspace)) return <UnknownWorkspace names={names} />
  return (
    <Switch>
      {pages.map(({ name, page: Page }) => (
        <Route key={name} path={`/:workspace/${name}/*?`} component={Page} />
      ))}
      <Route component={NotFound} />
    </Switch>
  )
}

function Waiting() {
  return (
    <Center h="50vh">
      <Loader size="sm" role="status" aria-label="Loading the page" />
    </Center>
  )
}
