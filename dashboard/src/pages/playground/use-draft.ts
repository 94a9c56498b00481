import { useContext, useState } from 'react'
import { SessionContext } from '../../api/session.ts'
import { type Prompt, storedPrompt, storePrompt } from '../../components/playground-draft.ts'
import { useWorkspace } from '../../shell/place.ts'

/** What was written, kept as long as this tab and this sign-in last. */
export function useDraft(): [Prompt, (change: Partial<Prompt>) => void] {
  const session = useContext(SessionContext)?.session_id ?? null
  const workspace = useWorkspace()
  const [draft, setDraft] = useState(() => storedPrompt(session, workspace))
  function change(changes: Partial<Prompt>) {
    const next = { ...draft, ...changes }
    setDraft(next)
    storePrompt(session, workspace, next)
  }
  return [draft, change]
}
