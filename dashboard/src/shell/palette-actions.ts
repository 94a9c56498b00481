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
  /** What else people type who want it. */
  keywords: string[]
}

/** By the name of a page, what people type who do not know what it is called. */
export const PAGE_KEYWORDS: Readonly<Record<string, string[]>> = {
  requests: ['log', 'calls', 'why it failed', 'errors'],
  usage: ['spend', 'cost', 'sessions'],
  budgets: ['limits', 'forecast'],
  reconciliation: ['invoice', 'bill', 'reports', 'close a month', 'books'],
  performance: ['slow', 'latency', 'errors'],
  alerts: ['warn me', 'notifications', 'thresholds'],
  catalog: ['models'],
  playground: ['try', 'chat'],
  routes: ['aliases', 'fallback'],
  keys: ['connect an application'],
  registry: ['prices', 'models'],
  audit: ['undo', 'roll back', 'rollback', 'restore', 'history', 'who changed'],
}

const ACTIONS: readonly Omit<PaletteAction, 'keywords'>[] = [
  { label: 'Create a key', needs: 'keys.create', place: ['keys'], opens: 'new' },
  { label: 'Create a route', needs: 'routes.put', place: ['routes'], opens: 'new' },
  { label: 'Add a provider', needs: 'providers.put', place: ['providers'], opens: 'new' },
  { label: 'Add a model', needs: 'registry.put', place: ['registry'], opens: 'new' },
  { label: 'Import prices', needs: 'registry.import', place: ['registry'], opens: 'import' },
  { label: 'Import a provider’s report', needs: 'reports.import', place: ['reconciliation'], opens: 'import' },
  { label: 'Add an alert channel', needs: 'alert-channels.create', place: ['alerts'], opens: 'new' },
  { label: 'Invite someone', needs: 'invites.create', place: ['settings', 'people'], opens: 'new' },
  { label: 'Create a workspace', needs: 'workspaces.create', place: ['settings', 'workspaces'], opens: 'new' },
  { label: 'Create an admin key', needs: 'admin-keys.create', place: ['settings', 'admin-keys'], opens: 'new' },
]

/** What can be begun from the keyboard, by role. */
export function usePaletteActions(): PaletteAction[] {
  const session = useContext(SessionContext)
  return ACTIONS.filter(({ needs }) => session === null || session.operations.includes(needs)).map((action) => ({
    ...action,
    // Typed without its article.
    keywords: [action.label.replace(/ an? /, ' ')],
  }))
}
