import { Tabs } from '@mantine/core'
import type { ComponentType } from 'react'
import { useLocation } from 'wouter'
import { Page } from '../../components/page.tsx'
import { usePath, usePlaceParts } from '../../shell/place.ts'
import { AboutTab } from './about-tab.tsx'
import { AdminKeysTab } from './admin-keys-tab.tsx'
import { ConfigurationTab } from './configuration-tab.tsx'
import { LedgerTab } from './ledger-tab.tsx'
import { SessionsTab } from './sessions-tab.tsx'
import { WorkspacesTab } from './workspaces-tab.tsx'

const TABS: { name: string; title: string; content: ComponentType }[] = [
  { name: 'workspaces', title: 'Workspaces', content: WorkspacesTab },
  { name: 'admin-keys', title: 'Admin keys', content: AdminKeysTab },
  { name: 'sessions', title: 'Sessions', content: SessionsTab },
  { name: 'configuration', title: 'Configuration', content: ConfigurationTab },
  { name: 'ledger', title: 'Ledger and secrets', content: LedgerTab },
  { name: 'about', title: 'About', content: AboutTab },
]

/** What is about the gateway as a whole, whichever workspace is chosen. */
export function SettingsPage() {
  const path = usePath()
  const [, navigate] = useLocation()
  const [part] = usePlaceParts()
  const current = TABS.find(({ name }) => name === part)?.name ?? 'workspaces'
  return (
    <Page title="Settings" description="Of the whole gateway, whichever workspace is chosen above.">
      <Tabs
        value={current}
        onChange={(name) => name !== null && navigate(path('settings', name))}
        keepMounted={false}
        activateTabWithKeyboard={false}
      >
        <Tabs.List aria-label="Settings" mb="lg">
          {TABS.map(({ name, title }) => (
            <Tabs.Tab key={name} value={name}>
              {title}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {TABS.map(({ name, content: Content }) => (
          <Tabs.Panel key={name} value={name}>
            <Content />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  )
}
