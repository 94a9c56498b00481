import { useContext } from 'react'
import type { OperationName } from './client.ts'
import { SessionContext } from './session.ts'

interface SettingsTab {
  name: string
  title: string
  /** Without it there is nothing to see there. */
  needs: OperationName
}

export const SETTINGS_TABS = [
  { name: 'workspaces', title: 'Workspaces', needs: 'workspaces.list' },
  { name: 'people', title: 'People', needs: 'people.list' },
  { name: 'admin-keys', title: 'Admin keys', needs: 'admin-keys.list' },
  { name: 'key-templates', title: 'Key templates', needs: 'key-templates.list' },
  { name: 'token-issuers', title: 'Token issuers', needs: 'token-issuers.list' },
  { name: 'sessions', title: 'Sessions', needs: 'sessions.list' },
  { name: 'configuration', title: 'Configuration', needs: 'config.export' },
  { name: 'ledger', title: 'Ledger and secrets', needs: 'verify.ledger' },
  { name: 'about', title: 'About', needs: 'status.get' },
] as const satisfies readonly SettingsTab[]

/** Only those with something to see. */
export function useSettingsTabs(): readonly SettingsTab[] {
  const session = useContext(SessionContext)
  return SETTINGS_TABS.filter(({ needs }) => session === null || session.operations.includes(needs))
}
