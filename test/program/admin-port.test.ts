import assert from 'node:assert/strict'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { startSimulator } from '../../simulator/simulator.ts'
import { CONTRACT } from '../../src/management/contract/contract.ts'
import { runCli } from '../cli/run-cli.ts'
import { fixedPort } from '../fixed-port.ts'
import { ADMIN_KEY, type Harness, hello, type Json, KEY, newFolder, startHarness, until } from '../harness.ts'
import { startProcess } from '../process.ts'

const folders: string[] = []
function folder(): string {
  const made = newFolder()
  folders.push(made)
  return made
}
after(() => {
  for (const made of folders) rmSync(made, { recursive: true, force: true })
})

const asAdmin = { authorization: `Bearer ${ADMIN_KEY}` }

describe('a gateway with ADMIN_PORT', () => {
  let harness: Harness
  let own: string
  let admin: string
  before(async () => {
    harness = await startHarness({ environment: { ADMIN_PORT: '0' } })
    own = harness.url
    admin = harness.gateway.adminUrl
  })
  after(() => harness.stop())

  const status = async (url: string, init: RequestInit = {}) => (await fetch(url, init)).status

  test('has two addresses, and its dashboard knows where calls go', async () => {
    assert.notEqual(own, admin)
    const page = await fetch(`${admin}/dashboard`)
    // 503 where the dashboard has not been built.
    if (page.status !== 200) return
    const ports = `${new URL(admin).port} ${new URL(own).port}`
    assert.ok((await page.text()).includes(`<meta name="ports" content="${ports}"`))
  })

  test('serves calls on the one and nothing of them on the other', async () => {
    assert.equal((await harness.chat(hello('gpt-4o-mini'))).status, 200)
    const key = { authorization: `Bearer ${KEY}` }
    assert.equal(await status(`${own}/v1/models`, { headers: key }), 200)
    for (const path of ['/v1/models', '/v1/chat/completions']) {
      const method = path === '/v1/models' ? 'GET' : 'POST'
      assert.equal(await status(admin + path, { method, headers: key }), 404)
    }
  })

  test('tells on both whether it lives and can serve', async () => {
    for (const url of [own, admin]) {
      assert.equal(await status(`${url}/healthz`), 200)
      assert.equal(await status(`${url}/readyz`), 200)
    }
  })

  test('has metrics, dashboard and the API to read on the other port only', async () => {
    const asPage = { headers: { accept: 'text/html' }, redirect: 'manual' } as const
    assert.equal(await status(`${admin}/`, asPage), 302)
    for (const path of ['/metrics', '/docs', '/openapi.json']) assert.equal(await status(admin + path), 200, path)
    for (const path of ['/', '/metrics', '/dashboard', '/dashboard/x', '/docs', '/openapi.json']) {
      assert.equal(await status(own + path, asPage), 404, path)
    }
  })

  test('answers every path of the management API there with a plain 404 here, to admins too', async () => {
    for (const { method, path } of Object.values(CONTRACT)) {
      const answer = await fetch(own + path.replace(/\{\w+\}/g, 'x'), { method, headers: asAdmin })
      const { error } = (await answer.json()) as Json
      assert.deepEqual([answer.status, error.code], [404, 'not_found'], path)
      assert.ok(!JSON.stringify(error).includes(new URL(admin).port))
      assert.equal(answer.headers.get('allow'), null)
    }
    assert.equal(await status(`${admin}/keys`, { headers: asAdmin }), 200)
  })

  test('the command line says where it may be when it asks at the port for calls', async () => {
    const { code, stderr } = await runCli(['keys', 'list', '--url', own], {
      folder: folder(),
      environment: { ADMIN_KEY },
    })
    assert.equal(code, 1)
    assert.match(stderr, /There is nothing at \/keys\. .*ADMIN_PORT.*--url/)
  })

  test('the command line finds it by ADMIN_PORT in its environment', async () => {
    const environment = { ADMIN_KEY, ADMIN_PORT: new URL(admin).port }
    const { code, stdout } = await runCli(['keys', 'list', '--json'], { folder: folder(), environment })
    assert.equal(code, 0)
    assert.ok(JSON.parse(stdout).data.length > 0)
  })
})

