import { createHmac } from 'node:crypto'

/** Of the digest: enough that two sessions never have the same. */
const DIGITS = 32

/**
 * What a provider may know of a session, to keep its calls where their prompt is cached: the same on every gateway, and
 * nothing of the session's own name. Null: there is no key to make it with.
 */
export function promptCacheKey(
  [key]: readonly Uint8Array[],
  { workspace, session }: { workspace: string; session: string },
): string | null {
  if (key === undefined) return null
  return createHmac('sha256', key)
    .update(JSON.stringify([workspace, session]))
    .digest('hex')
    .slice(0, DIGITS)
}
