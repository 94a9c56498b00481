import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { logCalls } from '../../../test/calls/any-call.ts'
import { ENGINES, testStores } from '../../../test/test-store.ts'
import { percentilesOf } from './histogram.ts'
import { forgetHours, keepHours } from './keep-hours.ts'
import { createPerformanceReader } from './performance.ts'

const stores = await testStores()
const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Far ahead: the fold's own housekeeping has come as far as today. */
const NOW = Math.floor(Date.now() / DAY + 400) * DAY
const pause = async () => {}

for (const engine of ENGINES) {
  describe(`hours that are over, on ${engine}`, async () => {
    const { db } = await stores.openNew(engine)
    /** In hours before now, and how long each took. */
    const called = [...[40 * 24, 20 * 24, 5, 3, 3, 2, 1, 0].map((hours, index) => [hours, 10 + index] as const)].map(
      ([hours, ms]) => ({ startedAt: NOW - hours * HOUR, finishedAt: NOW - hours * HOUR + ms, firstContentMs: 3 }),
    )
    await logCalls(db, 'some', called)
    const kept = () => db.selectFrom('performance_hours').select(['hour', 'kind']).orderBy('hour').execute()
    const question = { workspaces: ['some'], from: NOW - 30 * DAY, to: NOW + HOUR, interval: 'hour' as const }
    const ask = async () => {
      const reader = createPerformanceReader()
      const calls = await reader.calls(db, { ...question, groupBy: 'model', filters: {} })
      const attempts = await reader.attempts(db, { ...question, provider: null })
      const shown = calls.rows.map(({ start, group, figures: { requests, codes, durations, firstContents } }) => ({
        ...{ start, group, requests, codes: [...codes] },
        ...{ durations: percentilesOf(durations), firstContents: percentilesOf(firstContents) },
      }))
      return { shown, attempts: attempts.rows }
    }

    test('are worked out once, up to the last but one, and say what the rows say', async () => {
      const fromRows = await ask()
      assert.equal(fromRows.shown.length, 6)
      // The fold's own housekeeping may move it, too: then this one gives way.
      const until = () =>
        db.selectFrom('settings').select('value').where('name', '=', 'performance_until').executeTakeFirst()
      while (Number((await until())?.value) < NOW - HOUR) await keepHours(db, NOW, pause)
      const hours = new Set((await kept()).map(({ hour }) => (NOW - hour) / HOUR))
      assert.deepEqual([...hours], [20 * 24, 5, 3, 2])
      assert.equal(await keepHours(db, NOW, pause), false)
      assert.deepEqual(await ask(), fromRows)
    })

    test('are read from there', async () => {
      await db
        .updateTable('performance_hours')
        .set({ parts: '[]' })
        .where('hour', '=', NOW - 5 * HOUR)
        .execute()
      assert.equal((await ask()).shown.length, 5)
    })

    test('are read from the rows again where they are not what the hourly sums say', async () => {
      await db
        .updateTable('performance_hours')
        .set({ state: 'of before' })
        .where('hour', '=', NOW - 5 * HOUR)
        .execute()
      assert.equal((await ask()).shown.length, 6)
    })

    test('go with their rows', async () => {
      await forgetHours(db, NOW - 4 * HOUR + 1)
      assert.deepEqual([...new Set((await kept()).map(({ hour }) => (NOW - hour) / HOUR))], [3, 2])
    })
  })
}
