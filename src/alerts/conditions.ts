import type { Condition, Severity } from '../domain/alerts/alert.ts'
import type { Drift } from '../domain/alerts/drift.ts'
import type { AlertRules } from '../domain/alerts/rules.ts'
import type { GatewayStatus } from '../domain/gateway-status.ts'
import { asPicodollars, exactUsd } from '../domain/pricing/price.ts'
import { type BudgetUse, usedPercent } from './budget-use.ts'
import type { StatedRow } from './stated.ts'
import { dailyLevels, errorLevels, type Level, latencyLevels, type TrafficRow, usualLevel } from './traffic.ts'

const MINUTE_MS = 60_000
const AT_ONCE = { forMs: 0, isOnce: false, supersedes: [] }

/** The highest threshold that a budget has reached; with every new period, and every new limit, it begins again. */
export function budgetConditions(
  uses: readonly BudgetUse[],
  refusing: ReadonlySet<BudgetUse>,
  { enabled, thresholds }: AlertRules['budget'],
): Condition[] {
  if (!enabled) return []
  return uses.flatMap((use) => {
    const isRefusing = refusing.has(use)
    const percent = isRefusing ? Math.max(100, usedPercent(use)) : usedPercent(use)
    const { warnAt, value } = use
    const own = warnAt === undefined ? [] : [warnAt]
    const all = value === undefined ? [...new Set([...thresholds, ...own])] : own
    const reached = all.filter((threshold) => percent >= threshold).toSorted((a, b) => b - a)
    const [highest, ...lower] = reached
    if (highest === undefined) return []
    const identity = (threshold: number) =>
      `budget ${use.scope.kind} ${use.scope.id} ${value === undefined ? '' : `${use.name} ${value} `}${use.per} ${use.startsAt} ${use.limit} ${threshold}`
    return {
      ...AT_ONCE,
      identity: identity(highest),
      rule: 'budget',
      severity: budgetSeverity(highest),
      subject: use.scope.kind === 'key' ? `key ${use.name}` : `workspace ${use.name}`,
      workspace: use.workspace,
      summary: budgetWords(use, highest, isRefusing),
      holdMs: 0,
      isOnce: true,
      supersedes: lower.map(identity),
    }
  })
}

function budgetSeverity(threshold: number): Severity {
  if (threshold >= 100) return 'critical'
  return threshold >= 80 ? 'warning' : 'info'
}

function budgetWords(use: BudgetUse, threshold: number, isRefusing: boolean): string {
  const { scope, name, workspace, per, spent, limit, value } = use
  const whole = scope.kind === 'key' ? `The key ${name} in ${workspace}` : `The workspace ${name}`
  const who =
    value === undefined ? whole : `${value.replace(/^./, (first) => first.toUpperCase())} of ${name} in ${workspace}`
  const period = per === 'total' ? 'in total' : per === 'day' ? 'today' : `this ${per}`
  const [used, most] = [spent, limit].map((amount) => dollars(amount))
  const sums = `$${used} of $${most}`
  if (isRefusing) return `${who} has spent ${sums} ${period}: calls are being refused: too little budget is left`
  return `${who} has spent ${threshold} % of its budget: ${sums} ${period}`
}

const CENT = 10_000_000_000n

/** Whole cents, and every digit of what is less than one. */
function dollars(picodollars: bigint): string {
  if (picodollars > 0n && picodollars < CENT) return exactUsd(asPicodollars(picodollars))
  const cents = picodollars / CENT
  return `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`
}

export function circuitConditions(
  providers: GatewayStatus['providers'],
  { enabled, seconds }: AlertRules['circuit_open'],
): Condition[] {
  if (!enabled) return []
  return providers.flatMap(({ name, circuits }) =>
    circuits
      .filter(({ state }) => state === 'open')
      .map(({ model }) => ({
        ...AT_ONCE,
        identity: `circuit_open ${name} ${model}`,
        rule: 'circuit_open',
        severity: 'warning',
        subject: `${name} ${model}`,
        workspace: null,
        summary: `${name} ${model} keeps failing and is skipped where another entry can serve`,
        forMs: 1000 * seconds,
        // Half open it is tried again, and opens again when that fails.
        holdMs: 2 * MINUTE_MS,
      })),
  )
}

const ACCOUNT_WORDS: Readonly<Record<string, string>> = {
  provider_auth_error: 'rejects the key',
  provider_quota_exceeded: 'says that the account has no credit left',
}

/** As long as nothing has succeeded since. */
export function accountConditions(
  providers: GatewayStatus['providers'],
  { enabled }: AlertRules['provider_account'],
): Condition[] {
  if (!enabled) return []
  return providers.flatMap(({ name, health }) => {
    const { lastError, lastSuccessAt } = health
    const words = lastError === null ? undefined : ACCOUNT_WORDS[lastError.code]
    if (lastError === null || words === undefined || (lastSuccessAt ?? 0) > lastError.at) return []
    return {
      ...AT_ONCE,
      identity: `provider_account ${name} ${lastError.code}`,
      rule: 'provider_account',
      severity: 'critical',
      subject: name,
      workspace: null,
      summary: `${name} ${words}`,
      holdMs: 5 * MINUTE_MS,
    }
  })
}

