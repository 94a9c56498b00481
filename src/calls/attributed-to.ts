import type { Attribution } from '../domain/attribution.ts'
import { hashKey } from '../domain/key.ts'
import type { Snapshot } from '../domain/snapshot.ts'

/**
 * Who a call is for, as its header and its body say, without any secret that this gateway knows: a key of any shape may
 * be sent in the wrong field, and what is stored here is shown to operators.
 */
export function attributedTo(session: string | null, inBody: Attribution, snapshot: Snapshot): Attribution {
  const { user, tags } = inBody
  const named = session ?? inBody.session
  if (user === null && named === null && Object.keys(tags).length === 0) return inBody
  const isSecret = (text: string) => isKnownSecret(text, snapshot)
  const kept = Object.entries(tags).filter(([name, value]) => !isSecret(name) && !isSecret(value))
  return {
    user: user === null || isSecret(user) ? null : user,
    session: named === null || isSecret(named) ? null : named,
    tags: Object.fromEntries(kept),
  }
}

function isKnownSecret(text: string, { valuesByHash, providers }: Snapshot): boolean {
  if (valuesByHash.has(hashKey(text))) return true
  for (const { apiKey } of providers.values()) if (apiKey === text) return true
  return false
}
