import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, test } from 'node:test'
import { QUICK } from '../plan.ts'
import { builtProgram } from '../run/gateway.ts'
import { takeTurn } from '../run/turn.ts'
import { SETS } from './node-sets.ts'
import { measureNodes } from './nodes.ts'
import { nodesText } from './report.ts'

// The budget's test must not be slowed by this one.
const turn = await takeTurn(100_000)
after(() => turn[Symbol.dispose]())

const isLinux = existsSync('/proc/self/stat')

/** No assertion on times: a machine that runs tests is busy. */
test('two nodes on PostgreSQL and Valkey are measured', { skip: !isLinux, timeout: 200_000 }, async () => {
  const plan = {
    ...QUICK,
    warmupSeconds: 0.1,
    latency: { rates: [{ rate: 500, rounds: 1 }], seconds: 0.3 },
  }
  const sets = SETS.filter(({ nodes }) => nodes === 2)
  const result = await measureNodes({ plan, peers: [], build: builtProgram(), progress() {} }, sets, null)
  const [row, ...more] = result.rows
  assert.deepEqual([row?.name, row?.errors], ['two nodes, PostgreSQL and Valkey', 0])
  assert.ok(row && row.requestsPerSecond > 0 && row.nodesCpu > 0 && row.postgresCpu !== null && row.valkeyCpu !== null)
  assert.deepEqual(more, [])
  assert.match(nodesText(result), /A quick run/)
})
