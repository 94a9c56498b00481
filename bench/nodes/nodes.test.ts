import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { treeMicroseconds } from '../load/process-usage.ts'
import { medians } from './nodes.ts'

const isLinux = existsSync('/proc/self/stat')

test('figures are medians of the slices', () => {
  const slice = (nodesCpu: number) => ({
    ...{ requestsPerSecond: 1000, nodesCpu, postgresCpu: 50, valkeyCpu: null, errors: 1 },
  })
  const row = medians([slice(300), slice(100), slice(200)])
  assert.deepEqual([row.nodesCpu, row.postgresCpu, row.valkeyCpu, row.errors], [200, 50, null, 3])
})

test('the CPU time of ended processes counts with their parent', { skip: !isLinux }, () => {
  const before = treeMicroseconds(process.pid)
  execFileSync(process.execPath, ['-e', 'while (process.cpuUsage().user < 200_000);'])
  assert.ok(treeMicroseconds(process.pid) - before >= 100_000)
})
