import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type Harness, hello, startHarness } from '../harness.ts'
import { managing } from '../management/manage.ts'
import { issue } from './certificates.ts'
import { startTinyproxy, type Tinyproxy } from './tinyproxy.ts'
import { startTlsFront, type TlsFront } from './tls-front.ts'

const PASSWORD = 'Zq7-proxy-password'
const folder = mkdtempSync(join(tmpdir(), 'switchyard-real-proxy-'))
/** The environment's proxies are not for `localhost`; this name leads here as well. */
const issued = issue(folder, ['localhost', hostname()])
const fronted: { url: string } = { url: 'http://127.0.0.1:9' }
let open: Tinyproxy
let locked: Tinyproxy
let front: TlsFront
/** The environment excepts it. */
let excepted: TlsFront
let harness: Harness

before(async () => {
  open = await startTinyproxy()
  locked = await startTinyproxy({ user: 'gateway', password: PASSWORD })
  front = await startTlsFront(issued, () => fronted.url)
  excepted = await startTlsFront(issued, () => fronted.url)
  harness = await startHarness({ config: config(), environment: environment() })
  fronted.url = harness.simulator.openaiUrl
})
after(async () => {
  await harness.stop()
  front.close()
  excepted.close()
  await open.stop()
  await locked.stop()
  rmSync(folder, { recursive: true, force: true })
})

function environment() {
  return {
    STREAMING: 'on',
    HTTPS_PROXY: `http://gateway:${PASSWORD}@127.0.0.1:${locked.port}`,
    HTTP_PROXY: `http://gateway:${PASSWORD}@127.0.0.1:${locked.port}`,
    NO_PROXY: `other.test, ${hostname()}:${excepted.port}`,
  }
}

function config(): string {
  const provider = (fields: Record<string, string>) =>
    JSON.stringify({ family: 'openai', api_key: 'sk-behind-the-proxy', ca: issued.ca, ...fields })
  const secure = `https://localhost:${front.port}/v1`
  const providers = {
    tunnelled: provider({ base_url: secure, proxy: `http://127.0.0.1:${open.port}` }),
    known: provider({ base_url: secure, proxy: `http://gateway:${PASSWORD}@127.0.0.1:${locked.port}` }),
    unknown: provider({ base_url: secure, proxy: `http://127.0.0.1:${locked.port}` }),
    wrong: provider({ base_url: secure, proxy: `http://gateway:Zq7-another-word@127.0.0.1:${locked.port}` }),
    nowhere: provider({ base_url: 'https://nowhere.test/v1', proxy: `http://127.0.0.1:${open.port}` }),
    surrounding: provider({ base_url: `https://${hostname()}:${front.port}/v1` }),
    excepted: provider({ base_url: `https://${hostname()}:${excepted.port}/v1` }),
    direct: provider({ base_url: `https://${hostname()}:${front.port}/v1`, proxy: '' }),
    plain: provider({ base_url: '${SIMULATED}', proxy: `http://gateway:${PASSWORD}@127.0.0.1:${locked.port}` }),
  }
  const names = Object.keys(providers)
  return `
providers:
${Object.entries(providers)
  .map(([name, text]) => `  ${name}: ${text}`)
  .join('\n')}
workspaces:
  default:
    routes:
${names.map((name) => `      ${name}: { chain: [{ provider: ${name}, model: gpt-4o, retries: 2 }] }`).join('\n')}
`
}

const manage = managing(() => harness)

/** The call's outcome, whole and streamed. */
async function bothWays(model: string) {
  const whole = await harness.chat(hello(model))
  const stream = await harness.chat(hello(model, { stream: true }))
  return { whole, stream }
}

async function tested(name: string) {
  return (await manage('POST', `/providers/${name}/test`)).json
}

describe('through a real proxy', () => {
  test('calls are answered, whole and streamed', async () => {
    const { whole, stream } = await bothWays('tunnelled')
    assert.equal(whole.status, 200, whole.text)
    assert.equal(stream.status, 200, stream.text)
    assert.match(stream.text, /data: \[DONE\]/)
    assert.deepEqual([...new Set(open.requests())], [`CONNECT localhost:${front.port} HTTP/1.1`])
    assert.equal((await tested('tunnelled')).ok, true)
  })

  test('with a user and a password', async () => {
    const before = locked.requests().length
    const { whole, stream } = await bothWays('known')
    assert.deepEqual([whole.status, stream.status], [200, 200], whole.text + stream.text)
    assert.ok(locked.requests().length > before)
  })

  test('by the environment, unless NO_PROXY excepts a provider or it wants none', async () => {
    const before = locked.requests().length
    const around = await bothWays('surrounding')
    assert.deepEqual([around.whole.status, around.stream.status], [200, 200], around.whole.text + around.stream.text)
    const after = locked.requests().length
    assert.ok(after > before)
    for (const name of ['direct', 'excepted']) {
      const { whole, stream } = await bothWays(name)
      assert.deepEqual([whole.status, stream.status], [200, 200], whole.text + stream.text)
    }
    assert.equal(locked.requests().length, after)
  })

  test('in plain text', async () => {
    const before = locked.requests().length
    const { whole, stream } = await bothWays('plain')
    assert.deepEqual([whole.status, stream.status], [200, 200], whole.text + stream.text)
    const [line = ''] = locked.requests().slice(before)
    assert.match(line, /^POST http:\/\/127\.0\.0\.1:\d+\/v1\/chat\/completions HTTP\/1\.1/)
    assert.equal(harness.upstream().at(-1)?.headers['proxy-authorization'], undefined)
  })
})

describe('a real proxy that does not let a call through', () => {
  for (const [model, words] of [
    ['unknown', /the proxy 127\.0\.0\.1:\d+ wants a user and a password \(HTTP 40[17]\)/],
    ['wrong', /the proxy 127\.0\.0\.1:\d+ rejects the user or the password \(HTTP 40[17]\)/],
  ] as const) {
    test(`${model}: it is named, asked once, and the password is told nobody`, async () => {
      const before = locked.requests().length
      const { whole, stream } = await bothWays(model)
      const test = await tested(model)
      for (const answer of [whole, stream]) {
        assert.equal(answer.status, 502)
        assert.match(answer.json.error.message, words)
        const row = await harness.rowOf(answer)
        assert.equal(row.code, 'upstream_error')
        assert.doesNotMatch(JSON.stringify(row), /Zq7/)
      }
      assert.equal(test.ok, false)
      assert.match(test.message, words)
      assert.doesNotMatch(whole.text + stream.text + JSON.stringify(test), /Zq7/)
      // Two calls and one test: no retry, though the route has two.
      assert.equal(locked.requests().length, before + 3)
    })
  }

  test('a name that it does not know is told as its word', async () => {
    const { message } = await tested('nowhere')
    assert.match(message, /^nowhere\.test cannot be reached: the proxy 127\.0\.0\.1:\d+ cannot reach nowhere\.test:443/)
  })
})
