import assert from 'node:assert/strict'
import { PERIODS, type Period } from '../../src/domain/budgets/budget-period.ts'
import { type CorrectedDay, withCorrections } from '../../src/domain/budgets/corrections.ts'
import type { Limits } from '../../src/domain/limits.ts'
import { asPicodollars } from '../../src/domain/pricing/price.ts'
import { countedOf, type UnconfirmedPolicy } from '../../src/domain/pricing/unconfirmed.ts'
import { type HeldCall, shiftOf } from '../../src/limits/admission.ts'
import type { LoggedScope, Scope } from '../../src/limits/ledger.ts'
import { hasHardBudget } from '../../src/limits/payer.ts'
import type { Payer, SpendLedger } from '../../src/limits/spend-ledger.ts'
import { fc } from '../property.ts'
import { DAY, KEYS, SCOPES, sameUtcPeriod } from './ledger-reference.ts'

/** One call: what its providers bill for it, which the gateway does not know, and what the gateway has noted. */
interface BilledCall {
  key: string
  at: number
  hold: bigint
  through: SpendLedger
  held: HeldCall
  isRunning: boolean
  /** By every provider that was asked, from the moment at which it was. */
  billed: bigint
  /** Of this, by the one that is asked now. */
  current: bigint
  /** What earlier attempts can have cost at most. */
  most: bigint
  /** What its row counts, once it is closed. */
  counted: bigint
  isCorrected: boolean
}

export type BillStep =
  | { do: 'admit'; key: string; hold: bigint; percent: number }
  /** The provider that is asked gives no count, and another is asked. */
  | { do: 'fall'; index: number; percent: number }
  | { do: 'end'; index: number; isAnswered: boolean }
  | { do: 'correct'; index: number; isReleased: boolean; percent: number }
  | { do: 'pass'; ms: number }
  | { do: 'crash' }

const index = fc.nat({ max: 1_000 })
const percent = fc.oneof(fc.constantFrom(0, 100), fc.nat({ max: 100 }))
const of = <Name extends BillStep['do'], T extends object>(
  name: Name,
  fields: { [K in keyof T]: fc.Arbitrary<T[K]> },
) => fc.record({ do: fc.constant(name), ...fields }) as unknown as fc.Arbitrary<BillStep>

export const billStep: fc.Arbitrary<BillStep> = fc.oneof(
  {
    weight: 8,
    arbitrary: of('admit', {
      key: fc.constantFrom(...Object.keys(KEYS)),
      hold: fc.bigInt({ min: 1n, max: 400n }),
      percent,
    }),
  },
  { weight: 4, arbitrary: of('fall', { index, percent }) },
  { weight: 5, arbitrary: of('end', { index, isAnswered: fc.boolean() }) },
  { weight: 4, arbitrary: of('correct', { index, isReleased: fc.boolean(), percent }) },
  {
    weight: 3,
    arbitrary: of('pass', { ms: fc.constantFrom(1, 900, 29_000, 31_000, 60_000, 3_600_000, DAY, 7 * DAY, 31 * DAY) }),
  },
  of('crash', {}),
)

/** A hard budget for every second scope or so. */
export const billLimits = fc.array(
  fc.option(fc.record({ usd: fc.integer({ min: 200, max: 1_500 }), per: fc.constantFrom(...PERIODS) }), { freq: 3 }),
  { minLength: SCOPES.length, maxLength: SCOPES.length },
)

export interface BillOptions {
  limits: readonly ({ usd: number; per: Period } | null)[]
  /** `bound`, unless the test wants to see that another one is noticed. */
  policy?: UnconfirmedPolicy
  /** The ledgers of all nodes, in a world with this clock. */
  open(clock: () => number): Promise<readonly SpendLedger[]>
  /** All of them after a kill, when the log has every row; missing: they are not killed. */
  reopen?(clock: () => number, logged: LoggedScope[]): readonly SpendLedger[]
}

/** Two minutes before midnight, at the end of a month. */
const START = Date.UTC(2026, 1, 28, 23, 58, 0)

export class BillModel {
  readonly #options: BillOptions
  readonly #policy: UnconfirmedPolicy
  readonly #calls: BilledCall[] = []
  readonly #corrections: { key: string; at: number; counted: bigint }[] = []
  #nodes: readonly SpendLedger[] = []
  #now = START
  readonly seen = { refused: 0, fallen: 0, uncovered: 0, corrected: 0, covered: 0 }

