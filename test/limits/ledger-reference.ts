import assert from 'node:assert/strict'
import { PERIODS, type Period } from '../../src/domain/budgets/budget-period.ts'
import type { Limits } from '../../src/domain/limits.ts'
import { asPicodollars } from '../../src/domain/pricing/price.ts'
import type { BudgetState, HeldCall, Refusal } from '../../src/limits/admission.ts'
import type { LoggedScope, Scope } from '../../src/limits/ledger.ts'
import type { SlotLedger } from '../../src/limits/slots/slot-ledger.ts'
import type { Payer, RateAllowance } from '../../src/limits/spend-ledger.ts'
import { type OpenLedger, openLedger } from './open-slots.ts'

/** The reference: a list of calls. Every figure is summed from it each time, without counters. */
interface Call {
  key: string
  workspace: string
  at: number
  hold: bigint | null
  tokens: number
  state: 'open' | 'closed'
  cost: bigint
  used: number
  held: HeldCall
}

export const KEYS: Record<string, string> = { a: 'first', b: 'first', c: 'second' }
export const SCOPES: Scope[] = [
  ...Object.keys(KEYS).map((id): Scope => ({ kind: 'key', id })),
  { kind: 'workspace', id: 'first' },
  { kind: 'workspace', id: 'second' },
]
const START = Date.UTC(2026, 1, 26, 23, 58, 30)
export const DAY = 86_400_000

export class Reference {
  now = START
  clock = START
  calls: Call[] = []
  limits = new Map<string, Limits | null>()
  ledger: SlotLedger
  readonly open: OpenLedger

  /** `open`: how the ledger is made that is compared with this. */
  constructor(open: OpenLedger = openLedger) {
    this.open = open
    this.ledger = open(() => this.clock, [])
  }

  limitsOf({ kind, id }: Scope): Limits | null {
    return this.limits.get(`${kind} ${id}`) ?? null
  }

  of({ kind, id }: Scope): Call[] {
    return this.calls.filter((call) => (kind === 'key' ? call.key === id : call.workspace === id))
  }

  recent(scope: Scope): Call[] {
    return this.of(scope).filter((call) => Math.floor(call.at / 1000) >= Math.floor(this.now / 1000) - 60)
  }

  tokens(scope: Scope): number {
    return sum(this.recent(scope).map((call) => (call.state === 'open' ? call.tokens : call.used)))
  }

  money(scope: Scope, period: Period): { spent: bigint; held: bigint } {
    const calls = this.of(scope).filter((call) => sameUtcPeriod(period, call.at, this.now))
    return {
      spent: total(calls.filter((call) => call.state === 'closed').map((call) => call.cost)),
      held: total(calls.filter((call) => call.state === 'open').map((call) => call.hold ?? 0n)),
    }
  }

  /** What a scope objects to: refusals in the order of their kinds, and the soft budget that is exceeded. */
  objections(scope: Scope, hold: bigint | null, tokens: number | null) {
    const { rpm, tpm, max_parallel: parallel, budget } = this.limitsOf(scope) ?? {}
    const refusals: Refusal[] = []
    const warnings: BudgetState[] = []
    const state = budget === undefined ? null : this.budget(scope, budget)
    if (budget !== undefined && state !== null) {
      const left = state.limit - state.spent - state.held
      if (budget.mode === 'soft' && (hold ?? 1n) > left) warnings.push(state)
      if (budget.mode === 'hard' && hold !== 0n && (hold === null || hold > left))
        refusals.push({ kind: 'budget', ...state })
    }
    const [requests, used] = [this.recent(scope).length, this.tokens(scope)]
    const inFlight = this.of(scope).filter((call) => call.state === 'open').length
    if (rpm !== undefined && requests >= rpm) {
      const waitMs = this.waitMs(scope, 'requests', rpm - 1)
      refusals.push({ kind: 'rpm', scope, limit: rpm, used: requests, needed: 1, waitMs })
    }
    if (tpm !== undefined && tokens !== 0 && (tokens === null || used + tokens > tpm)) {
      const waitMs = tokens === null ? null : this.waitMs(scope, 'tokens', tpm - tokens)
      refusals.push({ kind: 'tpm', scope, limit: tpm, used, needed: tokens, waitMs })
    }
    if (parallel !== undefined && inFlight >= parallel)
      refusals.push({ kind: 'max_parallel', scope, limit: parallel, used: inFlight, needed: 1, waitMs: 0 })
    return { refusals, warnings }
  }

