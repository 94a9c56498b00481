import assert from 'node:assert/strict'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Store, StoreOptions } from '../../src/app/open-store.ts'
import { shipSpool } from '../../src/migrate/ship-spool.ts'
import { closeLine } from '../../src/request-log/spool/record-lines.ts'
import { Spool } from '../../src/request-log/spool/spool.ts'
import { until } from '../harness.ts'
import { closeRecord, testStores } from '../test-store.ts'

const stores = await testStores()
const COPY = /is a copy or an old backup of one that another gateway has used since/

async function answer(store: Store, names: readonly string[]): Promise<void> {
  await Promise.all(names.map((id) => store.requestLog.close(closeRecord(id, { startedAt: Date.now() }))))
}

const named = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}-${index}`)

async function logged(store: Store): Promise<string[]> {
  return (await store.db.selectFrom('requests').select('id').orderBy('id').execute()).map(({ id }) => id)
}

/** What a process that was killed has answered and not delivered. */
async function answerAndDie({ dataDir }: StoreOptions, names: readonly string[]): Promise<void> {
  const spool = new Spool(join(dataDir, 'spool'), { synchronousFull: false, onCommit() {} })
  for (const id of names) await spool.append(closeLine(closeRecord(id, { startedAt: Date.now() })))
  await spool.close()
}

/** A gateway that has served, and a copy of its folder. */
async function copied() {
  const original = await stores.newOptions('postgres')
  const copy = { ...(await stores.newOptions('postgres')), databaseUrl: original.databaseUrl }
  const store = await stores.open(original)
  await answer(store, named('first', 10))
  await store.requestLog.caughtUp()
  await store.close()
  cpSync(original.dataDir, copy.dataDir, { recursive: true })
  return { original, copy }
}

test('a folder whose copy has served since does not start, and what it has not delivered stays in it', async () => {
  const { original, copy } = await copied()
  await answerAndDie(original, named('undelivered', 5))
  const other = await stores.open(copy)
  await answer(other, named('copy', 20))
  await other.requestLog.caughtUp()
  await assert.rejects(stores.open(original), COPY)
  await other.close()
  await assert.rejects(stores.open(original), COPY)
  const ship = {
    dataDir: original.dataDir,
    databaseUrl: original.databaseUrl ?? '',
    onProgress() {},
    async settle() {},
  }
  await assert.rejects(shipSpool(ship), COPY)
  const again = await stores.open(copy)
  assert.deepEqual(await logged(again), [...named('copy', 20), ...named('first', 10)].toSorted())
  await again.close()
  // It would still be delivered if the database knew this folder again.
  const spool = new Spool(join(original.dataDir, 'spool'), { synchronousFull: false, onCommit() {} })
  assert.ok(spool.rows >= 5)
  await spool.close()
})

test('of two that run with copies of one folder, the first keeps what it cannot deliver, and says so', async () => {
  const { original } = await copied()
  const first = await stores.open(original)
  await answer(first, named('before', 3))
  await first.requestLog.caughtUp()
  const row = await first.db.selectFrom('spool_positions').selectAll().executeTakeFirstOrThrow()
  // What the copy does at its start and with its own batch, as long as that of this one.
  const copys = { incarnation: 'of-the-copy', seq: row.seq + 4, ends_seq: Number(row.ends_seq) + 4 }
  await first.db.updateTable('spool_positions').set(copys).execute()
  await answer(first, named('after', 4))
  await until(() => COPY.test(first.requestLog.status().lastError ?? ''), 'it says so')
  assert.equal(first.requestLog.status().lagRows, 4)
  await first.db.updateTable('spool_positions').set(row).execute()
  await first.requestLog.caughtUp()
  assert.deepEqual(
    (await logged(first)).filter((id) => id.startsWith('after')),
    named('after', 4),
  )
})

test('a folder starts after its database was restored from a backup, and after a start that was cut off', async () => {
  const { original } = await copied()
  const one = await stores.open(original)
  const backup = await one.db.selectFrom('spool_positions').selectAll().execute()
  await one.close()
  await (await stores.open(original)).close()
  const two = await stores.open(original)
  await two.db
    .updateTable('spool_positions')
    .set({ incarnation: backup[0]?.incarnation ?? null })
    .execute()
  await two.close()
  const three = await stores.open(original)
  await answer(three, ['at last'])
  await three.requestLog.caughtUp()
  assert.ok((await logged(three)).includes('at last'))
  await three.close()
})
