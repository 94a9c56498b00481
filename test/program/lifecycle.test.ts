import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startSimulator } from '../../simulator/simulator.ts'
import { ConfigError } from '../../src/app/config.ts'
import { startGateway } from '../../src/app/main.ts'
import { StoreError } from '../../src/store/engine/store-error.ts'
import { fixedPort } from '../fixed-port.ts'
import { hello, type Json, newFolder, until } from '../harness.ts'
import { startProcess } from '../process.ts'

const run = promisify(execFile)
const simulator = await startSimulator()
const providers = {
  OPENAI_API_KEY: 'sk-lifecycle-openai',
  OPENAI_BASE_URL: simulator.openaiUrl,
  ANTHROPIC_API_KEY: 'sk-ant-lifecycle',
  ANTHROPIC_BASE_URL: simulator.anthropicUrl,
}
const KEY = 'gw_live_lifecycle00000000000000000000000'
const keys = { GATEWAY_KEY: KEY, ADMIN_KEY: 'gw_admin_lifecycle0000000000000000000000' }

const folders: string[] = []
function folder(): string {
  const made = newFolder()
  folders.push(made)
  return made
}
after(async () => {
  await simulator.close()
  for (const made of folders) rmSync(made, { recursive: true, force: true })
})

const keyIn = (text: string, kind: 'live' | 'admin') => new RegExp(`gw_${kind}_[0-9A-Za-z]{32}\\b`).exec(text)?.[0]
const chat = (url: string, body: unknown, key = KEY) =>
  fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

describe('a start', { concurrency: 2 }, () => {
  test('prints the keys once and a curl that works as pasted; the next start prints neither', async () => {
    const home = folder()
    const first = startProcess({ folder: home, environment: providers })
    const url = await first.url()
    assert.match(url, /^http:\/\/127\.0\.0\.1:[1-9]\d*$/)
    const [live, admin] = [keyIn(first.stdout(), 'live'), keyIn(first.stdout(), 'admin')]
    assert.ok(live !== undefined && admin !== undefined)
    await until(() => first.stdout().includes("-d '"), 'the whole greeting is there')
    const curl = /^ *curl [\s\S]*?'\{.*\}'$/m.exec(first.stdout())?.[0]
    assert.ok(curl !== undefined, first.stdout())
    const { stdout: answer } = await run('sh', ['-c', curl])
    assert.match(answer, /^HTTP\/1\.1 200 OK/)
    assert.match(answer, /x-gateway-cost-usd: \d+\.\d{6}/)
    assert.equal(await first.stop(), 0)

    const second = startProcess({ folder: home, environment: providers })
    const again = await second.url()
    assert.equal(keyIn(second.stdout(), 'live'), undefined)
    assert.equal(keyIn(second.stdout(), 'admin'), undefined)
    assert.equal((await chat(again, hello('gpt-4o-mini'), live)).status, 200)
    assert.equal((await chat(again, hello('gpt-4o-mini'), admin)).status, 401)
    assert.equal(await second.stop(), 0)
    assert.ok(!(first.stderr() + second.stderr()).includes(live))
  })

  test('without a provider says so, and how to set one or see the demo the way it was started', async () => {
    const started = startProcess({ folder: folder(), environment: { npm_command: 'exec' } })
    const url = await started.url()
    await until(() => started.stdout().includes('npx switchyard demo'), 'the whole greeting is there')
    assert.match(started.stdout(), /OPENAI_API_KEY/)
    assert.match(started.stdout(), /ANTHROPIC_API_KEY/)
    const live = keyIn(started.stdout(), 'live') ?? ''
    assert.equal((await chat(url, hello('gpt-4o'), live)).status, 503)
    assert.equal(await started.stop('SIGINT'), 0)
  })

  test('with GATEWAY_KEY prints no key, takes empty variables as unset, answers health and metrics to anyone', async () => {
    const environment = { ...providers, ...keys, DATABASE_URL: '', LOG_LEVEL: '' }
    const started = startProcess({ folder: folder(), environment })
    const url = await started.url()
    assert.equal((await chat(url, hello('gpt-4o'))).status, 200)
    assert.ok(!started.stdout().includes(KEY))
    const health = await fetch(`${url}/healthz`)
    assert.equal(health.status, 200)
    const ready = await fetch(`${url}/readyz`)
    assert.equal(ready.status, 200)
    assert.deepEqual(((await ready.json()) as Json).catalog_waiting_for, {})
    const metrics = await (await fetch(`${url}/metrics`)).text()
    for (const name of [
      ...['requests_total', 'attempt_seconds_bucket', 'gateway_overhead_seconds_bucket', 'requests_in_flight'],
      ...['tokens_total', 'cost_usd_total', 'log_spool_rows', 'log_lag_rows'],
    ]) {
      assert.match(metrics, new RegExp(`^switchyard_${name}\\b`, 'm'))
    }
    assert.match(
      metrics,
      /switchyard_requests_total\{endpoint="chat",route="\(direct\)",provider="openai",model="gpt-4o",code="ok"\} 1/,
    )
    assert.equal(await started.stop(), 0)
    const lines = started.stderr().trim().split('\n')
    assert.ok(lines.length >= 2)
    for (const line of lines) assert.equal(typeof JSON.parse(line).level, 'string')
  })
})