  budget(scope: Scope, budget: NonNullable<Limits['budget']>): BudgetState {
    const { usd, per } = budget
    const { spent, held } = this.money(scope, per)
    const limit = asPicodollars(BigInt(Number(usd) * 1e12))
    return {
      scope,
      per,
      limit,
      spent: asPicodollars(spent),
      held: asPicodollars(held),
      resetsAt: this.resetsAt(per),
      budget,
    }
  }

  /** The first midnight that belongs to another period. */
  resetsAt(period: Period): number | null {
    if (period === 'total') return null
    let midnight = Date.parse(`${new Date(this.now).toISOString().slice(0, 10)}T00:00:00Z`)
    while (sameUtcPeriod(period, midnight, this.now)) midnight += DAY
    return midnight
  }

  /** What the calls of the last minute count, by the moment at which they leave it. */
  leaving(scope: Scope, kind: 'requests' | 'tokens'): { at: number; amount: number }[] {
    return this.recent(scope)
      .map((call) => ({
        at: (Math.floor(call.at / 1000) + 61) * 1000,
        amount: kind === 'requests' ? 1 : call.state === 'open' ? call.tokens : call.used,
      }))
      .sort((a, b) => a.at - b.at)
  }

  waitMs(scope: Scope, kind: 'requests' | 'tokens', most: number): number | null {
    if (most < 0) return null
    const leaving = this.leaving(scope, kind)
    const leftAt = (at: number) => sum(leaving.filter((call) => call.at > at).map((call) => call.amount))
    return ([this.now, ...leaving.map(({ at }) => at)].find((at) => leftAt(at) <= most) ?? 0) - this.now
  }

  allowance(scopes: readonly Scope[], kind: 'requests' | 'tokens'): RateAllowance | null {
    const each = scopes.flatMap((scope): RateAllowance[] => {
      const limit = this.limitsOf(scope)?.[kind === 'requests' ? 'rpm' : 'tpm']
      if (limit === undefined) return []
      const counted = this.leaving(scope, kind).filter(({ amount }) => amount > 0)
      const remaining = Math.max(0, limit - sum(counted.map(({ amount }) => amount)))
      return [{ limit, remaining, resetMs: (counted.at(-1)?.at ?? this.now) - this.now }]
    })
    return each.sort((a, b) => a.remaining - b.remaining)[0] ?? null
  }

  logged(): LoggedScope[] {
    return SCOPES.map((scope) => {
      const money = (part: 'spent' | 'held') => {
        const of = (period: Period) => asPicodollars(this.money(scope, period)[part])
        return { day: of('day'), week: of('week'), month: of('month'), total: of('total') }
      }
      const open = this.of(scope).filter((call) => call.state === 'open')
      const recent = this.recent(scope).sort((a, b) => a.at - b.at)
      const tokens = (call: Call) => (call.state === 'open' ? call.tokens : call.used)
      return {
        scope,
        spent: money('spent'),
        held: money('held'),
        seconds: [...Map.groupBy(recent, (call) => Math.floor(call.at / 1000))].map(([second, calls]) => ({
          second,
          requests: calls.length,
          tokens: sum(calls.map(tokens)),
        })),
        inFlight: open.length,
      }
    })
  }
}

const sum = (values: number[]) => values.reduce((a, b) => a + b, 0)
const total = (values: bigint[]) => values.reduce((a, b) => a + b, 0n)

/** By the names of the days, not by arithmetic: a second opinion on calendars. */
export function sameUtcPeriod(period: Period, a: number, b: number): boolean {
  const day = (at: number) => new Date(at).toISOString().slice(0, 10)
  switch (period) {
    case 'day':
      return day(a) === day(b)
    case 'week': {
      const monday = (at: number) => day(at - ((new Date(at).getUTCDay() + 6) % 7) * DAY)
      return monday(a) === monday(b)
    }
    case 'month':
      return day(a).slice(0, 7) === day(b).slice(0, 7)
    case 'total':
      return true
  }
}

export type Step =
  | { do: 'admit'; key: string; hold: bigint | null; tokens: number | null }
  | { do: 'settle'; index: number; percent: number; usedPercent: number }
  | { do: 'release'; index: number }
  | { do: 'limit'; scope: Scope; limits: Limits | null }
  | { do: 'pass'; ms: number }
  | { do: 'crash' }

