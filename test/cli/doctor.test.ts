import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { after, afterEach, describe, test } from 'node:test'
import { startSimulator } from '../../simulator/simulator.ts'
import { checkNode } from '../../src/doctor/machine-checks.ts'
import { type Json, newFolder, startHarness } from '../harness.ts'
import { managing } from '../management/manage.ts'
import { startPostgres } from '../postgres.ts'
import { runCli } from './run-cli.ts'

const simulator = await startSimulator()
const postgres = await startPostgres()
after(async () => {
  await simulator.close()
  await postgres.stop()
})

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

const PROVIDERS = {
  OPENAI_API_KEY: 'sk-test-openai-key',
  OPENAI_BASE_URL: simulator.openaiUrl,
  ANTHROPIC_API_KEY: 'sk-ant-test-key',
  ANTHROPIC_BASE_URL: simulator.anthropicUrl,
}

async function examine(environment: Record<string, string>, config?: string) {
  const folder = newFolder()
  folders.push(folder)
  if (config !== undefined) writeFileSync(join(folder, 'switchyard.yaml'), config)
  return examineIn(folder, environment)
}

async function examineIn(folder: string, environment: Record<string, string>) {
  const { code, stdout, stderr } = await runCli(['doctor', '--json'], {
    folder,
    environment: { PORT: '0', ...PROVIDERS, ...environment },
  })
  assert.equal(stderr, '')
  const checks: Json[] = JSON.parse(stdout).checks
  return {
    code,
    problems: checks.filter(({ ok }) => !ok),
    of: (name: string) => checks.find((each) => each.name === name),
  }
}