describe('a setting that cannot be', () => {
  /** The line that the process would end with; that it does is shown below, once for each way in. */
  async function problemWith(environment: Record<string, string>): Promise<string> {
    const started = startGateway({ LOG_LEVEL: 'silent', PORT: '0', DATA_DIR: join(folder(), 'data'), ...environment })
    const error = await started.then(
      async (gateway) => {
        await gateway.stop()
        assert.fail('it started')
      },
      (caught: unknown) => caught,
    )
    assert.ok(error instanceof ConfigError, String(error))
    assert.doesNotMatch(error.message, /\n/)
    return error.message
  }

  const variables: [name: string, value: string][] = [
    ['PORT', 'eighty'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '80.5'],
    ['DATABASE_URL', 'mysql://user:secret-password@host/db'],
    ['GATEWAY_KEY', 'short'],
    ['GATEWAY_KEY', 'with a blank in it'],
    ['ADMIN_KEY', 'tiny'],
    ['SECRETS_KEY', 'long-enough-key-number-one,brief'],
    ['LOG_LEVEL', 'loud'],
    ['MAX_BODY_BYTES', '0'],
    ['MAX_BODY_BYTES', '32MB'],
    ['DRAIN_SECONDS', 'soon'],
    ['REQUEST_RETENTION_DAYS', '0'],
    ['SPOOL_SYNC', 'maybe'],
    ['OPENAI_API_KEY', 'sk secret value'],
    ['OPENAI_BASE_URL', 'not an address'],
    ['OPENAI_BASE_URL', 'ftp://example.com'],
    ['ANTHROPIC_BASE_URL', 'https://user:secret-password@example.com'],
  ]
  for (const [name, value] of variables) {
    test(`${name}=${value} is named in one line that does not repeat it`, async () => {
      const line = await problemWith({ [name]: value })
      assert.ok(line.includes(name), line)
      assert.doesNotMatch(line, /secret|tiny|short|with a blank|brief/)
    })
  }

  test('a file that is not there is named', async () => {
    assert.match(await problemWith({ SWITCHYARD_CONFIG: '/no/such/file.yaml' }), /\/no\/such\/file\.yaml/)
  })

  test('a directory in place of the file is named', async () => {
    const path = join(folder(), 'switchyard.yaml')
    mkdirSync(path)
    assert.ok((await problemWith({ SWITCHYARD_CONFIG: path })).includes(path))
  })

  test('a file in place of the data folder is named', async () => {
    const path = join(folder(), 'data')
    writeFileSync(path, 'x')
    const started = startGateway({ LOG_LEVEL: 'silent', PORT: '0', SWITCHYARD_CONFIG: '', DATA_DIR: path })
    await assert.rejects(started, (error: unknown) => error instanceof StoreError && error.message.includes(path))
  })

  const routes = (text: string) => `workspaces: { default: { routes: { ${text} } } }`
  const files: [what: string, text: string, named: RegExp][] = [
    ['no YAML', 'a: [1, 2', /switchyard\.yaml/],
    ['a list', '- a', /switchyard\.yaml/],
    ['an unknown field', 'provders: {}', /provders/],
    [
      'an unknown field deep inside',
      routes('fast: { chain: [{ provider: openai, model: x, timout_ms: 5 }] }'),
      /timout_ms/,
    ],
    [
      'a variable that is not set',
      'providers: { openai: { api_key: "$' + '{NOT_SET_ANYWHERE}" } }',
      /NOT_SET_ANYWHERE/,
    ],
    ['a route to no provider', routes('fast: { chain: [{ provider: nobody, model: x }] }'), /nobody/],
    ['an empty chain', routes('fast: { chain: [] }'), /fast\.chain/],
    ['a bad alias', routes('"a*b": { chain: [{ provider: openai, model: x }] }'), /a\*b/],
    ['a provider without an address', 'providers: { local: { preset: azure } }', /local.*base_url/],
    ['a provider of no family', 'providers: { local: { family: vllm, base_url: "http://x/v1" } }', /local.*family/],
    [
      'a price with seven decimals',
      'registry: [{ provider: openai, model: x, input_per_mtok: "0.1234567" }]',
      /input_per_mtok/,
    ],
    ['a price that is a number', 'registry: [{ provider: openai, model: x, input_per_mtok: 1 }]', /input_per_mtok/],
    ['a short key', 'workspaces: { default: { keys: { ci: { value: tooshort } } } }', /ci\.value/],
  ]
  for (const [what, text, named] of files) {
    test(`a file with ${what} is named with the place`, async () => {
      const path = join(folder(), 'switchyard.yaml')
      writeFileSync(path, text)
      const line = await problemWith({ SWITCHYARD_CONFIG: path })
      assert.ok(line.includes(path), line)
      assert.match(line, named)
      assert.doesNotMatch(line, /tooshort/)
    })
  }
})

