import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { beginLedger, connectTo } from '../../../test/counters.ts'
import { LeaseWorld, type ScopeLimits, type SimulatedNode, type Travel } from '../../../test/limits/lease-world.ts'
import { seedOr } from '../../../test/property.ts'
import { startValkey } from '../../../test/valkey.ts'
import type { Period } from '../../domain/budgets/budget-period.ts'
import type { Limits } from '../../domain/limits.ts'
import type { Payer } from '../spend-ledger.ts'
import { JOIN, LEAVE } from './scripts/node.ts'

const server = await startValkey()
const connection = await connectTo(server.url)
after(async () => {
  await connection.close()
  await server.stop()
})

/** Numbers from a seed, so that a run can be repeated. */
function randomOf(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e3779b9) | 0
    return ((state >>> 0) % 1_000_003) % below
  }
}

const budget = (picodollars: bigint, per: Period = 'total'): Limits => ({
  budget: { usd: `0.${String(picodollars).padStart(12, '0')}`, per, mode: 'hard' },
})

async function newWorld(nodes: number): Promise<LeaseWorld> {
  await beginLedger(connection)
  const world = new LeaseWorld(connection, nodes)
  for (const node of world.nodes) await node.start()
  return world
}

const hearing = () => false

for (const nodes of [1, 2, 3, 7]) {
  test(`of 500 calls at once over ${nodes} nodes exactly as many are admitted as fit`, async () => {
    const world = await newWorld(nodes)
    world.limit({ key: budget(3_700n) })
    const outcomes: string[] = []
    for (let index = 0; index < 500; index++) {
      const node = world.nodes[index % nodes] as SimulatedNode
      outcomes.push(await world.call(node, 100n, hearing))
    }
    assert.equal(outcomes.filter((outcome) => outcome === 'admitted').length, 37)
    assert.equal(outcomes.filter((outcome) => outcome === 'refused').length, 463)
    await world.assertWithin()
  })
}

test('far from the limit hardly a call waits, and near it every call waits once', async () => {
  const world = await newWorld(3)
  world.limit({ key: budget(1_000_000_000n) })
  for (let index = 0; index < 3_000; index++) {
    const node = world.nodes[index % 3] as SimulatedNode
    assert.equal(await world.call(node, 100n, hearing), 'admitted')
    await world.finish(world.running[0] as (typeof world.running)[0], 40n)
    world.now += 1
    if (index % 20 === 0) await node.exchange([], index % 200 === 0, 'arrives')
  }
  const waits = world.nodes.reduce((sum, node) => sum + node.waits, 0)
  assert.ok(waits <= 6, `${waits} of 3,000 calls waited`)
})

const waitingOf = (node: SimulatedNode, payer: Payer) => ({
  ...{ ...node.leases.scopesOf(payer, node.now()), money: 100n, tokens: 0, isAsked: false, isLeft: false },
})

test('while the first call of a key waits, others of its workspace go on', async () => {
  const world = await newWorld(1)
  world.limit({ key: budget(1_000_000n), workspace: budget(1_000_000n) })
  const [node] = world.nodes as [SimulatedNode]
  assert.equal(await world.call(node, 100n, hearing), 'admitted')
  const payer = world.payer(node)
  await node.exchange([waitingOf(node, { ...payer, key: { ...payer.key, id: 'b' } })], false, 'is lost')
  assert.equal(await world.call(node, 100n, () => true), 'admitted')
})

