/** What a person puts together in the playground. */
export interface DraftMessage {
  id: number
  role: 'system' | 'user' | 'assistant'
  content: string
}

export interface Draft {
  model: string
  messages: readonly DraftMessage[]
  temperature: number | null
  maxTokens: number | null
  isStreamed: boolean
  /** Further fields of the request, as JSON. */
  more: string
}

export type Prompt = Omit<Draft, 'model'>

export const EMPTY_PROMPT: Prompt = {
  messages: [
    { id: 1, role: 'system', content: '' },
    { id: 2, role: 'user', content: '' },
  ],
  temperature: null,
  maxTokens: null,
  isStreamed: true,
  more: '',
}

const STORED_AS = 'switchyard-playground'

/** Kept for as long as this tab and this sign-in last: in no address, and nowhere but in the browser. */
export function storePrompt(session: string | null, workspace: string, draft: Prompt): void {
  sessionStorage.setItem(STORED_AS, JSON.stringify({ session, workspace, draft }))
}

export function storedPrompt(session: string | null, workspace: string): Prompt {
  const stored = JSON.parse(sessionStorage.getItem(STORED_AS) ?? 'null')
  const isOurs = stored !== null && stored.session === session && stored.workspace === workspace
  return isOurs ? { ...EMPTY_PROMPT, ...stored.draft } : EMPTY_PROMPT
}
