import assert from 'node:assert/strict'
import { test } from 'node:test'
import { logCalls } from '../../../test/calls/any-call.ts'
import { testStores } from '../../../test/test-store.ts'
import { createHourMemory, type Part, type Span } from './hour-memory.ts'

const stores = await testStores()
const { db } = await stores.openNew('sqlite')
const HOUR = 3_600_000

/** Calls in the hours 1 to 5 and in the hour 9. */
await logCalls(
  db,
  'some',
  [1, 2, 3, 4, 5, 9].map((hour) => ({ startedAt: hour * HOUR + 7 })),
)

/** A memory of so many numbers, and which hours are read from the rows. */
function watched(most: number) {
  const reads: [from: number, to: number][] = []
  const memory = createHourMemory(
    'calls',
    async (_db, { from, to, stepMs }: Span): Promise<Part[]> => {
      reads.push([from / HOUR, to / HOUR])
      const hours = Array.from({ length: (to - from) / stepMs }, (_, index) => from + index * stepMs)
      return hours.map((start) => ({ workspace: 'some', start, size: 9 }))
    },
    most,
  )
  const ask = async (from: number, to: number, stepMs = HOUR) => {
    reads.length = 0
    const parts = await memory.read(db, { workspaces: ['some'], from: from * HOUR, to: to * HOUR, stepMs })
    return { hours: parts.map(({ start }) => start / HOUR).toSorted((a, b) => a - b), reads: [...reads] }
  }
  return { ask }
}

test('hours that follow each other are read together, and only once', async () => {
  const { ask } = watched(1_000)
  assert.deepEqual(await ask(2, 10), {
    hours: [2, 3, 4, 5, 9],
    reads: [
      [2, 6],
      [9, 10],
    ],
  })
  assert.deepEqual(await ask(0, 10), { hours: [1, 2, 3, 4, 5, 9], reads: [[1, 2]] })
  assert.deepEqual((await ask(0, 10)).reads, [])
})

test('a range that is too long for the memory is answered, and read in part when asked again', async () => {
  const { ask } = watched(25)
  assert.deepEqual((await ask(1, 6)).hours, [1, 2, 3, 4, 5])
  assert.deepEqual(await ask(1, 6), { hours: [1, 2, 3, 4, 5], reads: [[3, 6]] })
})

test('what was used last stays', async () => {
  const { ask } = watched(25)
  await ask(1, 2)
  await ask(2, 3)
  await ask(1, 2)
  await ask(9, 10)
  assert.deepEqual((await ask(1, 2)).reads, [])
  assert.deepEqual((await ask(2, 3)).reads, [[2, 3]])
})

test('minutes are not kept', async () => {
  const { ask } = watched(1_000)
  const first = await ask(2, 2.5, 60_000)
  assert.deepEqual([first.hours.length, first.reads], [30, [[2, 3]]])
  assert.deepEqual((await ask(2, 2.5, 60_000)).reads, [[2, 3]])
})

test('questions that come together read once; one that fails does not stop the next', async () => {
  let reads = 0
  const memory = createHourMemory('calls', async (): Promise<Part[]> => {
    if (++reads === 1) throw new Error('away')
    return []
  })
  const ask = () => memory.read(db, { workspaces: ['some'], from: HOUR, to: 2 * HOUR, stepMs: HOUR })
  const [first, second, third] = await Promise.allSettled([ask(), ask(), ask()])
  assert.deepEqual([first.status, second.status, third.status, reads], ['rejected', 'fulfilled', 'fulfilled', 2])
})