test('a node gives back all it has before one of its own calls is refused', async () => {
  const world = await newWorld(2)
  const [one, two] = world.nodes as [SimulatedNode, SimulatedNode]
  one.limits = { key: budget(10_000n), workspace: null }
  two.limits = { key: budget(20_000n), workspace: null }
  assert.equal(await world.call(one, 100n, hearing), 'admitted')
  assert.equal(one.leases.find({ kind: 'key', id: 'a' })?.idle.money, 1_000n)
  assert.equal(await world.call(two, 9_400n, hearing), 'admitted', 'this one has not heard of the lower limit')
  const [first] = (await one.exchange([waitingOf(one, world.payer(one))], false, 'arrives')) ?? []
  assert.ok(first !== undefined && 'kind' in first && first.kind === 'ask-again')
  const [second] = (await one.exchange([waitingOf(one, world.payer(one))], false, 'arrives')) ?? []
  assert.ok(second !== undefined && !('kind' in second), 'it is admitted')
})

test('once others wait, what a call has left of its hold is given back at once', async () => {
  const world = await newWorld(2)
  world.limit({ key: budget(10_000n) })
  const [one, two] = world.nodes as [SimulatedNode, SimulatedNode]
  assert.equal(await world.call(one, 100n, hearing), 'admitted')
  assert.equal(await world.call(two, 9_500n, hearing), 'admitted', 'from what the other gave back')
  assert.equal(one.leases.urgent.size, 0)
  await world.finish(world.running[0] as (typeof world.running)[0], 40n)
  assert.equal(one.leases.urgent.size, 1)
})

test('a repeated message changes nothing, and its answer tells the calls apart', async () => {
  const world = await newWorld(2)
  world.limit({ key: budget(150n) })
  const [one, two] = world.nodes as [SimulatedNode, SimulatedNode]
  const waiting = () => waitingOf(one, world.payer(one))
  assert.equal(await one.exchange([waiting(), waiting()], false, 'answer is lost'), null)
  const outcomes = await one.exchange([], false, 'arrives twice')
  assert.equal(outcomes?.length, 2)
  const [first, second] = outcomes ?? []
  assert.ok(first !== undefined && !('kind' in first), 'the first of them was admitted')
  assert.ok(second !== undefined && 'kind' in second && second.kind === 'refused')
  assert.equal(await world.call(two, 100n, hearing), 'refused')
})

test('a node that dies keeps its money leased until its spool tells what it has spent', async () => {
  const world = await newWorld(2)
  world.limit({ key: budget(1_000n) })
  const [one, two] = world.nodes as [SimulatedNode, SimulatedNode]
  assert.equal(await world.call(one, 400n, hearing), 'admitted')
  assert.equal(await world.call(one, 400n, hearing), 'admitted')
  await world.finish(world.running[0] as (typeof world.running)[0], 300n)
  one.kill()
  world.running = []
  await one.markDead(connection)
  assert.equal(await world.call(two, 300n, hearing), 'refused')
  await one.start()
  assert.equal(await world.call(two, 700n, hearing), 'admitted')
  assert.equal(await world.call(two, 1n, hearing), 'refused')
  await world.assertSettled()
})

test('after a rebuild nothing is decided before a node that died meanwhile has told what it held', async () => {
  const world = await newWorld(2)
  world.limit({ key: budget(1_000n) })
  const [one, two] = world.nodes as [SimulatedNode, SimulatedNode]
  assert.equal(await world.call(two, 900n, hearing), 'admitted')
  await beginLedger(connection, 8, ['node-0', 'node-1'])
  await one.join()
  const away = (node: SimulatedNode) => node === two
  assert.equal(await world.call(one, 900n, away), 'unanswered', 'the other has told nothing')
  await connection.run(JOIN, { clock: String(world.now), node: 'node-1', process: 'process' })
  world.now += 1_000
  await two.markDead(connection)
  assert.equal(await world.call(one, 900n, away), 'unanswered', 'and has not by being silent')
  await two.join()
  assert.equal(await world.call(one, 900n, hearing), 'refused')
  assert.equal(await world.call(one, 100n, hearing), 'admitted')
})