  constructor(options: BillOptions) {
    this.#options = options
    this.#policy = options.policy ?? 'bound'
  }

  async begin(): Promise<void> {
    this.#nodes = await this.#options.open(() => this.#now)
  }

  async take(step: BillStep): Promise<void> {
    if (step.do === 'pass') this.#now += step.ms
    else if (step.do === 'crash') this.#crash()
    else if (step.do === 'admit') await this.#admit(step)
    else if (step.do === 'correct') this.#correct(step)
    else {
      const running = this.#calls.filter(({ isRunning }) => isRunning)
      const call = running[step.index % Math.max(1, running.length)]
      if (call === undefined) return
      if (step.do === 'fall') await this.#fall(call, step.percent)
      else this.#end(call, step.isAnswered)
    }
  }

  async #admit({ key, hold, percent }: Extract<BillStep, { do: 'admit' }>): Promise<void> {
    const through = this.#nodes[this.#calls.length % this.#nodes.length]
    assert.ok(through)
    const name = `call-${this.#calls.length}`
    const decision = await through.admit(this.#payer(key), { picodollars: asPicodollars(hold), tokens: 1 }, name)
    if (decision.kind !== 'admitted') {
      this.seen.refused += 1
      return
    }
    const { call: held } = decision
    through.opened(held, this.#calls.length + 1)
    const current = (hold * BigInt(percent)) / 100n
    const nothing = { most: 0n, counted: 0n, isCorrected: false }
    const call = {
      key,
      at: held.admittedAt,
      hold,
      through,
      held,
      isRunning: true,
      current,
      billed: current,
      ...nothing,
    }
    this.#calls.push(call)
  }

  /** As the chain does it: nothing more is sent unless the budgets cover it beside what is unconfirmed. */
  async #fall(call: BilledCall, percent: number): Promise<void> {
    call.most += call.hold
    call.current = 0n
    const more = asPicodollars(this.#counted(call.most) - call.held.added)
    const isCovered =
      more === 0n || !hasHardBudget(this.#payer(call.key)) || (await call.through.extend(call.held, more))
    if (!isCovered) {
      this.seen.uncovered += 1
      this.#close(call, 0n)
      return
    }
    this.seen.fallen += 1
    call.current = (call.hold * BigInt(percent)) / 100n
    call.billed += call.current
  }

  #end(call: BilledCall, isAnswered: boolean): void {
    if (!isAnswered) call.most += call.hold
    this.#close(call, isAnswered ? call.current : 0n)
  }

  #close(call: BilledCall, cost: bigint): void {
    call.isRunning = false
    call.counted = cost + this.#counted(call.most)
    call.through.settle(call.held, { picodollars: asPicodollars(call.counted), tokens: 1 }, this.#calls.length + 1)
  }

  /** What was billed beyond the cost is known now: nothing, or so much; a person may also confirm too much, but no more than can be. */
  #correct({ index, isReleased, percent }: Extract<BillStep, { do: 'correct' }>): void {
    const closed = this.#calls.filter(({ isRunning, isCorrected, most }) => !isRunning && !isCorrected && most > 0n)
    const call = closed[index % Math.max(1, closed.length)]
    if (call === undefined) return
    const counted = this.#counted(call.most)
    const cost = call.counted - counted
    const least = call.billed > cost ? call.billed - cost : 0n
    if (isReleased && least > 0n) return
    const confirmed = isReleased ? 0n : least + ((call.most - least) * BigInt(percent)) / 100n
    call.isCorrected = true
    this.seen.corrected += 1
    this.#corrections.push({ key: call.key, at: call.at, counted: confirmed - counted })
  }

