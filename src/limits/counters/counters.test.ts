import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import { connectTo, FLUSH, NO_VALUES } from '../../../test/counters.ts'
import { until } from '../../../test/harness.ts'
import { startValkey } from '../../../test/valkey.ts'
import { asPicodollars } from '../../domain/pricing/price.ts'
import type { HeldCall } from '../admission.ts'
import type { Scope } from '../ledger.ts'
import type { Payer } from '../spend-ledger.ts'
import { listOf } from './answers.ts'
import { type Counters, openCounters } from './counters.ts'
import { rebuildStep } from './rebuild.ts'
import type { Missed } from './reports.ts'
import type { RequestLogView } from './request-log.ts'
import { defineScript, type Script } from './script.ts'
import { ARRIVE, BEGIN } from './scripts/rebuild.ts'

const server = await startValkey()
const connection = await connectTo(server.url)
const opened = new Set<Counters>()
after(async () => {
  for (const counters of opened) await counters.stop()
  await connection.close()
  await server.stop()
})

const KEY: Scope = { kind: 'key', id: 'a' }
const COST = asPicodollars(7n)
/** However busy the machine is. */
const SOON_MS = 100_000
const FREE: Payer = { key: { id: 'a', limits: null }, workspace: { name: 'first', limits: null } }
const BOUND: Payer = {
  key: { id: 'a', limits: { budget: { usd: '1', per: 'total', mode: 'hard' } } },
  workspace: { name: 'first', limits: null },
}

/** What a request log would say; empty unless a test puts something in. */
class FakeLog implements RequestLogView {
  nodes = [{ node: 'one', name: 'one' }]
  rebuilds = 0
  reportedUpTo = 0
  tail: Omit<Missed, 'left'> | null = { spent: [], seconds: [] }
  left: Missed['left'] = []

  async caughtUp(): Promise<void> {}

  reported(position: number): void {
    this.reportedUpTo = position
  }

  readTail = async () => this.tail

  readLeft = async () => this.left

  positionOf = async () => ({ seq: 0, ends: 0 })

  async readLedger() {
    this.rebuilds++
    return { scopes: [], positions: [], left: [] }
  }

  async runningNodes() {
    return this.nodes
  }
}

let log = new FakeLog()
beforeEach(async () => {
  for (const counters of opened) await counters.stop()
  opened.clear()
  // After a test that halted the server this connection may still be on its way back.
  const flush = () => connection.run(FLUSH, {}).then(() => true)
  await until(() => flush().catch(() => false), 'the server is empty')
  log = new FakeLog()
})

function open(node: string, now = Date.now): Counters {
  const counters = openCounters({
    installation: 'test',
    url: server.url,
    prefix: '{test}:',
    node,
    policy: null,
    leaseMs: 200,
    requestLog: log,
    eachLog: NO_VALUES,
    position: () => 10,
    events: { onUnchecked() {}, onRefused() {}, onWaited() {} },
    log: { info() {}, warn() {} },
    now,
  })
  opened.add(counters)
  return counters
}

async function start(node = 'one'): Promise<Counters> {
  const counters = open(node)
  assert.equal(await counters.ready(SOON_MS), true)
  return counters
}

async function admitted(counters: Counters, payer: Payer, id: string): Promise<HeldCall> {
  const decision = await counters.ledger.admit(payer, { picodollars: COST, tokens: 1 }, id)
  assert.ok(decision.kind === 'admitted', decision.kind)
  counters.ledger.opened(decision.call, 11)
  return decision.call
}

async function totals(counters: Counters): Promise<{ spent: bigint; held: bigint }> {
  const [status] = await counters.ledger.status([KEY])
  assert.ok(status)
  const { spent, held } = status.periods.total
  return { spent, held }
}

/** Something happens on the server behind everybody's back. */
const tamper = (text: string) => connection.run(defineScript({ name: 'tamper', answers: [] }, text), {})

