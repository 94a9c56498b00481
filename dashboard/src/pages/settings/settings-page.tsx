import { Tabs } from '@mantine/core'
import type { ComponentType } from 'react'
import { useLocation } from 'wouter'
import type { OperationName } from '../../api/client.ts'
import { useRefusal } from '../../api/session.ts'
import { Page } from '../../components/page.tsx'
import { Permitted } from '../../components/permitted.tsx'
import { usePath, usePlaceParts } from '../../shell/place.ts'
import { AboutTab } from './about-tab.tsx'
import { AdminKeysTab } from './admin-keys-tab.tsx'
import { ConfigurationTab } from './configuration-tab.tsx'
import { LedgerTab } from './ledger-tab.tsx'
import { PeopleTab } from './people-tab.tsx'
import { SessionsTab } from './sessions-tab.tsx'
import { WorkspacesTab } from './workspaces-tab.tsx'

interface TabEntry {
  name: string
  title: string
  content: ComponentType
  /** Without it there is nothing to see there. */
  needs: OperationName
}

const TABS: TabEntry[] = [
  { name: 'workspaces', title: 'Workspaces', content: WorkspacesTab, needs: 'workspaces.list' },
  { name: 'people', title: 'People', content: PeopleTab, needs: 'people.list' },
  { name: 'admin-keys', title: 'Admin keys', content: AdminKeysTab, needs: 'admin-keys.list' },
  { name: 'sessions', title: 'Sessions', content: SessionsTab, needs: 'sessions.list' },
  { name: 'configuration', title: 'Configuration', content: ConfigurationTab, needs: 'config.export' },
  { name: 'ledger', title: 'Ledger and secrets', content: LedgerTab, needs: 'verify.ledger' },
  { name: 'about', title: 'About', content: AboutTab, needs: 'status.get' },
]

function SettingsTab({ name, title, needs }: TabEntry) {
  const refusal = useRefusal(needs)
  return (
    <Tabs.Tab value={name} disabled={refusal !== undefined} title={refusal}>
      {title}
    </Tabs.Tab>
  )
}

/** What is about the gateway as a whole, whichever workspace is chosen. */
export function SettingsPage() {
  const path = usePath()
  const [, navigate] = useLocation()
  const [part] = usePlaceParts()
  const current = TABS.find(({ name }) => name === part)?.name ?? 'workspaces'
  return (
    <Page title="Settings" description="These settings apply to every workspace.">
      <Tabs
        value={current}
        onChange={(name) => name !== null && navigate(path('settings', name))}
        keepMounted={false}
        activateTabWithKeyboard={false}
      >
        <Tabs.List aria-label="Settings" mb="lg">
          {TABS.map((tab) => (
            <SettingsTab key={tab.name} {...tab} />
          ))}
        </Tabs.List>
        {TABS.map(({ name, needs, content: Content }) => (
          <Tabs.Panel key={name} value={name}>
            <Permitted to={needs} isPart>
              <Content />
            </Permitted>
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  )
}
