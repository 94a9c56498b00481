import { NO_ATTRIBUTION } from '../../domain/attribution.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import { raisesOf, valueBudgetsOf } from '../../limits/each/each-budgets.ts'
import type { ValueBudget } from '../../limits/each/value-budget.ts'
import { payerOf } from '../../limits/payer.ts'
import type { AgentSums } from '../../request-log/usage/session-agents.ts'
import type { ManagementDeps } from '../deps.ts'
import { type BudgetUse, toBudgetUse } from './budget-use.ts'

export interface SessionBudget extends BudgetUse {
  scope: 'workspace' | 'key'
  key_id: string
  per: ValueBudget['budget']['per']
  mode: ValueBudget['budget']['mode']
}

export interface SessionBudgets {
  session: SessionBudget[]
  ofAgent(agent: string | null): SessionBudget[]
}

export const NOT_SHOWN: SessionBudgets = { session: [], ofAgent: () => [] }

/** How the budgets for each session and each agent stand for this one and its agents. */
export async function readSessionBudgets(
  { snapshot, ledger }: Pick<ManagementDeps, 'snapshot' | 'ledger'>,
  session: string,
  agents: readonly AgentSums[],
): Promise<SessionBudgets> {
  const present = snapshot()
  const keyIds = [...new Set(agents.flatMap((each) => each.keyIds))]
  const asked: { agent: string | null; budget: ValueBudget }[] = keyIds.flatMap((keyId) =>
    budgetsOf(present, keyId, session, null).map((budget) => ({ agent: null, budget })),
  )
  for (const { agent, places } of agents) {
    if (agent === null) continue
    for (const { keyId, session: of } of places) {
      asked.push(...budgetsOf(present, keyId, of, agent).map((budget) => ({ agent, budget })))
    }
  }
  const states = await ledger.lookAt(asked.map(({ budget }) => budget))
  const found = new Map<string | null, SessionBudget[]>()
  for (const [place, { agent, budget }] of asked.entries()) {
    const state = states[place]
    if (state === undefined) continue
    const { owner, scope, budget: stated } = budget
    const shown: SessionBudget = {
      scope: owner.kind,
      key_id: scope.keyId,
      per: stated.per,
      mode: stated.mode,
      ...toBudgetUse(state),
    }
    found.set(agent, [...(found.get(agent) ?? []), shown])
  }
  return { session: found.get(null) ?? [], ofAgent: (agent) => (agent === null ? [] : (found.get(agent) ?? [])) }
}

/** For each session where no agent is given, otherwise for each agent. */
function budgetsOf(snapshot: Snapshot, keyId: string, session: string, agent: string | null): ValueBudget[] {
  const key = snapshot.keys.get(keyId)
  if (key === undefined || key.workspace === null) return []
  const payer = payerOf({ ...key, workspace: key.workspace }, snapshot, { ...NO_ATTRIBUTION, session, agent })
  const kind = agent === null ? 'session' : 'agent'
  return valueBudgetsOf(
    payer,
    [],
    raisesOf(() => snapshot),
  ).filter(({ scope }) => scope.kind === kind)
}
