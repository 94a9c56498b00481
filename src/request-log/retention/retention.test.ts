import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeRecord, openRecord, testStores } from '../../../test/test-store.ts'
import { partitionDays } from './partitions.ts'
import { deleteExpired } from './retention.ts'

const stores = await testStores()
const DAY_MS = 86_400_000
const noPause = async () => {}

test('on SQLite old closed rows of every workspace go in small steps; open and recent ones stay', async () => {
  const { db, requestLog } = await stores.openNew('sqlite')
  for (let index = 0; index < 25; index++) {
    const workspace = index % 5 === 0 ? 'other' : 'default'
    await requestLog.close(closeRecord(`old-${index}`, { startedAt: index, workspace }))
  }
  await requestLog.open(openRecord('old-open', { startedAt: 1 }))
  await requestLog.close(closeRecord('new', { startedAt: 100 }))
  await requestLog.caughtUp()

  let pauses = 0
  const pause = async () => {
    pauses++
  }
  assert.equal(await deleteExpired(db, { before: 100, pause, stepRows: 6 }), 25)
  assert.equal(pauses, 3)
  const left = await db.selectFrom('requests').select('id').orderBy('id').execute()
  assert.deepEqual(left, [{ id: 'new' }, { id: 'old-open' }])
  assert.equal(await deleteExpired(db, { before: 100, pause }), 0)
})

test('on PostgreSQL whole days go, but for days with a running call and the day that is not over', async () => {
  const { db, requestLog } = await stores.openNew('postgres')
  for (let hour = 0; hour < 5 * 24; hour += 6) {
    await requestLog.close(closeRecord(`call-${String(hour).padStart(3, '0')}`, { startedAt: hour * 3_600_000 }))
  }
  await requestLog.open(openRecord('running', { startedAt: DAY_MS + 1 }))
  await requestLog.caughtUp()
  const daysLeft = async () => (await partitionDays(db)).map((day) => day / DAY_MS).filter((day) => day < 5)

  const expire = () => deleteExpired(db, { before: 3.5 * DAY_MS, pause: noPause })
  const dropped = await Promise.all([expire(), expire(), expire()])
  assert.equal(dropped[0] + dropped[1] + dropped[2] + (await expire()), 2)
  assert.deepEqual(await daysLeft(), [1, 3, 4])
  const rows = await db.selectFrom('requests').select('id').orderBy('id').execute()
  assert.equal(rows.length, 13)

  await requestLog.close(closeRecord('running', { startedAt: DAY_MS + 1 }))
  await requestLog.caughtUp()
  assert.equal(await expire(), 1)
  assert.deepEqual(await daysLeft(), [3, 4])
})

test('on PostgreSQL a reader in the middle of the log is not disturbed: the day goes in the next round', async () => {
  const { db, reads, requestLog } = await stores.openNew('postgres')
  await requestLog.close(closeRecord('old'))
  await requestLog.caughtUp()
  const expire = () => deleteExpired(db, { before: 3 * DAY_MS, pause: noPause })
  await reads.transaction().execute(async (reader) => {
    await reader.selectFrom('requests').select('id').execute()
    assert.equal(await expire(), 0)
    assert.deepEqual(await reader.selectFrom('requests').select('id').execute(), [{ id: 'old' }])
  })
  assert.equal(await expire(), 1)
  assert.deepEqual(await reads.selectFrom('requests').select('id').execute(), [])
})