test('a message of before is not taken for one of now when its node has joined again', async () => {
  const world = await newWorld(1)
  world.limit({ key: budget(1_000n) })
  const [node] = world.nodes as [SimulatedNode]
  const before = node.reports.compose([], true, node.now())
  assert.equal((await node.run(before)).kind, 'taken')
  await connection.run(JOIN, { clock: '', node: 'node-0', process: 'again' })
  node.reports.forget('again')
  const now = node.reports.compose([], true, node.now())
  assert.equal(before.number, now.number + 1, 'their numbers begin anew')
  assert.equal((await node.run(now)).kind, 'taken')
  assert.equal((await node.run(before)).kind, 'unknown-process')
})

test('a node that is heard again keeps what it has leased, although others had given it up', async () => {
  const world = await newWorld(1)
  world.limit({ key: budget(1_000n) })
  const [node] = world.nodes as [SimulatedNode]
  assert.equal(await world.call(node, 400n, hearing), 'admitted')
  const leave = (silentMs: string, logged: string) =>
    connection
      .run(LEAVE, { clock: String(world.now), node: 'node-0', silent_ms: silentMs, logged, whole: logged })
      .then(({ kind }) => kind)
  assert.deepEqual(await leave('1000', '0'), 'heard')
  world.now += 2_000
  await connection.run(JOIN, { clock: String(world.now), node: 'node-0', process: 'process' })
  assert.deepEqual(await leave('1000', '0'), 'heard', 'it has joined')
  world.now += 2_000
  assert.deepEqual(await leave('1000', '100'), 'unreported', 'the log has something that it has not told')
  assert.equal((await world.status({ kind: 'key', id: 'a' })).periods.total.held, 400n)
  assert.deepEqual(await leave('1000', '0'), 'left')
  assert.equal((await world.status({ kind: 'key', id: 'a' })).periods.total.held, 0n)
})

test('a node whose leases were released although it runs has to join again', async () => {
  const world = await newWorld(1)
  world.limit({ key: budget(10_000n) })
  const [node] = world.nodes as [SimulatedNode]
  assert.equal(await world.call(node, 100n, hearing), 'admitted')
  assert.ok(node.leases.hasIdle())
  await connection.run(LEAVE, {
    clock: String(world.now + 2_000),
    node: 'node-0',
    silent_ms: '1000',
    logged: '0',
    whole: '0',
  })
  assert.equal((await node.run(node.reports.compose([], true, node.now()))).kind, 'unknown-process')
})

const MINUTE_MS = 62_000

test('a repeated message takes nothing out of the minute that it does not count', async () => {
  const world = await newWorld(1)
  world.limit({ key: { rpm: 2 } })
  const [node] = world.nodes as [SimulatedNode]
  assert.equal(await world.call(node, 1n, hearing), 'admitted')
  world.now += 30_000
  assert.equal(await world.call(node, 1n, hearing), 'admitted')
  assert.equal(await node.exchange([], true, 'answer is lost'), null)
  world.now += 32_000
  await node.exchange([], true, 'arrives')
  assert.equal(await world.call(node, 1n, hearing), 'admitted', 'the first has left the minute')
  assert.equal(await world.call(node, 1n, hearing), 'refused')
})

test('when the clock is set back by hours, a minute still takes a minute', async () => {
  const world = await newWorld(2)
  world.limit({ key: { rpm: 2 } })
  const [one, two] = world.nodes as [SimulatedNode, SimulatedNode]
  const takesTwo = async () => {
    assert.equal(await world.call(one, 1n, hearing), 'admitted')
    assert.equal(await world.call(two, 1n, hearing), 'admitted')
    assert.equal(await world.call(one, 1n, hearing), 'refused')
  }
  await takesTwo()
  world.now -= 2 * 3_600_000
  assert.equal(await world.call(two, 1n, hearing), 'refused')
  world.now += MINUTE_MS
  await takesTwo()
  world.now += MINUTE_MS
  await takesTwo()
})