describe('doctor', () => {
  test('finds nothing wrong where nothing is wrong, and changes nothing', async () => {
    const found = await examine(
      {},
      'workspaces: { default: { routes: { a: { chain: [{ provider: openai, model: gpt-5.4-mini }] } } } }',
    )
    assert.deepEqual(found.problems, [])
    assert.equal(found.code, 0)
    for (const name of [
      'node',
      'configuration',
      'data folder',
      'disk space',
      'lock',
      'port',
      'database',
      'migrations',
    ]) {
      assert.ok(found.of(name), name)
    }
    assert.match(found.of('provider openai').message, /The key is accepted/)
    assert.match(found.of('clock').message, /^[01] s from the clock of/)
    assert.match(found.of('prices').message, /known for all 1/)
  })

  test('says which workspaces stream', async () => {
    const config = 'workspaces: { live: { streaming: true }, batch: { streaming: false }, team: {} }'
    const off = await examine({}, config)
    assert.match(off.of('streaming').message, /^off by default; on in live; off in batch /)
    const on = await examine({ STREAMING: 'on' }, config)
    assert.match(on.of('streaming').message, /^on by default; on in live; off in batch /)
  })

  test('prints a line a check for people', async () => {
    const folder = newFolder()
    folders.push(folder)
    const { code, stdout } = await runCli(['doctor'], { folder, environment: { PORT: '0' } })
    assert.equal(code, 1)
    assert.match(stdout, /^✓ node +Node 24/)
    assert.match(stdout, /^✗ providers +none has a key: set OPENAI_API_KEY or ANTHROPIC_API_KEY/m)
    assert.match(stdout, /1 to fix\.\n$/)
  })

  test('an old Node', () => assert.deepEqual(checkNode('20.1.0').ok, false))

  const file = (provider: Record<string, unknown>) =>
    `providers: ${JSON.stringify({ far: { family: 'openai', ...provider } })}`
  const problems: [string, Record<string, string>, string | undefined, string, RegExp][] = [
    ['a bad variable', { PORT: 'x' }, undefined, 'configuration', /^PORT: /],
    ['a bad file', {}, 'routes: 1', 'configuration', /switchyard\.yaml: .*routes/],
    ['a missing key', { OPENAI_API_KEY: '' }, undefined, 'provider openai', /wants a key and none is set/],
    [
      'an address without anyone',
      { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' },
      undefined,
      'provider openai',
      /Nothing listens/,
    ],
    [
      'a proxy that is none',
      { HTTPS_PROXY: 'socks5://me:Zq7-password@127.0.0.1:1080' },
      undefined,
      'configuration',
      /^HTTPS_PROXY: expected http:\/\/host:port or https:\/\/host:port$/,
    ],
    [
      'a proxy that is not there',
      {},
      file({ base_url: 'https://llm.example/v1', api_key: 'Zq7-key', proxy: 'http://me:Zq7-password@127.0.0.1:9' }),
      'provider far',
      /^llm\.example cannot be reached: the proxy 127\.0\.0\.1:9 cannot be reached \(ECONNREFUSED\)\. /,
    ],
    [
      'a token that cannot be fetched',
      {},
      file({
        base_url: 'https://llm.example/openai/v1',
        preset: 'azure',
        settings: { auth: 'entra', tenant_id: 't', client_id: 'c', authority_url: 'http://127.0.0.1:9' },
        credentials: { client_secret: 'Zq7-client-secret' },
      }),
      'provider far',
      /^No token could be fetched: Nothing listens at 127\.0\.0\.1:9/,
    ],
    [
      'a model without a price',
      {},
      'workspaces: { default: { routes: { a: { chain: [{ provider: openai, model: brand-new }] } } } }',
      'prices',
      /^unknown for openai\/brand-new: set them with switchyard registry put/,
    ],
    [
      'a database that does not answer',
      { DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' },
      undefined,
      'database',
      /^PostgreSQL does not answer .*check DATABASE_URL/,
    ],
  ]
  for (const [what, environment, config, name, message] of problems) {
    test(`${what} is told with what to do`, async () => {
      const found = await examine(environment, config)
      assert.equal(found.code, 1)
      assert.deepEqual(
        found.problems.map((problem) => problem.name),
        [name],
      )
      assert.match(found.of(name).message, message)
      assert.doesNotMatch(JSON.stringify(found.problems), /Zq7/)
    })
  }

  test('the proxies of the environment are named, without their passwords', async () => {
    const found = await examine({ HTTPS_PROXY: 'http://me:Zq7-password@proxy.test:3128', no_proxy: '.internal' })
    assert.equal(
      found.of('proxy').message,
      'HTTPS_PROXY is http://me:***@proxy.test:3128/; excepted: this machine and .internal',
    )
  })

  test('a port that another Switchyard uses', async () => {
    const gateway = await startHarness()
    try {
      const found = await examine({ PORT: new URL(gateway.url).port })
      assert.match(found.of('port').message, /another Switchyard, with another data folder, is running on .*set PORT$/)
    } finally {
      await gateway.stop()
    }
  })

  test('a port in use', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const found = await examine({ PORT: String((server.address() as AddressInfo).port) })
    server.close()
    assert.match(found.of('port').message, /in use by another program/)
    assert.equal(found.code, 1)
  })

  test('a folder that cannot be written to', {
    skip: process.getuid?.() === 0 && 'root may write everywhere',
  }, async () => {
    const folder = newFolder()
    folders.push(folder)
    mkdirSync(join(folder, 'locked'))
    chmodSync(join(folder, 'locked'), 0o500)
    const found = await examineIn(folder, { DATA_DIR: join(folder, 'locked', 'data') })
    assert.match(found.of('data folder').message, /is not writable/)
  })

  test('works beside a running gateway, and sees what is stored', async () => {
    const harness = await startHarness({
      config: 'providers: { extra: { family: openai, base_url: "${SIMULATED}", api_key: sk-stored-here } }',
    })
    const folder = newFolder()
    folders.push(folder)
    try {
      const environment = { DATA_DIR: join(harness.folder, 'data'), PORT: new URL(harness.url).port }
      const found = await examineIn(folder, environment)
      assert.deepEqual(found.problems, [])
      assert.match(found.of('lock').message, /a gateway is running/)
      assert.match(found.of('port').message, /by the running gateway/)
      assert.match(found.of('migrations').message, /up to date/)
      assert.match(found.of('provider extra').message, /The key is accepted/)
      assert.match(found.of('secrets').message, /3 stored and readable/)
      assert.equal(found.of('charges of extra'), undefined)
      const manage = managing(() => harness)
      await manage('PUT', '/providers/extra/price-percent', { price_percent: 200 })
      const dearer = await examineIn(folder, environment)
      assert.match(dearer.of('charges of extra').message, /up to 200 % of the list price/)
      const lost = await examineIn(folder, { ...environment, SECRETS_KEY: 'another key of ours' })
      assert.equal(lost.of('secrets').ok, true)
      rmSync(join(harness.folder, 'data', 'secrets.key'))
      const gone = await examineIn(folder, { ...environment, SECRETS_KEY: 'another key of ours' })
      assert.match(gone.of('secrets').message, /encrypted with another key/)
    } finally {
      await harness.stop()
    }
  })

  test('knows PostgreSQL, empty and set up', async () => {
    const url = await postgres.createDatabase()
    const before = await examine({ DATABASE_URL: url })
    assert.match(before.of('database').message, /PostgreSQL will be set up/)
    const harness = await startHarness({ config: '', environment: { DATABASE_URL: url } })
    await harness.stop()
    const found = await examine({ DATABASE_URL: url })
    assert.match(found.of('database').message, /PostgreSQL answers/)
    assert.match(found.of('migrations').message, /up to date/)
  })
})
