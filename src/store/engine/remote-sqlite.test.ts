import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { type DatabaseSettings, openRemoteSqlite, type RestAfter } from './remote-sqlite.ts'
import type { SqliteExecutor } from './sqlite-dialect.ts'

const folder = mkdtempSync(join(tmpdir(), 'switchyard-test-'))
const opened: SqliteExecutor[] = []
after(async () => {
  for (const executor of opened) await executor.close()
  rmSync(folder, { recursive: true, force: true })
})

/** An executor and the workers it has started, the present one last. */
async function openTable(name: string, rest?: RestAfter) {
  const workers: Worker[] = []
  const start = (settings: DatabaseSettings) => {
    const worker = new Worker(new URL('./database-worker.ts', import.meta.url), { workerData: settings })
    workers.push(worker)
    return worker
  }
  const settings = { path: join(folder, name), readOnly: false, synchronousFull: false } as const
  const executor = openRemoteSqlite(settings, start, rest)
  opened.push(executor)
  const run = async (sql: string) => (await executor.execute({ sql, parameters: [] })).rows
  await run('create table numbers (n integer)')
  return { run, workers, kill: () => workers.at(-1)?.terminate() }
}

describe('when the worker of the database has died', () => {
  test('the next query has a new one', async () => {
    const { run, workers, kill } = await openTable('next')
    await run('insert into numbers values (1)')
    await kill()
    assert.deepEqual(
      (await run('select n from numbers')).map((row) => row['n']),
      [1],
    )
    assert.equal(workers.length, 2)
  })

  test('a query that waited for it is told', async () => {
    const { run, kill } = await openTable('waiting')
    const slow = run(
      'with recursive c(n) as (select 1 union all select n + 1 from c limit 20000000) select max(n) from c',
    )
    const reported = assert.rejects(slow, /the database worker has ended/)
    await kill()
    await reported
  })

  test('the rest of its transaction is refused, and the one after works', async () => {
    const { run, kill } = await openTable('transaction')
    await run('begin immediate')
    await run('insert into numbers values (1)')
    await kill()
    await assert.rejects(run('insert into numbers values (2)'), /the database worker has ended/)
    await assert.rejects(run('rollback'), /the database worker has ended/)
    assert.deepEqual(await run('select n from numbers'), [])
    await run('begin immediate')
    await run('insert into numbers values (3)')
    await run('commit')
    assert.deepEqual(
      (await run('select n from numbers')).map((row) => row['n']),
      [3],
    )
  })
})

describe('when nobody has a query', () => {
  test('the worker ends, and the next query has a new one', async () => {
    const { run, workers } = await openTable('rest', () => 0)
    const [first] = workers
    assert.ok(first)
    await once(first, 'exit')
    await run('insert into numbers values (1)')
    assert.deepEqual(
      (await run('select n from numbers')).map((row) => row['n']),
      [1],
    )
    assert.ok(workers.length > 1)
  })

  test('a transaction that has begun keeps it', async () => {
    const { run, workers } = await openTable('begun', () => 0)
    await run('begin immediate')
    const inTransaction = workers.length
    await new Promise((resolve) => setTimeout(resolve, 50))
    await run('insert into numbers values (1)')
    await run('commit')
    assert.equal(workers.length, inTransaction)
    assert.deepEqual(
      (await run('select n from numbers')).map((row) => row['n']),
      [1],
    )
  })
})

test('answers of more rows than cross at a time arrive whole and in order, also when several are asked for at once', async () => {
  const { run } = await openTable('many')
  const count = (n: number) =>
    `with recursive c(n) as (select 1 union all select n + 1 from c limit ${n}) select n from c`
  const sizes = [0, 1, 199, 200, 201, 400, 1_001]
  const answers = await Promise.all(sizes.map((n) => run(count(n === 0 ? 1 : n) + (n === 0 ? ' where n > 1' : ''))))
  for (const [index, rows] of answers.entries()) {
    assert.deepEqual(
      rows.map((row) => row['n']),
      Array.from({ length: sizes[index] ?? 0 }, (_, place) => place + 1),
    )
  }
})
