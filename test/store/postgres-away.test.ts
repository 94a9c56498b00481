import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { startSimulator } from '../../simulator/simulator.ts'
import { ADMIN_KEY, hello, KEY, newFolder, startHarness, until } from '../harness.ts'
import { managing } from '../management/manage.ts'
import { startPostgres } from '../postgres.ts'
import { startProcess } from '../process.ts'
import { startPostgresProxy } from './postgres-proxy.ts'

const server = await startPostgres()
const proxy = await startPostgresProxy(await server.createDatabase())
const harness = await startHarness({ environment: { DATABASE_URL: proxy.url, SPOOL_MAX_ROWS: '20' } })
const manage = managing(() => harness)
after(async () => {
  await harness.stop()
  await proxy.close()
  await server.stop()
})

const logOf = async () => (await harness.get('/readyz')).json.log
const call = async () => (await harness.chat(hello('gpt-any'))).status
const metric = async (name: string) =>
  Number(new RegExp(`^switchyard_${name} (\\S+)$`, 'm').exec((await harness.get('/metrics')).text)?.[1])

for (const [how, break_, mend] of [
  ['away', proxy.cut, proxy.mend],
  ['silent: queries hang, connections too', async () => proxy.freeze(), async () => proxy.thaw()],
] as const) {
  describe(`PostgreSQL is ${how}`, () => {
    test('calls go on, and their rows arrive when it is back', async () => {
      const before = (await harness.rows()).length
      await break_()
      for (let each = 0; each < 5; each++) assert.equal(await call(), 200)
      await until(async () => (await logOf()).lag_seconds >= 1, 'the age of the oldest row is told')
      assert.equal((await logOf()).lag_rows, 10)
      assert.ok((await metric('log_lag_seconds')) >= 1)
      assert.equal(await metric('log_lag_rows'), 10)
      await mend()
      await until(async () => (await logOf()).lag_rows === 0, 'the rows arrive')
      assert.equal((await logOf()).lag_seconds, 0)
      assert.equal((await harness.rows()).length, before + 5)
    })

    test('the management API says so soon, and works again afterwards', async () => {
      await until(async () => (await manage('GET', '/keys')).status === 200, 'it works')
      await break_()
      for (const [method, path, body] of [
        ['GET', '/keys', undefined],
        ['GET', '/requests', undefined],
        ['POST', '/keys', { name: `made-while-${how.slice(0, 4)}` }],
      ] as const) {
        const { status, headers, json } = await manage(method, path, body)
        assert.deepEqual([status, json.error.code], [503, 'database_unavailable'], `${method} ${path}`)
        assert.equal(headers.get('retry-after'), '5')
      }
      assert.equal((await manage('GET', '/status')).status, 200)
      const unknown = await harness.chat(hello('gpt-any'), { 'idempotency-key': `new-while-${how.slice(0, 4)}` })
      assert.deepEqual([unknown.status, unknown.json.error.code], [503, 'database_unavailable'])
      await mend()
      await until(async () => (await manage('GET', '/keys')).status === 200, 'it works again')
    })
  })
}

test('a full spool takes no further call, lets those in flight end, and recovers by itself', async () => {
  await until(async () => (await logOf()).lag_rows === 0, 'nothing waits')
  await proxy.cut()
  harness.simulator.hold()
  const seen = harness.upstream().length
  const inFlight = Array.from({ length: 12 }, call)
  await until(() => harness.upstream().length === seen + 12, 'twelve calls are under way')
  harness.simulator.release()
  assert.deepEqual(await Promise.all(inFlight), Array(12).fill(200))
  const { lag_rows, max_rows } = await logOf()
  assert.deepEqual([lag_rows, max_rows], [24, 20])

  const refused = await harness.chat(hello('gpt-any'))
  assert.deepEqual([refused.status, refused.json.error.code], [503, 'log_full'])
  assert.equal(refused.headers.get('retry-after'), '5')
  assert.equal(harness.upstream().length, seen + 12)
  assert.equal((await logOf()).lag_rows, 24)
  assert.equal(await metric('log_full_refusals_total'), 1)
  assert.equal((await harness.get('/readyz')).status, 200)

  await proxy.mend()
  await until(async () => (await call()) === 200, 'calls are taken again')
})

test('a start without PostgreSQL waits, says so, and serves when it is there; SIGTERM ends the wait', async () => {
  const folder = newFolder()
  const simulator = await startSimulator()
  const slow = await startPostgresProxy(await server.createDatabase())
  await slow.cut()
  const environment = {
    DATA_DIR: join(folder, 'data'),
    DATABASE_URL: slow.url,
    GATEWAY_KEY: KEY,
    ADMIN_KEY,
    OPENAI_API_KEY: 'sk-test',
    OPENAI_BASE_URL: simulator.openaiUrl,
  }
  try {
    const stopped = startProcess({ folder, environment })
    await until(() => stopped.stderr().includes('waiting for PostgreSQL'), 'it says that it waits')
    assert.equal(await stopped.stop(), 0)
    const waiting = startProcess({ folder, environment })
    await until(() => waiting.stderr().includes('waiting for PostgreSQL'), 'it says that it waits')
    await slow.mend()
    assert.match(await waiting.url(), /^http/)
    assert.equal(await waiting.stop(), 0)
    const unknown = startProcess({
      folder,
      environment: { ...environment, DATABASE_URL: new URL('/not_there', server.url).href },
    })
    assert.equal((await unknown.ended).code, 1)
    assert.match(unknown.stderr(), /^switchyard: cannot open the postgres database: database .* does not exist\n$/)
  } finally {
    await simulator.close()
    await slow.close()
    rmSync(folder, { recursive: true, force: true })
  }
})
