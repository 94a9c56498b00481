import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import { NO_VALUES } from '../../../test/counters.ts'
import { until } from '../../../test/harness.ts'
import { startValkey } from '../../../test/valkey.ts'
import { asPicodollars } from '../../domain/pricing/price.ts'
import type { Payer } from '../spend-ledger.ts'
import { type Counters, openCounters } from './counters.ts'
import type { RequestLogView } from './request-log.ts'

const server = await startValkey({ appendOnly: true })
const opened: Counters[] = []
afterEach(async () => {
  for (const counters of opened.splice(0)) await counters.stop()
})
after(() => server.stop())

const NAMES = ['one', 'two']
const HOLD = { picodollars: asPicodollars(1_000_000_000_000n), tokens: 1 }

const payer = (usd: number): Payer => ({
  key: { id: 'a', limits: { budget: { usd: String(usd), per: 'total', mode: 'hard' } } },
  workspace: { name: 'first', limits: null },
})

/** A log without rows: no call of these tests has ended. */
const EMPTY_LOG: RequestLogView = {
  async caughtUp() {},
  reported() {},
  readTail: async () => ({ spent: [], seconds: [] }),
  readLeft: async () => [],
  positionOf: async () => ({ seq: 0, ends: 0 }),
  readLedger: async () => ({ scopes: [], positions: [], left: [] }),
  runningNodes: async () => NAMES.map((node) => ({ node, name: node })),
}

/** By default no machine is so slow that a call stops waiting. */
async function startNodes(prefix: string, waitMs = 100_000): Promise<Counters[]> {
  const nodes = NAMES.map((node) =>
    openCounters({
      installation: 'test',
      ...{
        url: server.url,
        prefix: `{${prefix}}:`,
        node,
        policy: null,
        leaseMs: 100_000,
        waitMs,
        position: () => 10,
        eachLog: NO_VALUES,
      },
      requestLog: EMPTY_LOG,
      events: { onUnchecked() {}, onRefused() {}, onWaited() {} },
      log: { info() {}, warn() {} },
      now: Date.now,
    }),
  )
  opened.push(...nodes)
  for (const node of nodes) assert.equal(await node.ready(100_000), true)
  return nodes
}

const isAway = (nodes: readonly Counters[]) => nodes.every((node) => !node.state().up)

/** What becomes of calls that come before the server is killed, while a message is on its way, and while it is down. */
async function callThroughRestart(nodes: readonly Counters[], usd: number, wiped: boolean): Promise<string[]> {
  const calls: Promise<string>[] = []
  const callEverywhere = (count: number) => {
    for (const { ledger } of nodes) {
      for (let call = 0; call < count; call++) {
        const admit = async () => (await ledger.admit(payer(usd), HOLD, `call-${calls.length}`)).kind
        calls.push(admit())
      }
    }
  }
  callEverywhere(3)
  await Promise.all(calls)
  server.freeze()
  callEverywhere(20)
  // Their messages are on their way.
  await new Promise((resolve) => setImmediate(() => setTimeout(resolve)))
  await server.halt()
  await until(() => isAway(nodes), 'all have noticed')
  callEverywhere(20)
  await server.resume({ wiped })
  return await Promise.all(calls)
}

for (const [how, wiped] of [['with all it had', false] as const, ['empty', true] as const]) {
  test(`no call fails for a server that is killed and comes back ${how}`, async () => {
    const kinds = await callThroughRestart(await startNodes(`far-${wiped}`), 1_000, wiped)
    assert.deepEqual(new Set(kinds), new Set(['admitted']))
    assert.equal(kinds.length, 86)
  })

  test(`a hard budget holds for calls that waited for a server that came back ${how}`, async () => {
    const kinds = await callThroughRestart(await startNodes(`near-${wiped}`), 50, wiped)
    const admitted = kinds.filter((kind) => kind === 'admitted').length
    assert.deepEqual(new Set(kinds), new Set(['admitted', 'refused']))
    assert.ok(admitted > 6 && admitted <= 50, `${admitted} of 50`)
  })
}

test('no call waits for a server that has been away for too long', async () => {
  const nodes = await startNodes('long', 1_000)
  await server.halt()
  await until(() => isAway(nodes), 'all have noticed')
  for (const { ledger } of nodes) {
    // Without a wait the answer is there at once.
    const answersNow = () => !(ledger.admit(payer(1_000), HOLD, 'call') instanceof Promise)
    await until(answersNow, 'it is given up')
  }
  await server.resume()
  await until(() => !isAway(nodes), 'it is back')
})
