import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { atLength } from '../../../test/at-length.ts'
import { beginLedger, connectTo, type SyncedLedger, syncedLedgers } from '../../../test/counters.ts'
import { openLedger } from '../../../test/limits/open-slots.ts'
import { fc } from '../../../test/property.ts'
import { startValkey } from '../../../test/valkey.ts'
import { PERIODS } from '../../domain/budgets/budget-period.ts'
import type { Limits } from '../../domain/limits.ts'
import { asPicodollars } from '../../domain/pricing/price.ts'
import type { Decision, HeldCall } from '../admission.ts'
import type { Scope, ScopeStatus } from '../ledger.ts'
import type { SlotLedger } from '../slots/slot-ledger.ts'
import type { Payer, SpendLedger } from '../spend-ledger.ts'

const server = await startValkey()
const connection = await connectTo(server.url)
after(async () => {
  await connection.close()
  await server.stop()
})

const USD = 1_000_000_000_000n
const DAY = 86_400_000
const KEYS: Record<string, string> = { a: 'first', b: 'first', c: 'second' }
const SCOPES: Scope[] = [
  ...Object.keys(KEYS).map((id): Scope => ({ kind: 'key', id })),
  { kind: 'workspace', id: 'first' },
  { kind: 'workspace', id: 'second' },
]

const limits: fc.Arbitrary<Limits> = fc.record(
  {
    rpm: fc.integer({ min: 1, max: 6 }),
    tpm: fc.integer({ min: 1, max: 400 }),
    max_parallel: fc.integer({ min: 1, max: 4 }),
    budget: fc.record({
      usd: fc.constantFrom('1', '3', '12', '0.000000000001', '40000000.25', '999999999'),
      per: fc.constantFrom(...PERIODS),
      mode: fc.constantFrom('hard' as const, 'soft' as const),
    }),
  },
  { requiredKeys: [] },
)

/** Up to nine million dollars a call: far beyond 2^53 picodollars. */
const money = fc.oneof(
  { weight: 6, arbitrary: fc.bigInt({ min: 0n, max: 3n * USD }) },
  { weight: 3, arbitrary: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }) },
  fc.constant(null),
)
const index = fc.nat({ max: 1_000 })
type Step =
  | { do: 'admit'; key: string; hold: bigint | null; tokens: number | null }
  | { do: 'settle'; index: number; cost: bigint | null; tokens: number }
  | { do: 'release'; index: number }
  | { do: 'limit'; scope: number; limits: Limits | null }
  | { do: 'pass'; ms: number }
const tokens = fc.oneof({ weight: 9, arbitrary: fc.nat({ max: 150 }) }, fc.constant(null))
const key = fc.constantFrom(...Object.keys(KEYS))
const step = fc.oneof(
  { weight: 9, arbitrary: fc.record({ do: fc.constant('admit' as const), key, hold: money, tokens }) },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('settle' as const), index, cost: money, tokens: fc.nat({ max: 150 }) }),
  },
  fc.record({ do: fc.constant('release' as const), index }),
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('limit' as const),
      scope: fc.nat({ max: SCOPES.length - 1 }),
      limits: fc.option(limits),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('pass' as const),
      ms: fc.oneof(
        fc.nat({ max: 1_500 }),
        fc.constantFrom(999, 1_000, 59_999, 60_000, 60_001, 61_000, 3_600_000, DAY, 7 * DAY, 31 * DAY, 366 * DAY),
      ),
    }),
  },
) as fc.Arbitrary<Step>

class Pair {
  now = Date.UTC(2027, 11, 29, 23, 58, 30)
  readonly memory: SlotLedger = openLedger(() => this.now, [])
  nodes: SyncedLedger[] = []
  readonly limits: (Limits | null)[] = SCOPES.map(() => null)
  readonly calls: { memory: HeldCall; counted: HeldCall; through: SpendLedger }[] = []
  admitted = 0

  async begin(): Promise<void> {
    this.nodes = await syncedLedgers(connection, ['one', 'two'], () => this.now)
  }

  async take(taken: Step): Promise<void> {
    if (taken.do === 'pass') await this.#pass(taken.ms)
    else if (taken.do === 'limit') this.limits[taken.scope] = taken.limits
    else if (taken.do === 'admit') await this.#admit(taken)
    else await this.#end(taken)
  }

  /** A lease has no period: what a call holds over midnight counts in both days. So none runs then. */
  async #pass(ms: number): Promise<void> {
    const isOver = Math.floor(this.now / DAY) !== Math.floor((this.now + ms) / DAY)
    for (const { memory, counted, through } of isOver ? this.calls : []) {
      through.settle(counted, NOTHING)
      this.memory.settle(memory, NOTHING)
    }
    // Reported before the day ends, as a node does within a second.
    await this.#tell()
    this.now += ms
    await this.#tell()
  }

  async #tell(): Promise<void> {
    for (const node of [...this.nodes, ...this.nodes]) await node.sync()
  }

  async #admit({ key: id, hold, tokens: most }: Extract<Step, { do: 'admit' }>): Promise<void> {
    const name = KEYS[id] ?? ''
    const limitsOf = (scope: Scope) =>
      this.limits[SCOPES.findIndex((each) => each.kind === scope.kind && each.id === scope.id)] ?? null
    const payer: Payer = {
      key: { id, limits: limitsOf({ kind: 'key', id }) },
      workspace: { name, limits: limitsOf({ kind: 'workspace', id: name }) },
    }
    const wanted = { picodollars: hold === null ? null : asPicodollars(hold), tokens: most }
    const request = `call-${++this.admitted}`
    const through = this.nodes[this.admitted % 2]?.ledger
    assert.ok(through)
    await this.#tell()
    const expected = this.memory.admit(payer, wanted, request)
    const decision = await through.admit(payer, wanted, request)
    assert.deepEqual(shown(decision), shown(expected))
    if (decision.kind !== 'admitted' || expected.kind !== 'admitted') return
    through.opened(decision.call, this.admitted)
    this.calls.push({ memory: expected.call, counted: decision.call, through })
  }

  async #end(taken: Extract<Step, { do: 'settle' | 'release' }>): Promise<void> {
    const call = this.calls[taken.index % Math.max(1, this.calls.length)]
    if (call === undefined) return
    if (taken.do === 'release') {
      assert.equal(await call.through.release(call.counted), this.memory.release(call.memory))
      return
    }
    const use = { picodollars: taken.cost === null ? null : asPicodollars(taken.cost), tokens: taken.tokens }
    assert.equal(await call.through.settle(call.counted, use), this.memory.settle(call.memory, use))
  }

  async compare(): Promise<void> {
    await this.#tell()
    const statuses = (await this.nodes[0]?.ledger.status(SCOPES)) ?? []
    assert.deepEqual(
      statuses.map(seen),
      SCOPES.map((scope) => seen(this.memory.look(scope))),
    )
  }
}

