import assert from 'node:assert/strict'
import { test } from 'node:test'
import { growthOf } from './growth.ts'
import type { Sample } from './sample.ts'

const sample = (minutes: number, rssMiB: number): Sample => ({
  ...{ minutes, calls: 10, rssMiB, heapMiB: minutes === 0 ? null : 20, handles: 30, databaseMiB: minutes },
  ...{ spoolMiB: 4, p50Ms: 1, p99Ms: 2 },
})

test('what has grown is seen between the second and the last quarter; what is written once is not', () => {
  const leaking = Array.from({ length: 40 }, (_, minute) => sample(minute, 100 + minute))
  assert.deepEqual(growthOf(leaking)[0], { of: 'rssMiB', early: 114.5, late: 134.5 })
  const warm = Array.from({ length: 40 }, (_, minute) => sample(minute, minute < 10 ? 50 : 120))
  assert.deepEqual(
    growthOf(warm).map(({ early, late }) => late - early),
    [0, 0, 0, 0, 0],
  )
})

test('too short a run says nothing', () => {
  assert.deepEqual(growthOf([sample(0, 1), sample(1, 2)]), [])
})
