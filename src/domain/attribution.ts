import { looksLikeSecret } from './errors.ts'
import { isJsonObject } from './request/call-request.ts'

/** Who a call is made for, as its body says: names and tags that the caller chose, never content. */
export interface Attribution {
  user: string | null
  tags: Record<string, string>
  /** Of a body that names one; a header wins. */
  session: string | null
}

export const NO_ATTRIBUTION: Attribution = { user: null, tags: {}, session: null }

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
export function attributionOf(user: unknown, metadata: unknown): Attribution {
  return { ...splitUser(user), tags: cleanTags(metadata) }
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