  /** Whatever ran may be billed up to all that was held for it. */
  #crash(): void {
    const { reopen } = this.#options
    if (reopen === undefined) return
    for (const call of this.#calls.filter(({ isRunning }) => isRunning)) {
      call.isRunning = false
      call.held.settled = true
      call.most = call.hold + call.held.added
      call.counted = this.#counted(call.most)
    }
    this.#nodes = reopen(() => this.#now, this.#logged())
  }

  #logged(): LoggedScope[] {
    const nothing = {
      day: asPicodollars(0n),
      week: asPicodollars(0n),
      month: asPicodollars(0n),
      total: asPicodollars(0n),
    }
    return SCOPES.map((scope) => {
      const spent = (period: Period) =>
        asPicodollars(this.#of(scope, period).reduce((total, { counted }) => total + counted, 0n))
      const ofPeriods = { day: spent('day'), week: spent('week'), month: spent('month'), total: spent('total') }
      return { scope, spent: ofPeriods, seconds: [], inFlight: 0, held: nothing }
    })
  }

  #counted(most: bigint): bigint {
    return countedOf({ most: most.toString(), estimate: '0' }, this.#policy)
  }

  #of({ kind, id }: Scope, period: Period): BilledCall[] {
    const own = this.#calls.filter(({ key }) => (kind === 'key' ? key : KEYS[key]) === id)
    return own.filter(({ at }) => sameUtcPeriod(period, at, this.#now))
  }

  #correctionsOf({ kind, id }: Scope) {
    return this.#corrections.filter(({ key }) => (kind === 'key' ? key : KEYS[key]) === id)
  }

  /** With what was corrected, as the snapshot of a gateway has it. */
  #limits(scope: Scope): Limits | null {
    const budget = this.#budget(scope)
    if (budget === null) return null
    const days = this.#correctionsOf(scope).map(({ at, counted }): CorrectedDay => {
      const [charged, released] = counted > 0n ? [counted, 0n] : [0n, -counted]
      return { day: Math.floor(at / DAY), charged, released, cost: 0n }
    })
    const usd = `0.${String(budget.usd).padStart(12, '0')}`
    return withCorrections({ budget: { usd, per: budget.per, mode: 'hard' } }, days, this.#now)
  }

  #budget(scope: Scope) {
    const place = SCOPES.findIndex(({ kind, id }) => kind === scope.kind && id === scope.id)
    return this.#options.limits[place] ?? null
  }

  #payer(key: string): Payer {
    const name = KEYS[key] ?? ''
    return {
      key: { id: key, limits: this.#limits({ kind: 'key', id: key }) },
      workspace: { name, limits: this.#limits({ kind: 'workspace', id: name }) },
    }
  }

  /** spent + held + unconfirmed ≥ what the providers bill, and ≤ the limit, for every hard budget. */
  async check(): Promise<void> {
    const statuses = (await this.#nodes[0]?.status(SCOPES)) ?? []
    for (const { scope, periods, idle } of statuses) {
      const budget = this.#limits(scope)?.budget
      if (budget === undefined) continue
      const { per } = budget
      const { spent, held } = periods[per]
      const own = this.#of(scope, per)
      const billed = sum(own.map((call) => call.billed))
      const used = sum(own.map((call) => (call.isRunning ? call.hold + call.held.added : call.counted)))
      const name = `${scope.kind} ${scope.id} per ${per}: ${spent} spent or unconfirmed, ${held} held, ${idle} leased`
      const counted = spent + held + idle
      assert.ok(counted >= used, `${name}; ${used} used`)
      const shift = shiftOf(budget)
      assert.ok(counted + shift >= billed, `${name}, ${shift} corrected; ${billed} billed`)
      if (this.#policy === 'bound') this.#checkLimit(scope, per, used)
      const costs = own.map((call) => (call.isRunning ? 0n : call.counted - this.#counted(call.most)))
      if (sum(costs) < billed) this.seen.covered += 1
    }
  }

  /**
   * By what was used, because leases have no period: for a moment after midnight they show what was spent before it. And with
   * every correction of the period, whatever the grace at its ends.
   */
  #checkLimit(scope: Scope, per: Period, used: bigint): void {
    const corrected = this.#correctionsOf(scope).filter(({ at }) => sameUtcPeriod(per, at, this.#now))
    const shift = sum(corrected.map(({ counted }) => counted))
    const limit = BigInt(this.#budget(scope)?.usd ?? 0)
    const name = `${scope.kind} ${scope.id} per ${per}`
    assert.ok(used + shift <= limit, `${name}: ${used} used, ${shift} corrected of ${limit}`)
  }
}

function sum(values: readonly bigint[]): bigint {
  return values.reduce((total, value) => total + value, 0n)
}
