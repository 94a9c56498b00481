import { type PERIODS, periodBounds } from '../../domain/budgets/budget-period.ts'
import type { Limits } from '../../domain/limits.ts'
import { asPicodollars } from '../../domain/pricing/price.ts'
import { isNear, limitOf, type Verdict } from '../admission.ts'
import { moneyOf } from '../amount.ts'
import type { NodeLease, Scope, ScopeStatus } from '../ledger.ts'
import type { Payer } from '../spend-ledger.ts'
import type { Answer } from './connection.ts'
import { figuresOf, type Value, valuesOf } from './fields.ts'
import type { Amounts, KnownScope } from './leased-scope.ts'
import { scopeOf } from './scope-name.ts'
import type { SYNC } from './scripts/sync.ts'

export type Outcome =
  | { kind: 'admitted' | 'refused'; views: Views }
  /** Other nodes were asked to return idle leases: retry. */
  | { kind: 'ask-again' }

/** State of the call's key and workspace at the decision. */
export type Views = readonly [key: Value, workspace: Value]

/** The answer to a message. */
export interface SyncAnswer {
  /** Unix milliseconds of the server. */
  at: number
  generation: number
  sequence: number
  scopes: { lease: Amounts; known: KnownScope }[]
  outcomes: Outcome[]
  /** Scopes that others wait for. */
  recalled: string[]
}

export function readSync(answer: Answer<(typeof SYNC)['answers'][number]>): SyncAnswer {
  return {
    at: Number(answer.at),
    generation: Number(answer.generation),
    sequence: Number(answer.sequence),
    scopes: listOf(answer.states).map(readState),
    outcomes: listOf(answer.outcomes).map(readOutcome),
    recalled: listOf(answer.recalled).map(String),
  }
}

export function listOf(value: Value | undefined): readonly Value[] {
  return (value ?? []) as readonly Value[]
}

function readState(value: Value): SyncAnswer['scopes'][number] {
  const state = figuresOf('state', value)
  const own = moneyOf(state.money, state.money_rest)
  const lease = { money: own, calls: state.calls, requests: state.requests, tokens: state.tokens }
  const byOthers = moneyOf(state.leased, state.leased_rest) - own
  const idleOfOthers = moneyOf(state.all_idle, state.all_idle_rest) - moneyOf(state.idle, state.idle_rest)
  const known: KnownScope = {
    spent: moneyOf(state.spent, state.spent_rest),
    heldByOthers: byOthers - idleOfOthers,
    requests: state.minute_requests,
    tokens: state.minute_tokens,
    newestSecond: state.newest_second,
  }
  return { lease, known }
}

function readOutcome(value: Value): Outcome {
  const { kind, key, workspace } = valuesOf('outcome', value)
  if (kind === 'ask-again') return { kind }
  return { kind: kind === 'admitted' ? kind : 'refused', views: [key, workspace] }
}

const FITS = -2
const NEVER = -1

/** Of the scopes of a call that have limits (scripts/judge.ts). */
export function verdictsOf({ key, workspace }: Payer, views: Views): Verdict[] {
  const verdicts: Verdict[] = []
  if (key.limits !== null && views[0] !== 0) verdicts.push(verdictOf({ kind: 'key', id: key.id }, key.limits, views[0]))
  if (workspace.limits !== null && views[1] !== 0)
    verdicts.push(verdictOf({ kind: 'workspace', id: workspace.name }, workspace.limits, views[1]))
  return verdicts
}

function verdictOf(scope: Scope, limits: Limits, value: Value): Verdict {
  const view = figuresOf('view', value)
  const limit = limits.budget === undefined ? 0n : limitOf(limits.budget)
  const wait = (ms: number) => (ms === FITS ? null : { waitMs: ms === NEVER ? null : ms })
  return {
    scope,
    limits,
    spent: moneyOf(view.spent, view.spent_rest),
    held: moneyOf(view.held, view.held_rest),
    requests: view.requests,
    tokens: view.tokens,
    inFlight: view.in_flight,
    isOverBudget: view.is_over_budget === 1,
    isNear: isNear(limits, moneyOf(view.spent, view.spent_rest) + moneyOf(view.held, view.held_rest), limit),
    overRpm: wait(view.rpm_wait),
    overTpm: wait(view.tpm_wait),
    isOverParallel: view.is_over_parallel === 1,
  }
}

/** A scope as the server keeps it. */
export function statusOf(scope: Scope, packed: Value): ScopeStatus {
  const kept = figuresOf('scope', packed)
  const idle = moneyOf(kept.idle, kept.idle_rest)
  const held = asPicodollars(moneyOf(kept.leased, kept.leased_rest) - idle)
  const period = (per: (typeof PERIODS)[number]) => ({
    ...periodBounds(per, kept[`${per}_began`]),
    spent: moneyOf(kept[`${per}_spent`], kept[`${per}_spent_rest`]),
    held,
  })
  return {
    scope,
    requestsLastMinute: kept.requests,
    tokensLastMinute: kept.tokens,
    inFlight: kept.in_flight,
    changes: kept.changes,
    idle,
    periods: { day: period('day'), week: period('week'), month: period('month'), total: period('total') },
  }
}

export function leaseOf(value: Value): NodeLease {
  const { node, scopes } = valuesOf('leased_node', value)
  return {
    node: String(node),
    scopes: listOf(scopes).map((each) => {
      const { name, money, money_rest: rest } = valuesOf('leased_scope', each)
      return { scope: scopeOf(String(name)), picodollars: moneyOf(Number(money), Number(rest)) }
    }),
  }
}