describe('a start that cannot be', { concurrency: 2 }, () => {
  for (const [name, value] of [
    ['PORT', 'eighty'],
    ['HOST', 'no-such-host.invalid'],
  ] as const) {
    test(`${name}=${value} ends with code 2 and one line`, async () => {
      const started = startProcess({ folder: folder(), environment: { LOG_LEVEL: 'silent', [name]: value } })
      assert.equal((await started.ended).code, 2, started.stderr())
      assert.match(started.stderr(), new RegExp(`^switchyard: [^\\n]*${name}[^\\n]*\\n$`))
      assert.equal(started.stdout(), '')
    })
  }

  test('a taken port ends with code 1 and one line, and loses no key', async () => {
    const port = String(await fixedPort())
    const taken = createServer().listen(Number(port), '127.0.0.1')
    await until(() => taken.listening, 'the port is taken')
    const home = folder()
    const environment = { PORT: port, LOG_LEVEL: 'silent' }
    const started = startProcess({ folder: home, environment })
    assert.equal((await started.ended).code, 1)
    assert.match(started.stderr(), new RegExp(`^switchyard: 127[^\\n]*:${port} is in use [^\\n]*PORT\\n$`))
    await new Promise((resolve) => taken.close(resolve))
    const again = startProcess({ folder: home, environment })
    await again.url()
    assert.match(again.stdout(), /gateway key +gw_live_\w{32} .*\n +admin key +gw_admin_\w{32} /, 'no key was lost')
    assert.equal(await again.stop(), 0)
  })

  test('a data folder in use ends with code 1 and one line, and harms nobody', async () => {
    const home = folder()
    const first = startProcess({ folder: home, environment: { ...providers, ...keys } })
    const url = await first.url()
    const second = startProcess({ folder: home, environment: { ...providers, ...keys, LOG_LEVEL: 'silent' } })
    assert.equal((await second.ended).code, 1)
    assert.match(second.stderr(), /^switchyard: [^\n]*data[^\n]*in use[^\n]*DATA_DIR[^\n]*\n$/)
    assert.equal((await chat(url, hello('gpt-4o'))).status, 200)
    assert.equal(await first.stop(), 0)
  })

  for (const command of [['fly']]) {
    test(`switchyard ${command.join(' ')} ends with code 2 and one line`, async () => {
      const started = startProcess({ folder: folder(), command })
      assert.equal((await started.ended).code, 2)
      assert.match(started.stderr(), /^switchyard: [^\n]*\n$/)
    })
  }

  test('--version ends with code 0', async () => {
    const version = startProcess({ folder: folder(), command: ['--version'] })
    assert.equal((await version.ended).code, 0)
    assert.match(version.stdout(), /^\d+\.\d+\.\d+\n$/)
  })
})