describe('a server that lost data is not trusted', () => {
  test('when it comes back with less than a node has seen', async () => {
    const counters = await start()
    await admitted(counters, FREE, 'call')
    assert.equal(log.rebuilds, 1)
    await tamper(`redis.call('HSET', KEYS[1], 'sequence', 0) return { 1 }`)
    await until(() => log.rebuilds === 2 && counters.state().up, 'it is rebuilt')
  })

  test('when it has forgotten messages of a node', async () => {
    const counters = await start()
    const call = await admitted(counters, BOUND, 'call')
    await tamper(`redis.call('HSET', '{test}:node:one', 'number', 0) return { 1 }`)
    await counters.ledger.settle(call, { picodollars: COST, tokens: 1 }, 12)
    await until(() => log.rebuilds === 2 && counters.state().up, 'it is rebuilt')
  })

  test('and what is held is told again before anything is decided', async () => {
    const counters = await start()
    await admitted(counters, BOUND, 'call')
    await connection.run(FLUSH, {})
    await until(() => log.rebuilds === 2 && counters.state().up, 'it is rebuilt')
    await until(async () => (await totals(counters)).held === COST, 'it is held')
  })

  test('when it restarted without an append-only file, and so did the node', async () => {
    const first = await start()
    await first.stop()
    opened.clear()
    await start()
    assert.equal(log.rebuilds, 1, 'the same server is believed')
    for (const counters of opened) await counters.stop()
    await tamper(`redis.call('HSET', KEYS[1], 'server', 'another') return { 1 }`)
    await start()
    assert.equal(log.rebuilds, 2)
  })
})

test('a rebuild waits for the rows of every node that may have some', async () => {
  log.nodes.push({ node: 'two', name: 'two' })
  const counters = open('one')
  assert.equal(await counters.ready(600), false)
  assert.equal((await counters.ledger.admit(BOUND, { picodollars: COST, tokens: 1 }, 'call')).kind, 'unavailable')
  await start('two')
  assert.equal(await counters.ready(SOON_MS), true)
  assert.equal(log.rebuilds, 1)
})

test('a node that stops between its report and the end of a rebuild keeps nobody waiting', async () => {
  log.nodes.push({ node: 'two', name: 'two' })
  const counters = open('one')
  const server = /^run_id:(\w+)/m.exec(await connection.info('server'))?.[1] ?? ''
  await until(
    async () => listOf((await connection.run(ARRIVE, { node: 'two', server })).nodes).length !== 1,
    'both have reported',
  )
  log.nodes.pop()
  assert.equal(await counters.ready(SOON_MS), true)
  const asked = () => counters.ledger.admit(BOUND, { picodollars: COST, tokens: 1 }, 'call')
  await until(async () => (await asked()).kind === 'admitted', 'calls are decided')
})

test('a rebuild over midnight begins anew: what was read is of the day before', async () => {
  const began = async <A extends string, F extends string>(script: Script<A, F>, given: Record<A, string>) => {
    const answer = await connection.run(script, given)
    if (script.name !== BEGIN.name) return answer
    return Object.fromEntries(
      Object.entries(answer).map(([name, at]) => [name, Number(at) - 86_400_000]),
    ) as typeof answer
  }
  const place = { node: 'one', server: 'server' }
  assert.deepEqual(await rebuildStep({ ...connection, run: began }, log, place), { kind: 'left' })
  assert.deepEqual(await rebuildStep(connection, log, place), { kind: 'rebuilt', scopes: 0 })
})

test('the clock of the server counts, also when that of the machine is ahead', async () => {
  const counters = open('one', () => Date.now() + 86_400_000)
  const before = counters.ledger.now()
  assert.equal(await counters.ready(SOON_MS), true)
  assert.ok(counters.ledger.now() < before)
})

