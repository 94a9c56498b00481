import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, describe, test } from 'node:test'
import { connectTo, FLUSH } from '../../../test/counters.ts'
import { until } from '../../../test/harness.ts'
import { startValkey } from '../../../test/valkey.ts'
import { asPicodollars } from '../../domain/pricing/price.ts'
import type { HeldCall } from '../admission.ts'
import type { Scope } from '../ledger.ts'
import type { LoggedHold } from '../logged-ledger.ts'
import type { Payer } from '../spend-ledger.ts'
import { type Counters, openCounters } from './counters.ts'
import { reapNode } from './holds.ts'
import type { LoggedEnd, RequestLogView } from './request-log.ts'
import { defineScript } from './script.ts'
import { unbookedFile } from './unbooked-file.ts'

const server = await startValkey()
const connection = await connectTo(server.url)
const folder = mkdtempSync(join(tmpdir(), 'switchyard-counters-'))
const opened = new Set<Counters>()
after(async () => {
  for (const counters of opened) await counters.stop()
  await connection.close()
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

const KEY: Scope = { kind: 'key', id: 'a' }
const COST = asPicodollars(7n)
const FREE: Payer = { key: { id: 'a', limits: null }, workspace: { name: 'first', limits: null } }
const BOUND: Payer = {
  key: { id: 'a', limits: { budget: { usd: '1', per: 'total', mode: 'hard' } } },
  workspace: { name: 'first', limits: null },
}

/** What a request log would say; empty unless a test puts something in. */
class FakeLog implements RequestLogView {
  nodes = [{ node: 'one', name: 'one' }]
  ends = new Map<string, LoggedEnd | 'open'>()
  open: LoggedHold[] = []
  closed: string[] = []
  rebuilds = 0

  async caughtUp(): Promise<void> {}

  readEnds = async () => this.ends

  async closeHolds(holds: readonly LoggedHold[]): Promise<void> {
    this.closed.push(...holds.map(({ id }) => id))
  }

  async readLedger() {
    this.rebuilds++
    return { scopes: [], open: this.open, positions: [] }
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
  const flush = () => connection.run(FLUSH, []).then(() => true)
  await until(() => flush().catch(() => false), 'the server is empty')
  log = new FakeLog()
  unbookedFile(folder).clear()
})

function open(node: string, options: { mostDeferred?: number } = {}): Counters {
  const counters = openCounters({
    url: server.url,
    prefix: '{test}:',
    node,
    policy: null,
    leaseMs: 200,
    requestLog: log,
    unbooked: unbookedFile(folder),
    events: { onUnchecked() {}, onRefused() {}, observe() {} },
    log: { info() {}, warn() {} },
    now: Date.now,
    ...options,
  })
  opened.add(counters)
  return counters
}

async function start(node = 'one', options: { mostDeferred?: number } = {}): Promise<Counters> {
  const counters = open(node, options)
  assert.equal(await counters.ready(10_000), true)
  return counters
}

async function admitted(counters: Counters, payer: Payer, id: string): Promise<HeldCall> {
  const decision = await counters.ledger.admit(payer, { picodollars: COST, tokens: 1 }, id)
  assert.ok(decision.kind === 'admitted', decision.kind)
  counters.ledger.opened(decision.call, 1)
  return decision.call
}

async function totals(counters: Counters): Promise<{ spent: bigint; held: bigint }> {
  const [status] = await counters.ledger.status([KEY])
  assert.ok(status)
  const { spent, held } = status.periods.total
  return { spent, held }
}

/** Something happens on the server behind everybody's back. */
const tamper = (text: string) => connection.run(defineScript('tamper', text), [])

describe('a server that lost data is not trusted', () => {
  test('when it comes back with less than a node has seen', async () => {
    const counters = await start()
    await admitted(counters, FREE, 'call')
    assert.equal(log.rebuilds, 1)
    await tamper(`redis.call('HSET', KEYS[1], 'sequence', 0) return { 1 }`)
    await until(() => log.rebuilds === 2 && counters.state().up, 'it is rebuilt')
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
  assert.equal(await counters.ready(10_000), true)
  assert.equal(log.rebuilds, 1)
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
    assert.equal(counters.state().up, false)
    const [free] = asked
    assert.ok(free?.kind === 'admitted')
    counters.ledger.opened(free.call, 1)
    await counters.ledger.settle(free.call, { picodollars: COST, tokens: 1 }, 2)
  } finally {
    server.wake()
  }
  await until(() => counters.state().up && counters.state().deferred === 0, 'it is back')
  // Both were admitted by the server after all: one is booked, the other one taken back.
  assert.deepEqual(await totals(counters), { spent: COST, held: 0n })
})

test('the end of a call is booked once, however often it is sent', async () => {
  const counters = await start()
  const call = await admitted(counters, BOUND, 'call')
  const again = { ...call }
  assert.equal(await counters.ledger.settle(call, { picodollars: COST, tokens: 1 }, 2), true)
  assert.equal(await counters.ledger.settle(call, { picodollars: COST, tokens: 1 }, 2), false)
  await counters.ledger.settle(again, { picodollars: COST, tokens: 1 }, 2)
  assert.deepEqual(await totals(counters), { spent: COST, held: 0n })
})

test('a call that waits for its booking and was given up is not answered; another one is booked', async () => {
  const counters = await start()
  const strict = await admitted(counters, BOUND, 'strict')
  const loose = await admitted(counters, FREE, 'loose')
  // As if this node had been cut off for long; it renews its lease all the time.
  while (log.closed.length === 0) {
    const lost = tamper(`redis.call('DEL', '{test}:lease:one') return { 1 }`)
    await Promise.all([lost, reapNode(connection, log, 'one', Date.now())])
  }
  assert.deepEqual(log.closed.sort(), ['loose', 'strict'])
  assert.deepEqual(await totals(counters), { spent: 0n, held: 0n })
  assert.equal(await counters.ledger.settle(strict, { picodollars: COST, tokens: 1 }, 2), false)
  await counters.ledger.settle(loose, { picodollars: COST, tokens: 1 }, 2)
  await until(async () => (await totals(counters)).spent === COST, 'it is booked')
})

test('ends beyond the bound are booked from the log', async () => {
  const counters = await start('one', { mostDeferred: 2 })
  await server.halt()
  await until(() => !counters.state().up, 'it is away')
  for (const id of ['x', 'y', 'z', 'last']) {
    const call = await admitted(counters, FREE, id)
    await counters.ledger.settle(call, { picodollars: COST, tokens: 1 }, 2)
    log.ends.set(id, { costPicodollars: COST, tokens: 1, isInterrupted: false })
  }
  assert.ok(counters.state().deferred <= 2)
  await server.resume()
  await until(async () => counters.state().up && (await totals(counters)).spent === 4n * COST, 'all are booked')
  await until(() => unbookedFile(folder).isEmpty(), 'nothing is left to be booked')
})

test('a server that answers with errors is as good as none, until it no longer does', async () => {
  const counters = await start()
  const call = await admitted(counters, FREE, 'call')
  await server.order('CONFIG SET maxmemory 1')
  await counters.ledger.settle(call, { picodollars: COST, tokens: 1 }, 2)
  await until(() => !counters.state().up, 'it is of no use')
  assert.match(counters.state().problem ?? '', /OOM/)
  assert.equal((await counters.ledger.admit(BOUND, { picodollars: COST, tokens: 1 }, 'bound')).kind, 'unavailable')
  await server.order('CONFIG SET maxmemory 0')
  await until(() => counters.state().up, 'it is of use again')
  await until(async () => (await totals(counters)).spent === COST, 'the call is booked')
})