test('calls that a node counted with a clock far ahead leave the minute in a minute', async () => {
  const world = await newWorld(1)
  world.limit({ key: { rpm: 2 } })
  const [node] = world.nodes as [SimulatedNode]
  const ahead = { keyId: 'a', workspace: 'first', second: world.now / 1000 + 7_200, requests: 2, tokens: 10 }
  node.reports.add({ spent: [], seconds: [ahead], left: [] }, world.now)
  await node.exchange([], true, 'arrives')
  assert.equal(await world.call(node, 1n, hearing), 'refused')
  world.now += MINUTE_MS
  assert.equal(await world.call(node, 1n, hearing), 'admitted')
})

test('a call of a node that starts while the clock is behind midnight counts in the day that has begun', async () => {
  const world = await newWorld(2)
  world.limit({ key: budget(1_000n, 'day') })
  const [one, two] = world.nodes as [SimulatedNode, SimulatedNode]
  two.kill()
  world.now = Date.UTC(2027, 4, 31, 0, 0, 1)
  assert.equal(await world.call(one, 600n, hearing), 'admitted')
  world.now -= 60_000
  await two.start()
  assert.equal(await world.call(two, 400n, hearing), 'admitted')
  world.now += 120_000
  for (const running of [...world.running]) await world.finish(running, running.hold)
  for (const node of world.nodes) await node.exchange([], true, 'arrives')
  assert.equal(await world.call(one, 1n, hearing), 'refused')
  await world.assertSettled()
})

/** What can happen, one thing after the other, in an order that the seed gives. */
class Storm {
  readonly world: LeaseWorld
  readonly #random: (below: number) => number
  readonly #deaf = new Set<SimulatedNode>()
  readonly admitted = { count: 0 }
  refused = 0
  changes = 0
  setsBack = 0
  rebuilds = 0
  /** Half of the storms: each rebuild takes idle leases away, and with them what can go wrong. */
  readonly #losesCounters: boolean
  /** As configured: each node learns of a change eventually, or when it starts. */
  #limits: ScopeLimits

  constructor(world: LeaseWorld, random: (below: number) => number, limits: ScopeLimits) {
    this.world = world
    this.#random = random
    this.#limits = limits
    this.#losesCounters = random(2) === 0
    world.limit(limits)
  }

  readonly isDeaf = (node: SimulatedNode) => this.#deaf.has(node)