test('a server that accepts connections but does not answer is left, and calls follow the policy', async () => {
  const counters = await start()
  server.freeze()
  try {
    const asked = await Promise.all([
      counters.ledger.admit(FREE, { picodollars: COST, tokens: 1 }, 'free'),
      counters.ledger.admit(BOUND, { picodollars: COST, tokens: 1 }, 'bound'),
    ])
    assert.deepEqual(
      asked.map((decision) => decision.kind),
      ['admitted', 'unavailable'],
    )
    await until(() => !counters.state().up, 'it is left')
    const [free] = asked
    assert.ok(free?.kind === 'admitted')
    counters.ledger.opened(free.call, 11)
    await counters.ledger.settle(free.call, { picodollars: COST, tokens: 1 }, 12)
  } finally {
    server.wake()
  }
  await until(() => counters.state().up, 'it is back')
  // The other one was admitted by the server after all, and is taken back.
  await until(async () => (await totals(counters)).held === 0n, 'nothing is held')
  assert.equal((await totals(counters)).spent, COST)
})

test('the end of a call counts once, and the spool is told what need not be kept', async () => {
  const counters = await start()
  const call = await admitted(counters, BOUND, 'call')
  assert.equal(await counters.ledger.settle(call, { picodollars: COST, tokens: 1 }, 12), true)
  assert.equal(await counters.ledger.settle(call, { picodollars: COST, tokens: 1 }, 12), false)
  assert.deepEqual(await totals(counters), { spent: COST, held: 0n })
  await until(() => log.reportedUpTo === 12, 'it is reported')
})

describe('a process that begins', () => {
  const spent = (cost: bigint) => ({ keyId: 'a', workspace: 'first', startedAt: Date.now(), cost })

  test('reports what the one before could not', async () => {
    const first = await start()
    await first.stop()
    opened.clear()
    log.tail = { spent: [spent(3n), spent(4n)], seconds: [] }
    log.left = [{ id: 'cut', ...spent(100n) }]
    const counters = await start()
    assert.deepEqual(await totals(counters), { spent: 107n, held: 0n })
    await counters.stop()
    opened.clear()
    log.tail = { spent: [], seconds: [] }
    assert.deepEqual(await totals(await start()), { spent: 107n, held: 0n }, 'what was cut off counts once')
  })

  test('has the ledger rebuilt when the spool no longer has it', async () => {
    const first = await start()
    await first.stop()
    opened.clear()
    log.tail = null
    const counters = open('one')
    await until(() => log.rebuilds >= 2, 'it is rebuilt')
    log.tail = { spent: [], seconds: [] }
    assert.equal(await counters.ready(SOON_MS), true)
  })
})

test('what a node has leased is free when it is forgotten, and its minute already when it is dead', async () => {
  log.nodes.push({ node: 'two', name: 'two' })
  const waiting = open('one')
  const dying = await start('two')
  assert.equal(await waiting.ready(SOON_MS), true)
  await admitted(dying, BOUND, 'call')
  await tamper(`redis.call('HSET', '{test}:node:two', 'process', 'nobody') return { 1 }`)
  await dying.stop()
  opened.delete(dying)
  await tamper(`redis.call('SADD', '{test}:nodes', 'two') return { 1 }`)
  log.nodes = [{ node: 'one', name: 'one' }]
  await until(async () => (await waiting.ledger.leases()).every(({ node }) => node !== 'two'), 'it is gone')
  assert.deepEqual(await totals(waiting), { spent: 0n, held: 0n })
})

test('a server that answers with errors is as good as none, until it no longer does', async () => {
  const counters = await start()
  const call = await admitted(counters, FREE, 'call')
  await server.order('CONFIG SET maxmemory 1')
  await counters.ledger.settle(call, { picodollars: COST, tokens: 1 }, 12)
  await until(() => !counters.state().up, 'it is of no use')
  assert.match(counters.state().problem ?? '', /OOM/)
  assert.equal((await counters.ledger.admit(BOUND, { picodollars: COST, tokens: 1 }, 'bound')).kind, 'unavailable')
  await server.order('CONFIG SET maxmemory 0')
  await until(() => counters.state().up, 'it is of use again')
  await until(async () => (await totals(counters)).spent === COST, 'the call is booked')
})