export function take(model: Reference, step: Step): void {
  switch (step.do) {
    case 'admit':
      admit(model, step)
      return
    case 'settle': {
      const call = model.calls[step.index % Math.max(1, model.calls.length)]
      if (call === undefined) return
      const cost = ((call.hold ?? 0n) * BigInt(step.percent)) / 100n
      const used = Math.floor((call.tokens * step.usedPercent) / 100)
      const first = model.ledger.settle(call.held, { picodollars: asPicodollars(cost), tokens: used })
      assert.equal(first, call.state === 'open', 'a call is settled exactly once')
      if (first) Object.assign(call, { state: 'closed', cost, used })
      return
    }
    case 'release': {
      const call = model.calls[step.index % Math.max(1, model.calls.length)]
      if (call === undefined) return
      if (model.ledger.release(call.held)) model.calls.splice(model.calls.indexOf(call), 1)
      return
    }
    case 'limit':
      model.limits.set(`${step.scope.kind} ${step.scope.id}`, step.limits)
      return
    case 'pass':
      model.clock += step.ms
      // The ledger never goes back behind a time it was asked at: a clock that steps back unseen is no difference.
      model.now = model.ledger.now()
      assert.ok(model.now >= model.clock)
      return
    case 'crash': {
      // The next process finds the open rows and closes them as interrupted: they cost nothing.
      for (const call of model.calls) {
        if (call.state === 'open') Object.assign(call, { state: 'closed', cost: 0n, used: 0 })
        call.held.settled = true
      }
      model.clock = model.now
      model.ledger = model.open(() => model.clock, model.logged())
    }
  }
}

function admit(model: Reference, { key, hold, tokens }: Extract<Step, { do: 'admit' }>): void {
  const workspace = KEYS[key] ?? ''
  const scopes = scopesOf(key)
  const payer = payerOf(model, key)
  const decision = model.ledger.admit(
    payer,
    { picodollars: hold === null ? null : asPicodollars(hold), tokens },
    `call-${model.calls.length}`,
  )
  const objections = scopes.map((scope) => model.objections(scope, hold, tokens))
  const refusals = objections.flatMap((each) => each.refusals)
  if (decision.kind !== 'admitted') {
    assert.deepEqual(decision, { kind: 'refused', refusal: worstOf(refusals) })
    return
  }
  assert.deepEqual(refusals, [])
  assert.deepEqual(
    decision.warnings,
    objections.flatMap((each) => each.warnings),
  )
  assert.equal(decision.call.admittedAt, model.now)
  const { call: held } = decision
  model.calls.push({ key, workspace, at: model.now, hold, tokens: tokens ?? 0, state: 'open', cost: 0n, used: 0, held })
}

/** The budget with the least left; else the longest wait. The first of equals. */
function worstOf(refusals: readonly Refusal[]): Refusal | undefined {
  const budgets = refusals.filter((each) => each.kind === 'budget')
  const left = (each: (typeof budgets)[number]) => Number(each.limit - each.spent - each.held)
  const waits = refusals.filter((each) => each.kind !== 'budget')
  const wait = (each: (typeof waits)[number]) => each.waitMs ?? Number.MAX_VALUE
  return budgets.sort((a, b) => left(a) - left(b))[0] ?? waits.sort((a, b) => wait(b) - wait(a))[0]
}

function scopesOf(key: string): Scope[] {
  return [
    { kind: 'key', id: key },
    { kind: 'workspace', id: KEYS[key] ?? '' },
  ]
}

function payerOf(model: Reference, key: string): Payer {
  const [own = null, joint = null] = scopesOf(key).map((scope) => model.limitsOf(scope))
  return { key: { id: key, limits: own }, workspace: { name: KEYS[key] ?? '', limits: joint } }
}

export function compare(model: Reference): void {
  for (const key of Object.keys(KEYS)) {
    const [requests, tokens] = (['requests', 'tokens'] as const).map((kind) => model.allowance(scopesOf(key), kind))
    assert.deepEqual(model.ledger.allowance(payerOf(model, key)), { requests, tokens })
  }
  for (const scope of SCOPES) {
    const status = model.ledger.look(scope)
    const open = model.of(scope).filter((call) => call.state === 'open').length
    assert.deepEqual(
      [status.requestsLastMinute, status.tokensLastMinute, status.inFlight],
      [model.recent(scope).length, model.tokens(scope), open],
    )
    for (const period of PERIODS) {
      const { spent, held, resetsAt } = status.periods[period]
      const expected = { ...model.money(scope, period), resetsAt: model.resetsAt(period) }
      assert.deepEqual({ spent, held, resetsAt }, expected, `${scope.kind} ${scope.id} ${period}`)
      assert.ok(spent >= 0n && held >= 0n)
    }
  }
}
