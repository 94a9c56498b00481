import { cleanName } from '../domain/attribution.ts'
import type { WithHeaders } from './endpoint.ts'

/** The headers that name a session, and who sends them; the first that is there counts. */
export const SESSION_HEADERS = [
  { name: 'x-gateway-session', sentBy: 'any client; overrides all others' },
  { name: 'x-claude-code-session-id', sentBy: 'Claude Code' },
  { name: 'session-id', sentBy: 'Codex' },
  { name: 'session_id', sentBy: 'Codex, earlier versions' },
  { name: 'thread-id', sentBy: 'Codex' },
  { name: 'x-session-id', sentBy: 'other agents and proxies' },
] as const

export function sessionOf(call: WithHeaders): string | null {
  for (const { name } of SESSION_HEADERS) {
    const value = call.header(name)
    const session = value === undefined ? null : cleanName(value)
    if (session !== null) return session
  }
  return null
}
