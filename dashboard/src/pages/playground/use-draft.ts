import { useContext, useState } from 'react'
import { SessionContext } from '../../api/session.ts'
import { useWorkspace } from '../../shell/place.ts'
import type { Draft } from './draft.ts'

export type Prompt = Omit<Draft, 'model'>

const FIRST: Prompt = {
  messages: [
    { id: 1, role: 'system', content: '' },
    { id: 2, role: 'user', content: '' },
  ],
  temperature: null,
  maxTokens: null,
  isStreamed: false,
  more: '',
}

const STORED_AS = 'switchyard-playground'

/** What was written, for as long as this tab and this sign-in last: in no address, and nowhere but in the browser. */
export function useDraft(): [Prompt, (change: Partial<Prompt>) => void] {
  const session = useContext(SessionContext)?.session_id ?? null
  const workspace = useWorkspace()
  const [draft, setDraft] = useState(() => storedDraft(session, workspace))
  function change(changes: Partial<Prompt>) {
    const next = { ...draft, ...changes }
    setDraft(next)
    sessionStorage.setItem(STORED_AS, JSON.stringify({ session, workspace, draft: next }))
  }
  return [draft, change]
}

function storedDraft(session: string | null, workspace: string): Prompt {
  const stored = JSON.parse(sessionStorage.getItem(STORED_AS) ?? 'null')
  const isOurs = stored !== null && stored.session === session && stored.workspace === workspace
  return isOurs ? { ...FIRST, ...stored.draft } : FIRST
}
