import { useContext } from 'react'
import type { OperationName } from '../api/client.ts'
import { SessionContext } from '../api/session.ts'

export interface PaletteAction {
  label: string
  /** Offered to those who may do it. */
  needs: OperationName
  /** The page where it is done, as parts of the address, and what opens there. */
  place: string[]
  opens: string
}

const ACTIONS: readonly PaletteAction[] = [
  { label: 'Create a key', needs: 'keys.create', place: ['keys'], opens: 'new' },
  { label: 'Create a route', needs: 'routes.put', place: ['routes'], opens: 'new' },
  { label: 'Add a provider', needs: 'providers.put', place: ['providers'], opens: 'new' },
  { label: 'Add a model', needs: 'registry.put', place: ['registry'], opens: 'new' },
  { label: 'Import prices', needs: 'registry.import', place: ['registry'], opens: 'import' },
  { label: 'Add an alert channel', needs: 'alert-channels.create', place: ['alerts'], opens: 'new' },
  { label: 'Invite someone', needs: 'invites.create', place: ['settings', 'people'], opens: 'new' },
  { label: 'Create a workspace', needs: 'workspaces.create', place: ['settings', 'workspaces'], opens: 'new' },
  { label: 'Create an admin key', needs: 'admin-keys.create', place: ['settings', 'admin-keys'], opens: 'new' },
]

/** What can be begun from the keyboard, by role. */
export function usePaletteActions(): PaletteAction[] {
  const session = useContext(SessionContext)
  return ACTIONS.filter(({ needs }) => session === null || session.operations.includes(needs))
}
