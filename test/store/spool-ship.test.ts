import assert from 'node:assert/strict'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import pg from 'pg'
import { startSimulator } from '../../simulator/simulator.ts'
import { runCli } from '../cli/run-cli.ts'
import { ADMIN_KEY, hello, KEY, newFolder, until } from '../harness.ts'
import { startPostgres } from '../postgres.ts'
import { type Started, startProcess } from '../process.ts'
import { startValkey } from '../valkey.ts'

const server = await startPostgres()
const simulator = await startSimulator()
const folder = newFolder()
after(async () => {
  await simulator.close()
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function query(databaseUrl: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

async function call(gateway: Started, model: string): Promise<number> {
  const answer = await fetch(`${await gateway.url()}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(hello(model)),
  })
  await answer.text()
  return answer.status
}

test('what a gateway had not delivered when it was killed is delivered from its folder, once', async () => {
  const databaseUrl = await server.createDatabase()
  const valkey = await startValkey()
  after(() => valkey.stop())
  const shared = { DATABASE_URL: databaseUrl, REDIS_URL: valkey.url }
  const dataDir = join(folder, 'dead')
  const gateway = startProcess({
    folder,
    environment: {
      DATA_DIR: dataDir,
      ...shared,
      NODE_NAME: 'dead',
      GATEWAY_KEY: KEY,
      ADMIN_KEY,
      OPENAI_API_KEY: 'sk-test',
      OPENAI_BASE_URL: simulator.openaiUrl,
    },
  })
  const ship = (dir = dataDir, environment: Record<string, string> = shared) =>
    runCli(['spool', 'ship', dir], { environment, folder })
  assert.equal(await call(gateway, 'gpt-any'), 200)

  const inUse = await ship()
  assert.deepEqual([inUse.code, inUse.stdout], [1, ''])
  assert.match(inUse.stderr, /dead is in use by a running gateway, which delivers its spool itself\n$/)

  await server.halt()
  for (let each = 0; each < 20; each++) assert.equal(await call(gateway, 'gpt-any'), 200)
  const seen = simulator.calls.length
  const cutOff = call(gateway, 'gpt-sim-hang').catch(() => 0)
  await until(() => simulator.calls.length > seen, 'the provider has the call that will be cut off')
  await gateway.stop('SIGKILL')
  assert.equal(await cutOff, 0)
  const away = await ship()
  assert.equal(away.code, 1)
  assert.match(away.stderr, /^switchyard: cannot open the postgres database: .*ECONNREFUSED.*\n$/)
  await server.resume()

  const [dead] = await query(databaseUrl, 'select node, state from nodes')
  assert.equal(dead?.['state'], 'running')
  const shipped = await ship()
  assert.equal(shipped.code, 0, shipped.stderr)
  assert.match(shipped.stdout, /^dead \(.*\): 4[0-3] records delivered, 1 calls were interrupted/)
  assert.match(shipped.stdout, /^what it had leased in the shared counters is settled$/m)
  const codes = 'select code, count(*)::int as calls from requests group by code order by code nulls first'
  const rows = [
    { code: null, calls: 21 },
    { code: 'interrupted', calls: 1 },
  ]
  assert.deepEqual(await query(databaseUrl, codes), rows)
  assert.deepEqual(await query(databaseUrl, 'select name, state from nodes'), [{ name: 'dead', state: 'stopped' }])

  const again = await ship()
  assert.deepEqual([again.code, again.stdout], [0, `dead (${dead?.['node']}) has nothing left to deliver.\n`])
  assert.deepEqual(await query(databaseUrl, codes), rows)
  const another = await ship(dataDir, { DATABASE_URL: await migrated() })
  assert.equal(another.code, 1)
  assert.match(another.stderr, /has never been one of this database: is DATABASE_URL the one it ran with\?\n$/)
})

/** Of other gateways. */
async function migrated(): Promise<string> {
  const databaseUrl = await server.createDatabase()
  const gateway = startProcess({ folder, environment: { DATA_DIR: join(folder, 'other'), DATABASE_URL: databaseUrl } })
  await gateway.url()
  assert.equal(await gateway.stop(), 0)
  return databaseUrl
}

test('a folder that is no data folder, and a missing DATABASE_URL, are one clear line', async () => {
  const databaseUrl = await server.createDatabase()
  const noSpool = join(folder, 'no-spool')
  mkdirSync(noSpool)
  writeFileSync(join(noSpool, 'spool'), '')
  for (const [dir, environment, code, message] of [
    [join(folder, 'nowhere'), { DATABASE_URL: databaseUrl }, 1, /there is no spool in .*nowhere/],
    [noSpool, { DATABASE_URL: databaseUrl }, 1, /there is no spool in .*no-spool/],
    [noSpool, {}, 2, /DATABASE_URL: set it/],
  ] as const) {
    const ran = await runCli(['spool', 'ship', dir], { environment, folder })
    assert.equal(ran.code, code)
    assert.match(ran.stderr, message)
    assert.equal(ran.stderr.trimEnd().split('\n').length, 1)
  }
})
