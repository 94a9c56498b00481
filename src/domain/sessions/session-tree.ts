/** One agent of a session, as its calls name it. */
export interface Agent {
  /** Null: the main one. */
  agent: string | null
  /** What its calls name as the one that started it. */
  parent: string | null
  requests: number
  costPicodollars: bigint
}

export interface PlacedAgent<Of extends Agent> {
  agent: Of
  /** 0: the main agent. */
  depth: number
  /** Of this agent and all that it started, directly or not. */
  withChildren: { agents: number; requests: number; costPicodollars: bigint }
}

/**
 * The agents of a session as a tree, in the order of a depth-first walk; siblings keep their order. Parents are claims
 * of callers: one that is unknown, or that leads back to its own child, counts as the main agent.
 */
export function treeOf<Of extends Agent>(agents: readonly Of[]): PlacedAgent<Of>[] {
  const named = new Map(agents.map((agent) => [agent.agent, agent]))
  const children = new Map<string | null, Of[]>()
  for (const agent of agents) {
    if (agent.agent === null) continue
    const parent = parentOf(agent, named)
    children.set(parent, [...(children.get(parent) ?? []), agent])
  }
  const placed: PlacedAgent<Of>[] = []
  const main = named.get(null)
  if (main !== undefined) placeUnder(main, 0)
  else for (const agent of children.get(null) ?? []) placeUnder(agent, 1)
  return placed

  function placeUnder(agent: Of, depth: number): PlacedAgent<Of>['withChildren'] {
    const own = {
      agent,
      depth,
      withChildren: { agents: 1, requests: agent.requests, costPicodollars: agent.costPicodollars },
    }
    placed.push(own)
    for (const child of children.get(agent.agent) ?? []) {
      const below = placeUnder(child, depth + 1)
      own.withChildren.agents += below.agents
      own.withChildren.requests += below.requests
      own.withChildren.costPicodollars += below.costPicodollars
    }
    return own.withChildren
  }
}

/** Null: the main agent, which is also where a chain of parents ends that never reaches it. */
function parentOf(agent: Agent, named: ReadonlyMap<string | null, Agent>): string | null {
  if (agent.parent === null || !named.has(agent.parent)) return null
  const seen = new Set([agent.agent])
  for (let above: Agent | undefined = agent; above?.parent != null; above = named.get(above.parent)) {
    if (seen.has(above.parent)) return null
    seen.add(above.parent)
  }
  return agent.parent
}
