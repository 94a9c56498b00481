import assert from 'node:assert/strict'
import type { Limits } from '../../src/domain/limits.ts'
import { asPicodollars } from '../../src/domain/pricing/price.ts'
import type { HeldCall } from '../../src/limits/admission.ts'
import { PERIODS, type Period } from '../../src/limits/budget-period.ts'
import type { LoggedScope, Scope } from '../../src/limits/ledger.ts'
import { createSpendLedger, type MemoryLedger } from '../../src/limits/memory-ledger.ts'

/** The reference: a list of calls. Every figure is added up anew from it, with no counter and no cleverness. */
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
  ledger: MemoryLedger
  readonly open: typeof createSpendLedger

  /** `open`: how the ledger is made that is compared with this. */
  constructor(open: typeof createSpendLedger = createSpendLedger) {
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

  fits(scope: Scope, hold: bigint | null, tokens: number): boolean {
    const limits = this.limitsOf(scope)
    if (limits === null) return true
    const { rpm, tpm, max_parallel: parallel, budget } = limits
    if (rpm !== undefined && this.recent(scope).length >= rpm) return false
    if (tpm !== undefined && tokens > 0 && this.tokens(scope) + tokens > tpm) return false
    if (parallel !== undefined && this.of(scope).filter((call) => call.state === 'open').length >= parallel)
      return false
    if (budget === undefined || budget.mode === 'soft') return true
    const { spent, held } = this.money(scope, budget.per)
    return hold === 0n || (hold !== null && spent + held + hold <= BigInt(Number(budget.usd) * 1e12))
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
function sameUtcPeriod(period: Period, a: number, b: number): boolean {
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
  | { do: 'admit'; key: string; hold: bigint | null; tokens: number }
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
  const scopes: Scope[] = [
    { kind: 'key', id: key },
    { kind: 'workspace', id: workspace },
  ]
  const [own, shared] = scopes.map((scope) => model.limitsOf(scope))
  const decision = model.ledger.admit(
    { key: { id: key, limits: own ?? null }, workspace: { name: workspace, limits: shared ?? null } },
    { picodollars: hold === null ? null : asPicodollars(hold), tokens },
    `call-${model.calls.length}`,
  )
  const expected = scopes.every((scope) => model.fits(scope, hold, tokens))
  assert.equal(decision.kind, expected ? 'admitted' : 'refused')
  if (decision.kind === 'refused') {
    assert.ok(scopes.some(({ kind, id }) => kind === decision.refusal.scope.kind && id === decision.refusal.scope.id))
    return
  }
  assert.equal(decision.call.admittedAt, model.now)
  const { call: held } = decision
  model.calls.push({ key, workspace, at: model.now, hold, tokens, state: 'open', cost: 0n, used: 0, held })
}

export function compare(model: Reference): void {
  for (const scope of SCOPES) {
    const status = model.ledger.look(scope)
    const open = model.of(scope).filter((call) => call.state === 'open').length
    assert.deepEqual(
      [status.requestsLastMinute, status.tokensLastMinute, status.inFlight],
      [model.recent(scope).length, model.tokens(scope), open],
    )
    for (const period of PERIODS) {
      const { spent, held } = status.periods[period]
      assert.deepEqual({ spent, held }, model.money(scope, period), `${scope.kind} ${scope.id} ${period}`)
      assert.ok(spent >= 0n && held >= 0n)
    }
  }
}
