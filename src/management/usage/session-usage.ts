import type { z } from 'zod'
import { GatewayError } from '../../domain/errors.ts'
import { asPicodollars, exactUsd, signedUsd } from '../../domain/pricing/price.ts'
import { type PlacedAgent, treeOf } from '../../domain/sessions/session-tree.ts'
import { type AgentSums, readSessionAgents } from '../../request-log/usage/session-agents.ts'
import { timestamp } from '../contract/fields.ts'
import type { usageOperations } from '../contract/usage.ts'
import type { ManagementDeps } from '../deps.ts'
import { rangeOf, untilCaughtUp } from '../requests/request-filters.ts'
import { keyNames } from './key-names.ts'
import { NOT_SHOWN, readSessionBudgets, type SessionBudgets } from './session-budgets.ts'

type Operation = (typeof usageOperations)['usage.session']
const DEFAULT_MS = 31 * 86_400_000

export async function sessionReply(
  deps: ManagementDeps,
  session: string,
  query: z.output<Operation['query']> & { user?: string | undefined },
  now: number,
): Promise<z.input<Operation['reply']>> {
  await untilCaughtUp(deps)
  const { workspace, key = null, user = null } = query
  const from = rangeOf(query).from ?? now - DEFAULT_MS
  const { agents, isCut } = await readSessionAgents(deps.reads, { workspace, session, keyId: key, user, from })
  if (agents.length === 0) {
    throw new GatewayError(
      'not_found',
      `No call of the session '${session}' is in the log of the workspace '${workspace}'.`,
    )
  }
  const keyIds = [...new Set(agents.flatMap(({ keyIds }) => keyIds))]
  const names = await keyNames(deps, { ids: keyIds })
  // Counted by key: of one user alone they do not say anything.
  const budgets = user === null ? await readSessionBudgets(deps, session, agents) : NOT_SHOWN
  return {
    workspace,
    session,
    keys: keyIds.map((id) => ({ id, name: names.get(id) ?? null })),
    running: sum(agents, ({ running }) => running),
    requests: sum(agents, ({ requests }) => requests),
    cost_usd: usd(agents.reduce((sum, { costPicodollars }) => sum + costPicodollars, 0n)),
    budgets: budgets.session,
    first_at: timestamp(Math.min(...agents.map(({ firstAt }) => firstAt))),
    last_at: timestamp(Math.max(...agents.map(({ lastAt }) => lastAt))),
    agents: treeOf(agents).map((placed) => agentView(placed, budgets)),
    is_cut: isCut,
  }
}

function agentView({ agent, depth, withChildren }: PlacedAgent<AgentSums>, budgets: SessionBudgets) {
  return {
    agent: agent.agent,
    parent: agent.parent,
    depth,
    kinds: agent.kinds,
    models: agent.models,
    requests: agent.requests,
    running: agent.running,
    errors: agent.errors,
    prompt_tokens: Number(agent.promptTokens),
    completion_tokens: Number(agent.completionTokens),
    cached_tokens: Number(agent.cachedTokens),
    cache_write_tokens: Number(agent.cacheWriteTokens),
    prompt_cache_saved_usd: signedUsd(agent.promptCacheSaved),
    cost_usd: usd(agent.costPicodollars),
    unconfirmed_counted_usd: usd(agent.unconfirmedPicodollars),
    cut_streams: agent.cutStreams,
    cut_usd: usd(agent.cutPicodollars),
    unpriced_requests: agent.unpriced,
    busy_ms: Number(agent.busyMs),
    first_at: timestamp(agent.firstAt),
    last_at: timestamp(agent.lastAt),
    with_children: {
      agents: withChildren.agents,
      requests: withChildren.requests,
      cost_usd: usd(withChildren.costPicodollars),
    },
    budgets: budgets.ofAgent(agent.agent),
  }
}

const usd = (picodollars: bigint) => exactUsd(asPicodollars(picodollars))
const sum = (agents: readonly AgentSums[], of: (agent: AgentSums) => number) =>
  agents.reduce((sum, agent) => sum + of(agent), 0)
