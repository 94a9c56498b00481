import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { after, describe, test } from 'node:test'
import { SETS } from './node-sets.ts'
import { measureNodes, middle } from './nodes.ts'
import { counterText, nodesText } from './nodes-report.ts'
import { QUICK } from './plan.ts'
import { parentOf, treeMicroseconds } from './process-tree.ts'
import { takeTurn } from './turn.ts'

// The budget's test measures at the same time, and what it measures must not be slowed by this.
const turn = await takeTurn(100_000)
after(() => turn[Symbol.dispose]())

const isLinux = existsSync('/proc/self/stat')

/** Never a time: a machine that runs tests measures nothing. */
test('two nodes on PostgreSQL and Valkey are measured', { skip: !isLinux, timeout: 200_000 }, async () => {
  const plan = {
    ...QUICK,
    rounds: 1,
    sliceSeconds: 0.3,
    warmupSeconds: 0.1,
    latencySeconds: 0.3,
    rates: [{ rate: 500, rounds: 1 }],
  }
  const sets = SETS.filter(({ nodes }) => nodes === 2)
  const result = await measureNodes({ plan, peers: [], dist: false, progress() {} }, sets)
  const [row, ...more] = result.rows
  assert.deepEqual([row?.name, row?.errors, row?.firstError], ['two nodes, PostgreSQL and Valkey', 0, null])
  assert.ok(
    row && row.requestsPerSecond > 0 && row.cpu.nodes > 0 && row.cpu.postgres !== null && row.cpu.valkey !== null,
  )
  assert.deepEqual(more, [])
  assert.match(nodesText(result), /A quick run/)
})

describe('the report on several nodes', () => {
  const slice = (cpu: number, valkey: number | null) => ({
    requestsPerSecond: 1000,
    p50Ms: 1,
    p99Ms: 2,
    cpu: { nodes: cpu, postgres: 50, valkey },
    errors: 0,
    firstError: null,
  })

  test('takes the middle of the rounds', () => {
    assert.equal(middle([slice(300, null), slice(100, null), slice(200, null)]).cpu.nodes, 200)
  })

  test('says what shared counters cost: the same node with them less without them', () => {
    const rows = [
      { name: 'alone', nodes: 1, ...slice(150, null), added: { p50Ms: 1, p99Ms: 5 } },
      { name: 'shared', nodes: 1, ...slice(190, 25), added: { p50Ms: 1.25, p99Ms: 6 } },
    ]
    const head = { startedAt: '', node: '', processor: '', cores: 2, quick: false, dist: true }
    const text = counterText({ ...head, rounds: 5, sliceSeconds: 2, rate: 500, rows })
    assert.match(text, /40 µs of CPU in the node and 25 µs in Valkey, and at 500\/s 0\.25 ms .* 1\.00 ms/)
  })

  test('counts the time of processes that have ended with their parent', { skip: !isLinux }, () => {
    const before = treeMicroseconds(process.pid)
    execFileSync(process.execPath, ['-e', 'while (process.cpuUsage().user < 200_000);'])
    assert.ok(treeMicroseconds(process.pid) - before >= 100_000)
    assert.equal(parentOf(process.pid), process.ppid)
  })
})