describe('the process with ADMIN_PORT', () => {
  test('tells both addresses, and drains both', async () => {
    const simulator = await startSimulator()
    const environment = {
      ADMIN_PORT: '0',
      ADMIN_HOST: '127.0.0.1',
      ADMIN_KEY,
      OPENAI_API_KEY: 'sk-test-openai-key',
      OPENAI_BASE_URL: simulator.openaiUrl,
    }
    const started = startProcess({ folder: folder(), environment })
    const own = await started.url()
    const found = (pattern: RegExp) => pattern.exec(started.stdout())?.[1]
    await until(() => found(/dashboard +(http:\S+)\/dashboard /) !== undefined, 'the whole greeting is there')
    const admin = found(/management +(http:\S+) /) ?? ''
    assert.equal(found(/dashboard +(http:\S+)\/dashboard /), admin)
    assert.notEqual(admin, own)
    assert.match(started.stdout(), new RegExp(`curl -i ${own}/v1/chat/completions`))

    // On each port a connection in the middle of a request: it is still answered.
    const halves = [own, admin].map((url) => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1')
      socket.write('GET /readyz HTTP/1.1\r\nhost: x\r\n')
      return { socket, answer: new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data)))) }
    })
    for (const url of [own, admin]) assert.equal((await fetch(`${url}/healthz`)).status, 200)
    started.child.kill('SIGTERM')
    await until(() => started.stderr().includes('draining'), 'it drains')
    const isRefused = (url: string) =>
      fetch(`${url}/healthz`).then(
        () => false,
        () => true,
      )
    for (const url of [own, admin]) await until(() => isRefused(url), 'new connections are refused')
    for (const { socket, answer } of halves) {
      socket.write('\r\n')
      assert.match(await answer, /^HTTP\/1\.1 503 .*draining/s)
    }
    assert.equal((await started.ended).code, 0)
    await simulator.close()
  })

  for (const variable of ['PORT', 'ADMIN_PORT']) {
    test(`ends with one line that names ${variable} when that is taken, and loses no key`, async () => {
      const port = String(await fixedPort())
      const taken = createServer().listen(Number(port), '127.0.0.1')
      await once(taken, 'listening')
      const home = folder()
      const environment = { PORT: '0', ADMIN_PORT: '0', LOG_LEVEL: 'silent', [variable]: port }
      const started = startProcess({ folder: home, environment })
      assert.equal((await started.ended).code, 1)
      assert.match(
        started.stderr(),
        new RegExp(`^switchyard: 127\\.0\\.0\\.1:${port} is in use [^\\n]* set ${variable}\\n$`),
      )
      await new Promise((resolve) => taken.close(resolve))
      const again = startProcess({ folder: home, environment })
      await again.url()
      assert.match(again.stdout(), /gateway key +gw_live_\w{32} /)
      assert.equal(await again.stop(), 0)
    })
  }

  for (const [title, environment, words] of [
    ['the same port twice', { PORT: '8080', ADMIN_PORT: '8080' }, /^switchyard: ADMIN_PORT: [^\n]*PORT[^\n]*\n$/],
    ['a host without a port', { ADMIN_HOST: '127.0.0.1' }, /^switchyard: ADMIN_HOST: also set ADMIN_PORT[^\n]*\n$/],
    ['no port', { ADMIN_PORT: 'ninety' }, /^switchyard: ADMIN_PORT: [^\n]*\n$/],
    ['a host nobody knows', { ADMIN_PORT: '0', ADMIN_HOST: 'nobody.invalid' }, /^switchyard: ADMIN_HOST: [^\n]*\n$/],
  ] as const) {
    test(`ends with code 2 and one line for ${title}`, async () => {
      const started = startProcess({ folder: folder(), environment: { LOG_LEVEL: 'silent', ...environment } })
      assert.equal((await started.ended).code, 2)
      assert.match(started.stderr(), words)
    })
  }

  test('doctor looks at both ports', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const port = String((taken.address() as AddressInfo).port)
    const home = folder()
    const environment = { PORT: String(await fixedPort()), ADMIN_PORT: port, DATA_DIR: join(home, 'data') }
    const { stdout } = await runCli(['doctor', '--json'], { folder: home, environment })
    const of = (name: string) => JSON.parse(stdout).checks.find((check: Json) => check.name === name)
    assert.equal(of('port').ok, true)
    assert.equal(of('admin port').ok, false)
    assert.match(of('admin port').message, /is in use by another program.* ADMIN_PORT$/)
    taken.close()
  })
})