/** One connection that is kept: what is sent on it and what comes back. */
function openConnection(url: string) {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  socket.on('error', () => undefined)
  return { send: (text: string) => socket.write(text), received: () => received, socket }
}

const request = (method: string, path: string, body = '') =>
  `${method} ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${KEY}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`

function rowsIn(home: string): Record<string, unknown>[] {
  const database = new DatabaseSync(join(home, 'data', 'switchyard.db'), { readOnly: true })
  const rows = database.prepare('select * from requests order by id').all() as Record<string, unknown>[]
  database.close()
  return rows
}

describe('SIGTERM', () => {
  test('lets a call in flight finish, answers 503 on /readyz meanwhile, then ends with 0 and everything logged', async () => {
    simulator.reset()
    const home = folder()
    const started = startProcess({ folder: home, environment: { ...providers, ...keys } })
    const url = await started.url()
    // A connection in the middle of a request is not idle: it outlives the beginning of the drain.
    const asking = openConnection(url)
    asking.send('GET /readyz HTTP/1.1\r\nhost: x\r\n')
    simulator.hold()
    const answer = chat(url, hello('gpt-4o'))
    const kept = openConnection(url)
    kept.send(request('POST', '/v1/chat/completions', JSON.stringify(hello('gpt-4o-mini'))))
    await until(() => simulator.calls.filter((call) => call.method === 'POST').length === 2, 'both calls wait')
    started.child.kill('SIGTERM')
    await until(() => started.stderr().includes('draining'), 'it drains')
    asking.send('\r\n')
    await until(() => asking.received().includes('draining'), 'readiness is answered')
    assert.match(asking.received(), /^HTTP\/1\.1 503 /)
    await until(
      () =>
        fetch(`${url}/healthz`).then(
          () => false,
          () => true,
        ),
      'new connections are refused',
    )
    simulator.release()
    const served = await answer
    assert.equal(served.status, 200)
    await served.json()
    // The second caller would keep its connection: `connection: close` prevents that, so that the drain can end.
    await until(() => kept.received().includes('"choices"'), 'the other call is answered too')
    assert.match(kept.received(), /^HTTP\/1\.1 200 OK[\s\S]*connection: close/)
    assert.equal((await started.ended).code, 0)
    const rows = rowsIn(home)
    assert.deepEqual(
      rows.map(({ status, state }) => [status, state]),
      [
        [200, 'closed'],
        [200, 'closed'],
      ],
    )
  })

  test('ends a call that outlasts DRAIN_SECONDS, and logs it', async () => {
    simulator.reset()
    const home = folder()
    const started = startProcess({ folder: home, environment: { ...providers, ...keys, DRAIN_SECONDS: '0' } })
    const url = await started.url()
    const answer = chat(url, hello('gpt-sim-hang')).then(
      () => 'answered',
      () => 'cut off',
    )
    await until(() => simulator.calls.some((call) => call.model === 'gpt-sim-hang'), 'the call waits')
    assert.equal(await started.stop(), 0)
    assert.equal(await answer, 'cut off')
    const [row] = rowsIn(home)
    // Neither the caller nor the provider ended it, and the log does not say so.
    assert.deepEqual([row?.['state'], row?.['status'], row?.['code']], ['closed', 0, 'interrupted'])
    assert.match(started.stderr(), /cut off/)
  })
})

describe('an older Node', () => {
  const old = ['/usr/bin/node', '/usr/local/bin/node'].find((path) => {
    if (!existsSync(path)) return false
    return Number(/^v(\d+)/.exec(spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout)?.[1]) < 24
  })
  test('is told so in one clear line', { skip: old === undefined ? 'no older Node on this machine' : false }, () => {
    const bin = fileURLToPath(new URL('../../bin/switchyard.cjs', import.meta.url))
    const { status, stderr, stdout } = spawnSync(old ?? '', [bin, 'serve'], { encoding: 'utf8', env: {} })
    assert.equal(status, 2)
    assert.equal(stdout, '')
    assert.match(stderr, /^switchyard needs Node 24 or newer, and this is Node \d+\.\d+\.\d+\. Install it [^\n]+\n$/)
  })
})
