import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { connectTo, FLUSH } from '../../../test/counters.ts'
import { ModelLog, ModelNode, rebuildAll } from '../../../test/limits/counters-model.ts'
import { startValkey } from '../../../test/valkey.ts'
import { asPicodollars } from '../../domain/pricing/price.ts'
import type { Scope } from '../ledger.ts'
import type { Payer } from '../spend-ledger.ts'
import { admitArguments } from './ask.ts'
import { endArguments } from './end-arguments.ts'
import { ADMIT } from './scripts/admit.ts'
import { END } from './scripts/end.ts'

const server = await startValkey()
const connection = await connectTo(server.url)
after(async () => {
  await connection.close()
  await server.stop()
})

const LIMIT = 1_000n
const workspace = { name: 'first', limits: null }
const PAYERS: Payer[] = [
  { key: { id: 'free', limits: null }, workspace },
  { key: { id: 'hard', limits: { budget: { usd: '0.000000001', per: 'total', mode: 'hard' } } }, workspace },
]
const SCOPES: Scope[] = [
  { kind: 'key', id: 'free' },
  { kind: 'key', id: 'hard' },
  { kind: 'workspace', id: 'first' },
]

const which = fc.nat({ max: 2 })
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constantFrom('admit' as const, 'admit' as const, 'admit' as const, 'unheard' as const),
      which,
      payer: fc.nat({ max: 1 }),
      hold: fc.bigInt({ min: 1n, max: 400n }),
      isStream: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('commit' as const), which, index: fc.nat({ max: 50 }) }),
  },
  {
    weight: 7,
    arbitrary: fc.record({
      do: fc.constant('end' as const),
      which,
      index: fc.nat({ max: 50 }),
      percent: fc.bigInt({ min: 0n, max: 100n }),
    }),
  },
  {
    weight: 9,
    arbitrary: fc.record({
      do: fc.constantFrom('fold', 'kill', 'reap', 'restart', 'cut', 'connect', 'rebuild'),
      which,
    }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

class World {
  readonly log = new ModelLog()
  readonly nodes: ModelNode[]
  #admitted = 0

  constructor() {
    this.nodes = ['one', 'two', 'three'].map((name) => new ModelNode(name, connection, this.log))
    this.log.nodes = this.nodes.map(({ name }) => name)
  }

  async take(taken: Step): Promise<void> {
    const node = this.nodes[taken.which]
    assert.ok(node)
    if (taken.do === 'admit' || taken.do === 'unheard') {
      const payer = PAYERS[taken.do === 'admit' ? taken.payer : 0]
      assert.ok(payer)
      const id = `call-${++this.#admitted}`
      if (taken.do === 'admit') await node.admit(payer, taken.hold, id, taken.isStream)
      else await node.admitUnheard(payer, taken.hold, id, taken.isStream)
    } else if (taken.do === 'commit') node.commit(taken.index)
    else if (taken.do === 'end') await node.end(taken.index, taken.percent)
    else if (taken.do === 'fold' && node.isAlive) this.log.fold(node)
    else if (taken.do === 'kill') node.kill()
    else if (taken.do === 'reap') await node.reapedByAnother()
    else if (taken.do === 'restart') await node.restart()
    else if (taken.do === 'cut') node.isConnected = false
    else if (taken.do === 'connect' && node.isAlive) await node.connect()
    else if (taken.do === 'rebuild' && this.nodes.every(({ isAlive, isConnected }) => isAlive && isConnected)) {
      await rebuildAll(connection, this.log, this.nodes)
    }
  }

  /** Everybody comes back, every row arrives. */
  async settle(): Promise<void> {
    for (const node of this.nodes) {
      await node.restart()
      await node.connect()
      this.log.fold(node)
      await node.sweep()
    }
  }

  async compare(): Promise<void> {
    for (const { id, cost } of this.nodes.flatMap(({ answered }) => answered)) {
      const row = this.log.rows.get(id)
      assert.deepEqual([row?.state, row?.cost], ['closed', cost], `${id} was answered`)
    }
    const statuses = (await this.nodes[0]?.status(SCOPES)) ?? []
    for (const { scope, periods, inFlight } of statuses) {
      const rows = this.log.of(scope)
      const open = rows.filter((row) => row.state === 'open')
      const sum = (values: bigint[]) => values.reduce((a, b) => a + b, 0n)
      // A call that was let through has a row, and no hold until it ends.
      const unheld = this.nodes.flatMap(({ unbooked }) => unbooked).map(({ id }) => id)
      const held = open.filter((row) => !unheld.includes(row.id))
      const { spent } = periods.total
      assert.equal(spent, sum(rows.map((row) => row.cost)), `spent of ${scope.id}`)
      assert.ok(inFlight >= held.length && inFlight <= open.length, `in flight of ${scope.id}`)
      assert.ok(periods.total.held >= sum(held.map((row) => row.holdPicodollars ?? 0n)))
      assert.ok(periods.total.held <= sum(open.map((row) => row.holdPicodollars ?? 0n)))
    }
  }
}

test('whatever dies, disconnects or loses data, in any order: in the end the counters match the log', async () => {
  let [spent, interrupted, charged] = [0, 0, 0]
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 60, maxLength: 150, size: 'max' }), async (steps) => {
      await connection.run(FLUSH, [])
      const world = new World()
      await rebuildAll(connection, world.log, world.nodes)
      for (const each of steps) {
        await world.take(each)
        const used = world.log.of({ kind: 'key', id: 'hard' }).reduce((sum, row) => sum + row.cost, 0n)
        assert.ok(used <= LIMIT, `${used} of ${LIMIT}`)
      }
      await world.settle()
      await world.compare()
      const rows = [...world.log.rows.values()]
      spent += rows.filter((row) => row.cost > 0n).length
      interrupted += rows.filter((row) => row.state === 'interrupted').length
      charged += rows.filter((row) => row.state === 'interrupted' && row.cost > 0n).length
    }),
    { numRuns: 300 },
  )
  assert.ok(spent > 100 && interrupted > 100 && charged > 100)
})

test('a stream that was given up and whose admission is then taken back stays as the log has it', async () => {
  await connection.run(FLUSH, [])
  const world = new World()
  await rebuildAll(connection, world.log, world.nodes)
  const [node] = world.nodes
  assert.ok(node)
  const { id, ...place } = { id: 'lost', keyId: 'free', workspace: 'first', admittedAt: Date.now() }
  const wanted = { picodollars: asPicodollars(70n), tokens: 1, isStream: true }
  const free = PAYERS[0]
  assert.ok(free)
  await connection.run(ADMIT, admitArguments(free, wanted, { node: node.name, id, clock: '' }))
  // The rebuild gave it a lease, which is short; nothing is reaped while it lasts.
  while (!world.log.rows.has(id)) await node.reapedByAnother()
  const call = { id, ...place, generation: 0, position: 0, answersAfterBooking: false }
  const use = { picodollars: null, tokens: 0 }
  await connection.run(END, endArguments({ call, use, released: true, node: node.name, clock: '' }))
  assert.equal(world.log.rows.get(id)?.cost, 70n)
  await world.compare()
})
