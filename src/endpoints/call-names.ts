import { type CallNames, cleanName } from '../domain/attribution.ts'
import { AGENT_HEADERS, type AgentHeaders, kindOf } from './agent-headers.ts'
import type { WithHeaders } from './endpoint.ts'

/** Any client may send these; they win over what its agent sends. */
export const OWN_HEADERS = {
  session: 'x-gateway-session',
  agent: 'x-gateway-agent',
  parent: 'x-gateway-parent',
  kind: 'x-gateway-kind',
  project: 'x-gateway-project',
} as const satisfies Record<keyof CallNames, string>

/** The session at the root of the sessions that started each other. */
export interface SessionRoots {
  /** `parent` started `session`: the root of both, among the calls of one key. */
  started(session: string, parent: string, keyId: string): string
}

/** Where nothing is remembered: the parent is taken for the root. */
export const NO_ROOTS: SessionRoots = { started: (_session, parent) => parent }

/** What the headers of a call say; the body adds to it. */
export function namesInHeaders(call: WithHeaders, roots: SessionRoots, keyId: string): CallNames {
  const own: CallNames = {
    session: named(call, OWN_HEADERS.session),
    agent: named(call, OWN_HEADERS.agent),
    parent: named(call, OWN_HEADERS.parent),
    kind: kindOf(call.header(OWN_HEADERS.kind)),
    project: named(call, OWN_HEADERS.project),
  }
  // By place: most calls come this way for nothing, and an iterator is allocated for each.
  for (let place = 0; place < AGENT_HEADERS.length; place++) {
    const agent = AGENT_HEADERS[place] as AgentHeaders
    const session = named(call, agent.session)
    if (session !== null) return orElse(own, namesOf(call, agent, session, roots, keyId))
  }
  return own
}

function namesOf(
  call: WithHeaders,
  headers: AgentHeaders,
  session: string,
  roots: SessionRoots,
  keyId: string,
): CallNames {
  const kind = headers.kind?.(call) ?? null
  const project = named(call, headers.project)
  const starter = named(call, headers.parentSession)
  if (starter !== null && starter !== session) {
    return { session: roots.started(session, starter, keyId), agent: session, parent: starter, kind, project }
  }
  return { session, agent: named(call, headers.agent), parent: named(call, headers.parent), kind, project }
}

/** Name by name. */
function orElse(own: CallNames, found: CallNames): CallNames {
  return {
    session: own.session ?? found.session,
    agent: own.agent ?? found.agent,
    parent: own.parent ?? found.parent,
    kind: own.kind ?? found.kind,
    project: own.project ?? found.project,
  }
}

function named(call: WithHeaders, header: string | undefined): string | null {
  const value = header === undefined ? undefined : call.header(header)
  return value === undefined ? null : cleanName(value)
}
