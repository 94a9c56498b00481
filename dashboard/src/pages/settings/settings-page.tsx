import { Tabs } from '@mantine/core'
import type { ComponentType } from 'react'
import { useLocation } from 'wouter'
import { useRefusal } from '../../api/session.ts'
import { SETTINGS_TABS } from '../../api/settings-tabs.ts'
import { Page } from '../../components/page.tsx'
import { Permitted } from '../../components/permitted.tsx'
import { usePath, usePlaceParts } from '../../shell/place.ts'
import { AboutTab } from './about-tab.tsx'
import { AdminKeysTab } from './admin-keys-tab.tsx'
import { KeyTemplatesTab } from './callers/key-templates-tab.tsx'
import { TokenIssuersTab } from './callers/token-issuers-tab.tsx'
import { ConfigurationTab } from './configuration-tab.tsx'
import { LedgerTab } from './ledger-tab.tsx'
import { PeopleTab } from './people-tab.tsx'
import { SessionsTab } from './sessions-tab.tsx'
import { WorkspacesTab } from './workspaces-tab.tsx'

type TabEntry = (typeof SETTINGS_TABS)[number]

const CONTENTS: Record<TabEntry['name'], ComponentType> = {
  workspaces: WorkspacesTab,
  people: PeopleTab,
  'admin-keys': AdminKeysTab,
  'key-templates': KeyTemplatesTab,
  'token-issuers': TokenIssuersTab,
  sessions: SessionsTab,
  configuration: ConfigurationTab,
  ledger: LedgerTab,
  about: AboutTab,
}

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
  const current = SETTINGS_TABS.find(({ name }) => name === part)?.name ?? 'workspaces'
  return (
    <Page title="Settings" description="These settings apply to every workspace.">
      <Tabs
        value={current}
        onChange={(name) => name !== null && navigate(path('settings', name))}
        keepMounted={false}
        activateTabWithKeyboard={false}
      >
        <Tabs.List aria-label="Settings" mb="lg">
          {SETTINGS_TABS.map((tab) => (
            <SettingsTab key={tab.name} {...tab} />
          ))}
        </Tabs.List>
        {SETTINGS_TABS.map(({ name, needs }) => {
          const Content = CONTENTS[name]
          return (
            <Tabs.Panel key={name} value={name}>
              <Permitted to={needs} isPart>
                <Content />
              </Permitted>
            </Tabs.Panel>
          )
        })}
      </Tabs>
    </Page>
  )
}
