import type { Attribution, CallNames } from '../../domain/attribution.ts'
import { hashKey } from '../../domain/key.ts'
import type { Snapshot } from '../../domain/snapshot.ts'

/**
 * Who a call is for and where it belongs in its session, as its headers and its body say, without any secret that this
 * gateway knows: a key of any shape may be sent in the wrong field, and what is stored here is shown to operators.
 */
export function attributedTo(named: CallNames, inBody: Attribution, snapshot: Snapshot): Attribution {
  const { user, tags } = inBody
  const session = named.session ?? inBody.session
  const { agent, project } = named
  const kind = named.kind ?? inBody.kind
  if (user === null && session === null && agent === null && kind === null && project === null && isEmpty(tags)) {
    return inBody
  }
  const open = (text: string | null) => (text === null || isKnownSecret(text, snapshot) ? null : text)
  const kept = Object.entries(tags).filter(([name, value]) => open(name) !== null && open(value) !== null)
  const place = placeOf(open(session), open(agent), open(named.parent))
  return {
    user: open(user),
    session: place.session,
    agent: place.agent,
    parent: place.parent,
    kind: kind ?? (place.agent !== null ? 'subagent' : place.session !== null ? 'main' : null),
    project: open(project),
    tags: Object.fromEntries(kept),
  }
}

/** The main agent has no name and no parent. Another one without a parent was started by the session. */
function placeOf(session: string | null, agent: string | null, parent: string | null) {
  if (agent === null || agent === session) return { session, agent: null, parent: null }
  return { session, agent, parent: parent === null || parent === agent ? session : parent }
}

function isEmpty(tags: object): boolean {
  for (const _ in tags) return false
  return true
}

function isKnownSecret(text: string, { valuesByHash, providers }: Snapshot): boolean {
  if (valuesByHash.has(hashKey(text))) return true
  for (const { apiKey } of providers.values()) if (apiKey === text) return true
  return false
}
