import type { Condition } from '../domain/alerts/alert.ts'
import type { Drift } from '../domain/alerts/drift.ts'
import { type OwnRule, rulesOfOwn } from '../domain/alerts/own-rules.ts'
import type { AlertRules } from '../domain/alerts/rules.ts'
import type { GatewayStatus } from '../domain/gateway-status.ts'
import type { BudgetUse } from './budget-use.ts'
import {
  accountConditions,
  backlogConditions,
  budgetConditions,
  circuitConditions,
  driftConditions,
  errorRateConditions,
  latencyConditions,
  statedConditions,
  unpricedConditions,
} from './conditions.ts'
import { type LoopRow, loopConditions } from './loops.ts'
import { promptCacheConditions } from './prompt-cache.ts'
import type { StatedRow } from './stated.ts'
import type { TrafficRow } from './traffic.ts'

/** What one check has read. */
export interface Facts {
  uses: readonly BudgetUse[]
  /** Those of them that refuse calls. */
  refusing: ReadonlySet<BudgetUse>
  providers: GatewayStatus['providers']
  /** The last ten minutes, the days before today, and the last two hours. */
  recent: readonly TrafficRow[]
  days: readonly TrafficRow[]
  hours: readonly TrafficRow[]
  /** Calls whose provider states another cost, newest first. */
  stated: readonly StatedRow[]
  /** Calls of sessions that look like a loop, newest first. */
  loops: readonly LoopRow[]
  /** What no cause explains of providers' settled reports. */
  drifts: readonly Drift[]
  node: { id: string; name: string; lagSeconds: number; lagRows: number }
}

/** Everything that is true now, by the built-in rules and by your own. */
export function judge(facts: Facts, rules: AlertRules, own: readonly OwnRule[]): Condition[] {
  return [...judged(facts, rules), ...own.flatMap((rule) => judgedByOwn(facts, rule))]
}

function judged(
  { uses, refusing, providers, recent, days, hours, stated, loops, drifts, node }: Facts,
  rules: AlertRules,
): Condition[] {
  return [
    ...budgetConditions(uses, refusing, rules.budget),
    ...circuitConditions(providers, rules.circuit_open),
    ...accountConditions(providers, rules.provider_account),
    ...errorRateConditions(recent, days, rules.error_rate),
    ...latencyConditions(recent, days, rules.latency),
    ...backlogConditions(node, rules.log_backlog),
    ...unpricedConditions(hours, rules.unpriced),
    ...statedConditions(stated, rules.stated_cost),
    ...driftConditions(drifts, rules.reconciliation_drift),
    ...loopConditions(loops, rules.loop),
    ...promptCacheConditions(hours, days, rules.prompt_cache),
  ]
}

/** Its own identities, so that two rules of a kind raise two alerts. */
function judgedByOwn(facts: Facts, rule: OwnRule): Condition[] {
  const identity = (text: string) => `own:${rule.name} ${text}`
  return judged(limited(facts, rule), rulesOfOwn(rule)).map((condition) => ({
    ...condition,
    identity: identity(condition.identity),
    supersedes: condition.supersedes.map(identity),
    summary: `${rule.name}: ${condition.summary}`,
  }))
}

function limited(facts: Facts, { workspace, key, route, provider }: OwnRule): Facts {
  const fits = (wanted: string | null, value: string) => wanted === null || wanted === value
  const ofTraffic = (row: TrafficRow) =>
    fits(workspace, row.workspace) && fits(route, row.route) && fits(provider, row.provider)
  return {
    ...facts,
    uses: facts.uses.filter(
      (use) => fits(workspace, use.workspace) && (key === null || (use.scope.kind === 'key' && use.name === key)),
    ),
    providers: facts.providers.filter(({ name }) => fits(provider, name)),
    recent: facts.recent.filter(ofTraffic),
    days: facts.days.filter(ofTraffic),
    hours: facts.hours.filter(ofTraffic),
    stated: facts.stated.filter((row) => fits(workspace, row.workspace) && fits(provider, row.provider)),
    loops: facts.loops.filter((row) => fits(workspace, row.workspace)),
    drifts: facts.drifts.filter((each) => fits(provider, each.provider)),
  }
}
