import { PERIODS } from '../../domain/budgets/budget-period.ts'
import type { Limits } from '../../domain/limits.ts'
import { limitOf } from '../admission.ts'
import { amountOf } from '../amount.ts'
import { places, toList, type Value } from './fields.ts'
import { type Amounts, isIdle, type LeasedCall, type LeasedScope, type Seconds } from './leased-scope.ts'

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
  /** A running call that holds more; missing: a new one. */
  of?: LeasedCall
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

/** The arguments of scripts/sync.ts. */
export function syncArguments(node: string, { process, number, position, isFirst, text }: Message) {
  return {
    node,
    process,
    number_text: String(number),
    position: String(position),
    is_first: isFirst ? '1' : '0',
    message_text: text,
  }
}

const limitLists = new WeakMap<Limits, Value[]>()

/** As the script reads them. Limits are immutable values of the snapshot, so each is listed once. */
function limitList(limits: Limits | null): Value[] | false {
  if (limits === null) return false
  let list = limitLists.get(limits)
  if (list === undefined) {
    const { rpm = 0, tpm = 0, max_parallel: parallel = 0, budget } = limits
    list = toList('limits', {
      rpm,
      tpm,
      parallel,
      period: budget === undefined ? 0 : PERIODS.indexOf(budget.per) + 1,
      is_hard: budget?.mode === 'hard' ? 1 : 0,
      ...places('budget', budget === undefined ? 0n : limitOf(budget)),
    })
    limitLists.set(limits, list)
  }
  return list
}

/** They bind calls alike. */
export function areSame(one: Limits | null, other: Limits | null): boolean {
  return one === other || String(limitList(one)) === String(limitList(other))
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

export function reportList(scope: LeasedScope, { kept, idle, wanted, spent }: ScopeReport): Value[] {
  const { name, limits, inFlight, usual, seconds, counted } = scope
  return toList('report', {
    name,
    limits: limitList(limits),
    ...places('kept', kept.money),
    kept_calls: kept.calls,
    kept_requests: kept.requests,
    kept_tokens: kept.tokens,
    in_flight: inFlight,
    has_idle: isIdle(idle) ? 1 : 0,
    ...places('wanted', wanted.money),
    wanted_calls: wanted.calls,
    wanted_requests: wanted.requests,
    wanted_tokens: wanted.tokens,
    ...places('usual', usual.money),
    usual_tokens: Math.ceil(usual.tokens),
    spent: [...(spent ?? [])].map(([at, cost]) => toList('cost', { at, ...amountOf(cost) })),
    minute: secondLists(seconds),
    ...places('idle', idle.money),
    counted: secondLists(counted),
  })
}

function secondLists(seconds: Seconds): Value[] {
  return [...seconds].map(([at, { requests, tokens }]) => toList('second', { at, requests, tokens }))
}

/** `key` and `workspace`: where their reports are in the message, from 0. */
export function callList({ money, tokens, of }: WaitingCall, key: number, workspace: number): Value[] {
  const held = money === null ? { money: -1, money_rest: 0 } : places('money', money)
  return toList('call', {
    key: key + 1,
    workspace: workspace + 1,
    ...held,
    tokens: tokens ?? -1,
    requests: of === undefined ? 1 : 0,
  })
}

export function leftList({ id, startedAt: at, cost }: LeftCall, key: number, workspace: number): Value[] {
  return toList('left', { id, key: key + 1, workspace: workspace + 1, at, ...places('cost', cost) })
}
