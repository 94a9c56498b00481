import { type DraftMessage, EMPTY_PROMPT, type Prompt } from '../../../components/playground-draft.ts'
import { turnsOf } from './turns.ts'

/** Endpoints whose requests are conversations. */
const TALKS: ReadonlySet<string | null> = new Set([null, 'chat', 'messages', 'responses'])

const ROLES: readonly string[] = ['system', 'user', 'assistant']

type Fields = Record<string, unknown>

/** A stored request as a draft of the playground; null where it is no conversation. */
export function promptOf(endpoint: string | null, request: Fields): Prompt | null {
  if (!TALKS.has(endpoint)) return null
  const { temperature, max_tokens: maxTokens, ...fields } = request
  const numbers = {
    temperature: typeof temperature === 'number' ? temperature : null,
    maxTokens: typeof maxTokens === 'number' ? maxTokens : null,
  }
  const isChat = endpoint === null || endpoint === 'chat'
  const messages = isChat ? plainMessages(request['messages']) : turnMessages(request)
  const { model: _model, stream: _stream, stream_options: _options, messages: all, ...more } = isChat ? fields : {}
  // What the editor cannot show is sent as it was.
  const rest = messages === null ? { messages: all, ...more } : more
  return {
    ...EMPTY_PROMPT,
    ...numbers,
    messages: messages ?? [],
    more: Object.keys(rest).length === 0 ? '' : JSON.stringify(rest, null, 2),
  }
}

/** Messages that are a role and a text; null when one is more than that. */
function plainMessages(messages: unknown): DraftMessage[] | null {
  if (!Array.isArray(messages)) return null
  const plain = messages.map(({ role, content, ...more }: Fields, index) => {
    const isPlain = typeof content === 'string' && ROLES.includes(String(role)) && Object.keys(more).length === 0
    return isPlain ? { id: index + 1, role: role as DraftMessage['role'], content } : null
  })
  return plain.every((message) => message !== null) ? plain : null
}

/** Other formats, as the text that was said. */
function turnMessages(request: Fields): DraftMessage[] {
  return turnsOf(request).map(({ who, text }, index) => {
    const role = ROLES.includes(who) ? (who as DraftMessage['role']) : 'user'
    return { id: index + 1, role, content: text }
  })
}