export function errorRateConditions(
  recent: readonly TrafficRow[],
  days: readonly TrafficRow[],
  { enabled, percent, factor, calls }: AlertRules['error_rate'],
): Condition[] {
  if (!enabled) return []
  const usual = dailyLevels(days, errorLevels)
  return enough(recent, errorLevels, calls).flatMap(({ names, value, calls: made }) => {
    const [workspace, route] = names
    const normal = usualLevel(usual.get(JSON.stringify(names)) ?? [], calls) ?? 0
    if (value < percent / 100 || value < factor * normal) return []
    const subject = route === '' ? 'direct calls' : `route ${route}`
    return {
      ...AT_ONCE,
      identity: `error_rate ${workspace} ${route}`,
      rule: 'error_rate',
      severity: 'critical',
      subject,
      workspace,
      summary: `${share(value)} of ${made} calls (${subject}, ${workspace}) failed within ten minutes; usual: ${share(normal)}`,
      holdMs: 5 * MINUTE_MS,
    }
  })
}

/** Without a past nothing is usual, so nothing is judged. */
export function latencyConditions(
  recent: readonly TrafficRow[],
  days: readonly TrafficRow[],
  { enabled, factor, calls }: AlertRules['latency'],
): Condition[] {
  if (!enabled) return []
  const usual = dailyLevels(days, latencyLevels)
  return enough(recent, latencyLevels, calls).flatMap(({ names, value }) => {
    const normal = usualLevel(usual.get(JSON.stringify(names)) ?? [], calls)
    if (normal === null || value < factor * normal) return []
    const subject = names.join(' ')
    return {
      ...AT_ONCE,
      identity: `latency ${subject}`,
      rule: 'latency',
      severity: 'warning',
      subject,
      workspace: null,
      summary: `${subject} is slow: 95 % of answers within ${secondsOf(value)} s; usual: ${secondsOf(normal)} s`,
      holdMs: 5 * MINUTE_MS,
    }
  })
}

function enough(rows: readonly TrafficRow[], levels: (rows: readonly TrafficRow[]) => Level[], calls: number): Level[] {
  return levels(rows).filter((level) => level.calls >= calls)
}

export function backlogConditions(
  node: { id: string; name: string; lagSeconds: number; lagRows: number },
  { enabled, seconds }: AlertRules['log_backlog'],
): Condition[] {
  if (!enabled || node.lagSeconds < seconds) return []
  return [
    {
      ...AT_ONCE,
      identity: `log_backlog ${node.id}`,
      rule: 'log_backlog',
      severity: 'critical',
      subject: node.name,
      workspace: null,
      summary: `${node.name} is ${Math.round(node.lagSeconds)} s behind with the request log (${node.lagRows} rows)`,
      holdMs: MINUTE_MS,
    },
  ]
}

/** Of the sums of this hour and the one before. */
export function unpricedConditions(rows: readonly TrafficRow[], { enabled }: AlertRules['unpriced']): Condition[] {
  if (!enabled) return []
  const unpriced = rows.filter((row) => row.unpriced > 0)
  return [...new Set(unpriced.map(({ provider, model }) => `${provider} ${model}`))].map((subject) => ({
    ...AT_ONCE,
    identity: `unpriced ${subject}`,
    rule: 'unpriced',
    severity: 'warning',
    subject,
    workspace: null,
    summary: `${subject} has no price: its calls are logged without a cost`,
    holdMs: 60 * MINUTE_MS,
  }))
}

/** The newest call of each model is the example: its page shows both amounts. */
export function statedConditions(rows: readonly StatedRow[], { enabled }: AlertRules['stated_cost']): Condition[] {
  if (!enabled) return []
  const newest = new Map<string, StatedRow>()
  for (const row of rows) {
    const subject = `${row.provider} ${row.model}`
    if (!newest.has(subject)) newest.set(subject, row)
  }
  return [...newest].map(([subject, { id, cost, stated }]) => ({
    ...AT_ONCE,
    identity: `stated_cost ${subject}`,
    rule: 'stated_cost',
    severity: 'warning',
    subject,
    workspace: null,
    summary: `${subject} states another cost than ours: $${exactUsd(asPicodollars(stated))} instead of $${exactUsd(asPicodollars(cost))} for request ${id}`,
    holdMs: 60 * MINUTE_MS,
  }))
}

/** An unexplained rest above the amount, or from a cent on above the share of what the larger side has. */
export function driftConditions(
  drifts: readonly Drift[],
  { enabled, usd, percent }: AlertRules['reconciliation_drift'],
): Condition[] {
  if (!enabled) return []
  const most = BigInt(Math.round(usd * 1_000_000)) * 1_000_000n
  return drifts.flatMap(({ provider, period, model, ours, theirs, unexplained }) => {
    const [rest, larger] = [size(unexplained), size(theirs) > size(ours) ? size(theirs) : size(ours)]
    const isShare = rest >= CENT && rest * 100n > larger * BigInt(percent)
    if (rest <= most && !isShare) return []
    const subject = [provider, period, ...(model === null ? [] : [model])].join(' ')
    const text = `$${exactUsd(asPicodollars(rest))} ${unexplained > 0n ? 'more' : 'less'} than booked`
    return {
      ...AT_ONCE,
      identity: `reconciliation_drift ${subject}`,
      rule: 'reconciliation_drift',
      severity: 'warning',
      subject,
      workspace: null,
      summary: `${provider} bills ${text} for ${model ?? 'lines of no model'} on ${period}, and no cause explains it: switchyard reconcile --month ${period.slice(0, 7)}`,
      holdMs: 60 * MINUTE_MS,
    }
  })
}

function size(amount: bigint): bigint {
  return amount < 0n ? -amount : amount
}

function share(value: number): string {
  return `${Math.round(1000 * value) / 10} %`
}

function secondsOf(milliseconds: number): number {
  return Math.round(milliseconds / 100) / 10
}
