import { looksLikeSecret } from './errors.ts'
import { isJsonObject } from './request/call-request.ts'

/** What a call is within its session. `count` only counts tokens; `prewarm` fills the provider's prompt cache. */
export const CALL_KINDS = ['main', 'subagent', 'compaction', 'title', 'auxiliary', 'prewarm', 'count'] as const
export type CallKind = (typeof CALL_KINDS)[number]

/** Where a call belongs in the work of an agent. Names that the caller chose: claims, not proof. */
export interface CallNames {
  /** The whole run, sub-agents included. */
  session: string | null
  /** The agent within it; null for the main one. */
  agent: string | null
  /** The agent, or the session, that started this agent; null for the main one. */
  parent: string | null
  kind: CallKind | null
  project: string | null
}

/** Who a call is made for: names and tags that the caller chose, never content. */
export interface Attribution extends CallNames {
  user: string | null
  tags: Record<string, string>
}

export const NO_NAMES: CallNames = { session: null, agent: null, parent: null, kind: null, project: null }
export const NO_ATTRIBUTION: Attribution = { ...NO_NAMES, user: null, tags: {} }

/** Characters that are kept of a user or a session. */
export const LONGEST_NAME = 128
/** Tags with more in their name or their value are dropped: half of a value is another value. */
export const LONGEST_TAG = 64
export const MOST_TAGS = 8

/** Far more than is kept, so that a secret which is only cut in half is still seen. */
const LOOKED_AT = 1_024
/** Control characters, format characters, lone surrogates, line and paragraph separators. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/gu

/** The user or the session that a caller named; null for nothing usable and for what looks like a secret. */
export function cleanName(value: unknown): string | null {
  if (typeof value !== 'string') return null
  const text = value.slice(0, LOOKED_AT).replace(INVISIBLE, '').trim()
  if (text === '' || looksLikeSecret(text)) return null
  return text.length <= LONGEST_NAME ? text : [...text].slice(0, LONGEST_NAME).join('').trimEnd()
}

/** The first pairs of a body's `metadata` that are short texts; others are dropped. */
export function cleanTags(metadata: unknown): Record<string, string> {
  if (!isJsonObject(metadata)) return {}
  const tags: [string, string][] = []
  for (const name in metadata) {
    const value = metadata[name]
    if (!isTag(value) || !isTag(name)) continue
    tags.push([name, value])
    if (tags.length === MOST_TAGS) break
  }
  return Object.fromEntries(tags)
}

function isTag(text: unknown): text is string {
  return typeof text === 'string' && text.length <= LONGEST_TAG && cleanName(text) === text
}

/** For a request with `user` (or a newer name of it) and `metadata` in its body. */
export function attributionOf(named: unknown, metadata: unknown, kind: CallKind | null = null): Attribution {
  const { user, session } = splitUser(named)
  return { user, session, agent: null, parent: null, kind, project: null, tags: cleanTags(metadata) }
}

/** The names of the parts where a user is a JSON object, as agents send it; the first that is there counts. */
const USER_PARTS = ['account_uuid', 'account_id', 'user_id', 'device_id']

/**
 * Agents put the session into the user: `user_…_account_…_session_…`, or JSON. Taken apart, so that the sums of a user
 * are not those of one session.
 */
function splitUser(value: unknown): Pick<Attribution, 'user' | 'session'> {
  if (typeof value !== 'string') return { user: null, session: null }
  const composite = /^(user_.{1,400}?)_session_([\w-]{1,128})$/s.exec(value)
  if (composite !== null) return { user: cleanName(composite[1]), session: cleanName(composite[2]) }
  const parts = value.startsWith('{') && value.length <= LOOKED_AT ? partsOf(value) : null
  if (parts === null || typeof parts['session_id'] !== 'string') return { user: cleanName(value), session: null }
  const users = USER_PARTS.map((name) => cleanName(parts[name]))
  return { user: users.find((user) => user !== null) ?? null, session: cleanName(parts['session_id']) }
}

function partsOf(text: string): Record<string, unknown> | null {
  try {
    const parsed: unknown = JSON.parse(text)
    return isJsonObject(parsed) ? parsed : null
  } catch {
    return null
  }
}
