import type { Limits } from '../../domain/limits.ts'
import { limitOf } from '../admission.ts'
import { PERIODS } from '../budget-period.ts'
import type { Reply } from './connection.ts'
import { type Amounts, isIdle, type KnownScope, type LeasedScope, type Seconds } from './leased-scope.ts'
import { amountOf, dollarsAndRest } from './values.ts'

/** A message to the counters (scripts/sync.ts): sent as it is until it is answered. */
export interface Message {
  /** The name under which this process joined before it. */
  process: string
  number: number
  /** Everything up to here in this node's spool is reported. */
  position: number
  isFirst: boolean
  isFull: boolean
  /** What each lease is set to, and what is asked for besides. */
  scopes: { scope: LeasedScope; terms: number; kept: Amounts; wanted: Amounts }[]
  calls: WaitingCall[]
  text: string
}

/** A call for which the lease was not enough. */
export interface WaitingCall {
  key: LeasedScope
  workspace: LeasedScope
  money: bigint | null
  tokens: number | null
  isAsked: boolean
  /** It has not waited for the answer. */
  isLeft: boolean
}

/** A call of an earlier process that has a cost without an end in the spool. */
export interface LeftCall {
  id: string
  key: LeasedScope
  workspace: LeasedScope
  startedAt: number
  cost: bigint
}

const limitTexts = new WeakMap<Limits, string>()

/** As the script reads them. Limits are immutable values of the snapshot, so each is encoded once. */
export function limitText(limits: Limits | null): string {
  if (limits === null) return ''
  let text = limitTexts.get(limits)
  if (text === undefined) {
    const { rpm = 0, tpm = 0, max_parallel: parallel = 0, budget } = limits
    const period = budget === undefined ? 0 : PERIODS.indexOf(budget.per) + 1
    const money = budget === undefined ? ['0', '0'] : dollarsAndRest(limitOf(budget))
    text = [rpm, tpm, parallel, period, budget?.mode === 'hard' ? 1 : 0, ...money].join(' ')
    limitTexts.set(limits, text)
  }
  return text
}

function pair(amount: bigint): number[] {
  return dollarsAndRest(amount).map(Number)
}

export interface ScopeReport {
  /** What the lease is set to. */
  kept: Amounts
  /** So much of it. */
  idle: Amounts
  wanted: Amounts
  /** Without it, what was spent stays in the lease. */
  spent: ReadonlyMap<number, bigint> | null
}

export function scopeEntry(scope: LeasedScope, { kept, idle, wanted, spent }: ScopeReport): unknown[] {
  const { name, limits, inFlight, usual, seconds, counted } = scope
  const listed = (of: Seconds) => [...of].flatMap(([second, { requests, tokens }]) => [second, requests, tokens])
  return [
    name,
    limitText(limits),
    ...pair(kept.money),
    kept.calls,
    kept.requests,
    kept.tokens,
    inFlight,
    isIdle(idle) ? 1 : 0,
    ...pair(wanted.money),
    wanted.calls,
    wanted.requests,
    wanted.tokens,
    ...pair(usual.money),
    Math.ceil(usual.tokens),
    spent === null ? [] : [...spent].flatMap(([day, amount]) => [day, ...pair(amount)]),
    listed(seconds),
    ...pair(idle.money),
    listed(counted),
  ]
}

export function callEntry({ money, tokens }: WaitingCall, key: number, workspace: number): number[] {
  return [key + 1, workspace + 1, ...(money === null ? [-1, 0] : pair(money)), tokens ?? -1]
}

export function leftEntry({ id, startedAt, cost }: LeftCall, key: number, workspace: number): unknown[] {
  return [id, key + 1, workspace + 1, startedAt, ...pair(cost)]
}

export type Outcome =
  | { kind: 'admitted' | 'refused'; views: readonly [unknown, unknown] }
  /** Others have been told to give back what is idle. */
  | { kind: 'ask-again' }

/** The answer to a message. */
export interface Answer {
  /** Unix milliseconds of the server. */
  at: number
  generation: number
  sequence: number
  scopes: { lease: Amounts; known: KnownScope }[]
  outcomes: Outcome[]
  /** Scopes that others wait for. */
  recalled: string[]
}

export function readAnswer(reply: Reply): Answer {
  const [, at, generation, sequence, scopes, outcomes, recalled] = reply as readonly [
    number,
    number,
    number,
    number,
    readonly (readonly number[])[],
    readonly Reply[],
    readonly string[],
  ]
  return {
    at,
    generation,
    sequence,
    scopes: scopes.map(readScope),
    outcomes: outcomes.map(readOutcome),
    recalled: [...recalled],
  }
}

function readScope(figures: readonly number[]) {
  const at = (place: number) => figures[place] ?? 0
  const own = amountOf(at(0), at(1))
  const lease = { money: own, calls: at(2), requests: at(3), tokens: at(4) }
  const byOthers = amountOf(at(7), at(8)) - own
  const idleOfOthers = amountOf(at(14), at(15)) - amountOf(at(12), at(13))
  const known: KnownScope = {
    spent: amountOf(at(5), at(6)),
    heldByOthers: byOthers - idleOfOthers,
    requests: at(9),
    tokens: at(10),
    newestSecond: at(11),
  }
  return { lease, known }
}

function readOutcome([kind, key, workspace]: Reply): Outcome {
  if (kind === 3) return { kind: 'ask-again' }
  return { kind: kind === 1 ? 'admitted' : 'refused', views: [key, workspace] }
}