const NOTHING = { picodollars: null, tokens: 0 }

/** All but what only one of the two keeps: leases are changed more often, and some of them are idle. */
function seen({ changes, idle, ...status }: ScopeStatus): unknown {
  return status
}

/** Without what only one of the two keeps; warnings of soft budgets depend on what a node already knows. */
function shown(decision: Decision): unknown {
  if (decision.kind !== 'admitted') return decision
  const { id, admittedAt, hold, settled } = decision.call
  return { kind: decision.kind, call: { id, admittedAt, hold, settled } }
}

/** A limit lowered below what is used: a call that takes none of it is not refused by it. */
const EVER_FAILED: [(Limits | null)[], Step[]][] = (['tokens', 'hold'] as const).map((kind) => [
  SCOPES.map(() => null),
  [
    { do: 'admit', key: 'a', hold: 2n * USD, tokens: 2 },
    {
      do: 'limit',
      scope: 0,
      limits: kind === 'tokens' ? { tpm: 1 } : { budget: { usd: '1', per: 'day', mode: 'hard' } },
    },
    { do: 'admit', key: 'a', hold: 0n, tokens: 0 },
    { do: 'admit', key: 'a', hold: 1n, tokens: 1 },
  ],
])

test('whatever happens in whatever order, the counters say what the ledger in memory says', async () => {
  let refused = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.option(limits), { minLength: SCOPES.length, maxLength: SCOPES.length }),
      fc.array(step, { minLength: 15, maxLength: 60 }),
      async (first, steps) => {
        await beginLedger(connection)
        const pair = new Pair()
        await pair.begin()
        for (const [scope, each] of first.entries()) await pair.take({ do: 'limit', scope, limits: each })
        for (const each of steps) {
          await pair.take(each)
          await pair.compare()
        }
        refused += pair.admitted - pair.calls.length
      },
    ),
    { numRuns: atLength(60, 200), examples: EVER_FAILED },
  )
  assert.ok(refused > 0)
})

test('months begin where the calendar says, in ordinary and in leap years', async () => {
  await beginLedger(connection)
  for (let day = Date.UTC(2026, 0, 1); day < Date.UTC(2033, 0, 1); day += 3 * DAY + 3_600_000) {
    const [node] = await syncedLedgers(connection, ['one'], () => day)
    const [status] = (await node?.ledger.status([{ kind: 'key', id: 'a' }])) ?? []
    assert.deepEqual(status, openLedger(() => day, []).look({ kind: 'key', id: 'a' }))
  }
})

test('a sum stays exact where a floating-point number would not be', async () => {
  await beginLedger(connection)
  const [node] = await syncedLedgers(connection, ['one'], Date.now)
  assert.ok(node)
  const { ledger } = node
  const payer: Payer = { key: { id: 'a', limits: null }, workspace: { name: 'first', limits: null } }
  const cost = asPicodollars(2n ** 63n - 1n)
  for (let call = 0; call < 5; call++) {
    const decision = await ledger.admit(payer, { picodollars: cost, tokens: 1 }, `call-${call}`)
    assert.ok(decision.kind === 'admitted')
    await ledger.settle(decision.call, { picodollars: cost, tokens: 1 })
  }
  await node.sync()
  const [status] = await ledger.status([{ kind: 'workspace', id: 'first' }])
  assert.equal(status?.periods.total.spent, 5n * cost)
})

test('when the clock steps back over midnight, a budget per day still holds for a node that starts then', async () => {
  await beginLedger(connection)
  let now = Date.UTC(2026, 10, 17, 0, 0, 30)
  const budget = { usd: '3', per: 'day', mode: 'hard' } as const
  const payer: Payer = { key: { id: 'a', limits: { budget } }, workspace: { name: 'first', limits: null } }
  const spend = async (node: SyncedLedger, id: string) => {
    const decision = await node.ledger.admit(payer, { picodollars: asPicodollars(USD), tokens: 1 }, id)
    if (decision.kind === 'admitted')
      await node.ledger.settle(decision.call, { picodollars: asPicodollars(USD), tokens: 1 })
    await node.sync()
    return decision.kind
  }
  const [before] = await syncedLedgers(connection, ['one'], () => now)
  assert.ok(before)
  assert.equal(await spend(before, 'call-0'), 'admitted')
  now -= 60_000
  const [later] = await syncedLedgers(connection, ['two'], () => now)
  assert.ok(later)
  later.others = [before]
  const kinds: string[] = []
  for (let call = 1; call <= 4; call++) kinds.push(await spend(later, `call-${call}`))
  assert.deepEqual(kinds, ['admitted', 'admitted', 'refused', 'refused'])
})