  async step(): Promise<void> {
    const { world } = this
    const node = world.nodes[this.#random(world.nodes.length)] as SimulatedNode
    const dice = this.#random(1_000)
    if (dice < 435) await this.#call(node)
    else if (dice < 450) await (this.#losesCounters ? this.#rebuild() : this.#call(node))
    else if (dice < 800) await this.#finish()
    else if (dice < 910) await this.#exchange(node)
    else if (dice < 915) this.#change()
    else if (dice < 930) node.limits = this.#limits
    else if (dice < 956) world.now += this.#random(40) === 0 ? 3_600_000 : this.#random(3_000)
    else if (dice < 960) this.#setBack()
    else if (dice < 975) await this.#turn(node)
    else if (dice < 990) await this.#killOrStart(node)
    else world.now += this.#random(20)
  }

  async #call(node: SimulatedNode): Promise<void> {
    if (!node.isUp) return
    const outcome = await this.world.call(node, BigInt(1 + this.#random(400)), this.isDeaf)
    if (outcome === 'admitted') this.admitted.count += 1
    if (outcome === 'refused') this.refused += 1
  }

  async #finish(): Promise<void> {
    const running = this.world.running[this.#random(Math.max(1, this.world.running.length))]
    if (running === undefined) return
    await this.world.finish(running, (running.hold * BigInt(this.#random(101))) / 100n)
  }

  async #exchange(node: SimulatedNode): Promise<void> {
    const travels: Travel[] = ['arrives', 'arrives', 'arrives', 'is lost', 'answer is lost', 'arrives twice']
    const travel = this.isDeaf(node) ? 'is lost' : (travels[this.#random(travels.length)] ?? 'arrives')
    if (node.isUp && !node.isJoined && !this.isDeaf(node)) await node.join()
    else if (node.isUp) await node.exchange([], this.#random(3) === 0, travel)
  }

  /** Lowers or raises a limit, often below what is spent or leased; about half of the nodes learn of it now. */
  #change(): void {
    const { key, workspace } = this.#limits
    const isOfKey = workspace?.budget === undefined || this.#random(2) === 0
    const per = (isOfKey ? key : workspace)?.budget?.per ?? 'total'
    const changed = budget(BigInt(this.#random(10_000)), per)
    this.#limits = isOfKey ? { key: changed, workspace } : { key, workspace: changed }
    this.changes += 1
    for (const node of this.world.nodes) if (this.#random(2) === 0) node.limits = this.#limits
  }

  /** By seconds or hours, over midnight or not. */
  #setBack(): void {
    this.setsBack += 1
    this.world.now -= this.#random(3) === 0 ? this.#random(7_200_000) : this.#random(5_000)
  }

  /** Some report what they hold at once, some later, some die or are cut off before they do. */
  async #rebuild(): Promise<void> {
    this.rebuilds += 1
    await this.world.rebuild()
    for (const node of this.world.nodes) {
      const fate = this.#random(4)
      if (fate === 0) await this.#turn(node)
      else if (fate === 1 && node.isUp) await this.#killOrStart(node)
      else if (fate === 2 && node.isUp && !this.isDeaf(node)) await node.join()
    }
  }

  /** It is cut off, for so long perhaps that it counts as dead, or back. */
  async #turn(node: SimulatedNode): Promise<void> {
    if (this.#deaf.delete(node)) return
    this.#deaf.add(node)
    if (this.#random(3) === 0) await node.markDead(connection)
  }

  async #killOrStart(node: SimulatedNode): Promise<void> {
    if (!node.isUp) {
      this.#deaf.delete(node)
      node.limits = this.#limits
      await node.start()
      return
    }
    node.kill()
    for (const running of this.world.running) {
      if (running.node === node && this.#random(2) === 0) node.leave(running)
    }
    this.world.running = this.world.running.filter((each) => each.node !== node)
    if (this.#random(2) === 0) await node.markDead(connection)
  }

  hear(): void {
    this.#deaf.clear()
  }
}

const SEEDS = Number(process.env['LEASE_SEEDS'] ?? 40)
const FIRST = seedOr(1)

test(`${SEEDS} storms: crashes, lost, repeated and delayed messages, silent nodes, ends of periods, clocks set back, other limits, lost counters`, async () => {
  let [admitted, refused, changes, setsBack, rebuilds] = [0, 0, 0, 0, 0]
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
    const random = randomOf(seed)
    const world = await newWorld(1 + random(6))
    const per = (['total', 'day', 'month'] as const)[random(3)] ?? 'total'
    const key = budget(BigInt(1_000 + random(9_000)), per)
    const workspace = random(2) === 0 ? budget(BigInt(1_000 + random(9_000)), 'total') : null
    const storm = new Storm(world, random, { key, workspace })
    try {
      for (let step = 0; step < 300; step++) {
        await storm.step()
        await world.assertWithin()
      }
      storm.hear()
      await world.assertSettled()
      await world.assertWithin()
    } catch (error) {
      throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : error}`, { cause: error })
    }
    admitted += storm.admitted.count
    refused += storm.refused
    changes += storm.changes
    setsBack += storm.setsBack
    rebuilds += storm.rebuilds
  }
  assert.ok(
    admitted > SEEDS * 20 && refused > SEEDS,
    `${admitted} admitted, ${refused} refused: the storms meet the limit`,
  )
  assert.ok(changes > SEEDS, `${changes} changes of a limit`)
  assert.ok(setsBack > SEEDS / 2, `${setsBack} clocks set back`)
  assert.ok(rebuilds > SEEDS / 2, `${rebuilds} rebuilds`)
})
