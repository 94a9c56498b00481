import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { beginLedger, connectTo, NO_VALUES } from '../../../test/counters.ts'
import { until } from '../../../test/harness.ts'
import { ask, startValkeyCluster } from '../../../test/valkey-cluster.ts'
import type { Limits } from '../../domain/limits.ts'
import { asPicodollars } from '../../domain/pricing/price.ts'
import { addressesOf, movedTo } from './cluster.ts'
import { type Counters, openCounters } from './counters.ts'
import type { RequestLogView } from './request-log.ts'
import { SCOPE_NAMES } from './scripts/status.ts'

describe('where a server of a cluster sends us', () => {
  const moved = (place: string) => movedTo(new Error(`MOVED 42 ${place}`), 'rediss://me:secret@one.example:7000/')
  test('with our credentials and protocol', () => {
    assert.equal(moved('10.0.0.2:7001'), 'rediss://me:secret@10.0.0.2:7001/')
    assert.equal(moved('two.example:7001'), 'rediss://me:secret@two.example:7001/')
    assert.equal(moved('fe80::1:7001'), 'rediss://me:secret@[fe80::1]:7001/')
  })
  test('on the same host when it names none', () =>
    assert.equal(moved(':7001'), 'rediss://me:secret@one.example:7001/'))
  test('and nowhere with another error', () => {
    assert.equal(movedTo(new Error('NOSCRIPT No matching script'), 'redis://one'), null)
    assert.equal(movedTo('MOVED 1 a:1', 'redis://one'), null)
  })
  test('all of them are in the list of slots', () => {
    const reply = [
      [0, 99, ['10.0.0.1', 7000, 'id'], ['10.0.0.2', 7001, 'id']],
      [100, 199, ['', 7002, 'id']],
    ]
    const found = ['redis://10.0.0.1:7000', 'redis://10.0.0.2:7001', 'redis://one:7002']
    assert.deepEqual(addressesOf(reply, 'redis://one:6379'), found)
    assert.deepEqual(addressesOf([], 'redis://one'), [])
  })
})

const LIMITS: Limits = { budget: { usd: '0.000000001', per: 'total', mode: 'hard' } }

describe('a cluster', { timeout: 300_000 }, async () => {
  const cluster = await startValkeyCluster('{failover-test}:ledger')
  after(() => cluster.stop())

  test('is used through any of its servers, a replica too', async (t) => {
    for (const [index, { url }] of cluster.servers.entries()) {
      const connection = await connectTo(url, '{failover-test}:')
      t.after(() => connection.close())
      if (index === 0) await beginLedger(connection)
      assert.deepEqual(await connection.run(SCOPE_NAMES, {}), { names: [] })
    }
    assert.equal(await ask(cluster.owner, ['EXISTS', '{failover-test}:ledger']), 1)
  })

  test('whose replica takes over without the last messages is rebuilt, and no budget is exceeded', async (t) => {
    let rebuilds = 0
    const requestLog: RequestLogView = {
      caughtUp: async () => {},
      reported() {},
      readTail: async () => ({ spent: [], seconds: [] }),
      readLeft: async () => [],
      positionOf: async () => ({ seq: 0, ends: 0 }),
      async readLedger() {
        rebuilds++
        return { scopes: [], positions: [], left: [] }
      },
      runningNodes: async () => ['one', 'two'].map((node) => ({ node, name: node })),
    }
    const nodes = ['one', 'two'].map((node) =>
      openCounters({
        installation: 'test',
        ...{ url: cluster.servers[0]?.url ?? '', prefix: '{failover-test}:', node, policy: null, leaseMs: 30_000 },
        ...{ requestLog, eachLog: NO_VALUES, position: () => 0, now: Date.now, log: { info() {}, warn() {} } },
        events: { onUnchecked() {}, onRefused() {}, onWaited() {} },
      }),
    )
    t.after(() => Promise.all(nodes.map((node) => node.stop())))
    const [one, two] = nodes as [Counters, Counters]
    for (const node of nodes) assert.equal(await node.ready(60_000), true)
    const admit = async ({ ledger }: Counters, picodollars: bigint) => {
      const payer = { key: { id: 'a', limits: LIMITS }, workspace: { name: 'first', limits: null } }
      return (await ledger.admit(payer, { picodollars: asPicodollars(picodollars), tokens: 1 }, randomUUID())).kind
    }
    assert.equal(await admit(one, 100n), 'admitted')
    assert.equal(await ask(cluster.owner, ['WAIT', '1', '60000']), 1)
    // The replica is cut off from the owner: what follows is lost with the owner.
    cluster.replica.freeze()
    await ask(cluster.owner, ['CLIENT', 'KILL', 'TYPE', 'replica'])
    assert.equal(await admit(one, 900n), 'admitted')
    await cluster.owner.halt()
    cluster.replica.wake()
    const outcomes: string[] = []
    await until(async () => {
      outcomes.push(await admit(two, 500n))
      return outcomes.at(-1) === 'refused'
    }, 'the replica has taken over and knows what is held')
    assert.equal(outcomes.includes('admitted'), false)
    assert.equal(rebuilds, 1)
  })
})
