import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { readConfig } from '../../src/app/config.ts'
import { PROVIDER_KINDS } from '../../src/providers/provider-kinds.ts'
import { ADMIN_KEY, type Harness, hello, type Json, KEY, newFolder, startHarness } from '../harness.ts'

const CONFIG = `
providers:
  filed: { family: openai, base_url: \${SIMULATED}, api_key: filed-secret-key }
`
const SECRET = 'sk-very-secret-value-0001'

let harness: Harness
let simulated: string
const servers: Server[] = []
const sockets = new Set<Socket>()
before(async () => {
  harness = await startHarness({ config: CONFIG })
  simulated = harness.simulator.openaiUrl
})
after(async () => {
  await harness.stop()
  for (const server of servers) server.close()
  for (const socket of sockets) socket.destroy()
})

async function ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(harness.url + path, {
    method,
    headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const json: Json = text === '' ? null : JSON.parse(text)
  return { status: response.status, json, text, etag: response.headers.get('etag') ?? '' }
}

const put = (name: string, body: unknown, headers?: Record<string, string>) =>
  ask('PUT', `/providers/${name}`, body, headers)
const get = (name: string) => ask('GET', `/providers/${name}`)
const chatAt = async (provider: string) => {
  await putRoute(`via-${provider}`, provider)
  return harness.chat(hello(`via-${provider}`))
}

/** Straight into the store: routes have their own tests. */
async function putRoute(alias: string, provider: string): Promise<void> {
  const { db } = harness.gateway.store
  const chain = JSON.stringify([{ provider, model: 'gpt-4o', retries: 2 }])
  const row = { workspace: 'default', alias, description: null, chain, created_at: 1, updated_at: 1, managed_by: null }
  await db
    .insertInto('routes')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  // Any change through the API makes the gateway read its control data again.
  await put('touch', { family: 'openai', base_url: `${simulated}/${Math.random()}` })
}

async function listening(server: Server): Promise<string> {
  servers.push(server)
  server.on('connection', (socket: Socket) => sockets.add(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
const serving = (listener: RequestListener) => listening(createServer(listener))

describe('PUT /providers/{name}', () => {
  test('creates with 201, changes with 200, and the next call goes there', async () => {
    const created = await put('mine', { family: 'openai', base_url: simulated, api_key: SECRET })
    assert.equal(created.status, 201, created.text)
    const { created_at, updated_at, ...rest } = created.json
    assert.ok(Date.parse(created_at) > 0 && created_at === updated_at)
    assert.deepEqual(rest, {
      name: 'mine',
      family: 'openai',
      base_url: simulated,
      has_api_key: true,
      headers: {},
      on_caller_left: 'abort',
      on_estimate: 'estimate',
      speaks: null,
      passthrough: [],
      preset: null,
      settings: {},
      credentials: {},
      proxy: null,
      ca: null,
      price_percent: null,
      priced_as: null,
      managed_by: null,
    })
    assert.equal((await chatAt('mine')).status, 200)
    const dearer = await ask('PUT', '/providers/mine/price-percent', { price_percent: 110 })
    assert.equal(dearer.json.price_percent, 110)
    const same = await put('mine', { family: 'openai', base_url: simulated, api_key: `${SECRET}-2` })
    assert.equal(same.json.price_percent, 110)
    assert.equal(harness.upstream().at(-1)?.headers['authorization'], `Bearer ${SECRET}`)
    const changed = await put('mine', {
      family: 'anthropic',
      base_url: harness.simulator.anthropicUrl,
      api_key: SECRET,
    })
    assert.equal(changed.status, 200)
    assert.equal(changed.json.family, 'anthropic')
    assert.equal(changed.json.price_percent, null, 'what one address charges says nothing of another')
  })

  test('does not carry a stored secret to another server', async () => {
    await put('homed', {
      family: 'openai',
      base_url: simulated,
      api_key: SECRET,
      headers: { 'x-a': 'header-secret-8' },
    })
    const elsewhere = { family: 'openai', base_url: 'http://127.0.0.1:9/v1' }
    const withoutKey = await put('homed', { ...elsewhere, headers: {} })
    assert.deepEqual([withoutKey.status, withoutKey.json.error.message.split(':')[0]], [400, 'api_key'])
    for (const headers of [undefined, { 'x-a': '***' }]) {
      const answer = await put('homed', { ...elsewhere, api_key: SECRET, ...(headers && { headers }) })
      assert.deepEqual([answer.status, answer.json.error.message.split(':')[0]], [400, 'headers'])
    }
    assert.equal((await put('homed', { ...elsewhere, api_key: SECRET, headers: {} })).status, 200)
    assert.equal(
      (await put('homed', { family: 'openai', base_url: 'http://127.0.0.1:9/other' })).json.has_api_key,
      true,
    )
  })

  test('keeps the key that is left out, replaces one that is given, removes null', async () => {
    const body = { family: 'openai', base_url: simulated }
    await put('keyed', { ...body, api_key: 'first-secret-key' })
    assert.equal((await put('keyed', body)).json.has_api_key, true)
    await chatAt('keyed')
    assert.equal(harness.upstream().at(-1)?.headers['authorization'], 'Bearer first-secret-key')
    await put('keyed', { ...body, api_key: 'second-secret-key' })
    await chatAt('keyed')
    assert.equal(harness.upstream().at(-1)?.headers['authorization'], 'Bearer second-secret-key')
    assert.equal((await put('keyed', { ...body, api_key: null })).json.has_api_key, false)
    await chatAt('keyed')
    assert.equal(harness.upstream().at(-1)?.headers['authorization'], undefined)
  })

  test('masks header values; sent back masked or left out they stay, null removes them', async () => {
    const body = { family: 'openai', base_url: simulated }
    const first = await put('headed', { ...body, headers: { 'x-team': 'blue-secret', 'x-more': 'more-secret' } })
    assert.deepEqual(first.json.headers, { 'x-more': '***', 'x-team': '***' })
    await put('headed', body)
    await put('headed', { ...body, headers: { 'x-team': '***', 'x-new': 'fresh-value' } })
    await chatAt('headed')
    const sent = harness.upstream().at(-1)?.headers ?? {}
    assert.deepEqual([sent['x-team'], sent['x-new'], sent['x-more']], ['blue-secret', 'fresh-value', undefined])
    assert.deepEqual((await put('headed', { ...body, headers: null })).json.headers, {})
    const unknown = await put('headed', { ...body, headers: { 'x-team': '***' } })
    assert.equal(unknown.status, 400)
    assert.match(unknown.json.error.message, /headers\.x-team/)
  })

  test('keeps what happens to a stream whose caller left, until it is told otherwise', async () => {
    const body = { family: 'openai', base_url: simulated }
    const left = async (more: object = {}) => (await put('billed', { ...body, ...more })).json.on_caller_left
    assert.deepEqual(
      [await left({ on_caller_left: 'drain' }), await left(), await left({ on_caller_left: 'abort' })],
      ['drain', 'drain', 'abort'],
    )
    const { json } = await ask('GET', '/audit?resource=providers/billed')
    assert.deepEqual([json.data[0].before.on_caller_left, json.data[0].after.on_caller_left], ['drain', 'abort'])
  })

  test('keeps what its estimated calls cost, until it is told otherwise', async () => {
    const body = { family: 'openai', base_url: simulated }
    const cost = async (more: object = {}) => (await put('guessed', { ...body, ...more })).json.on_estimate
    assert.deepEqual(
      [await cost(), await cost({ on_estimate: 'hold' }), await cost(), await cost({ on_estimate: 'estimate' })],
      ['estimate', 'hold', 'hold', 'estimate'],
    )
    assert.equal((await put('guessed', { ...body, on_estimate: 'nothing' })).status, 400)
  })

  test('keeps the formats that it speaks, until it is told otherwise', async () => {
    const body = { family: 'openai', base_url: simulated }
    const spoken = async (more: object = {}) => (await put('spoken', { ...body, ...more })).json.speaks
    assert.deepEqual(
      [await spoken(), await spoken({ speaks: ['responses'] }), await spoken(), await spoken({ speaks: [] })],
      [null, ['responses'], ['responses'], []],
    )
    assert.equal(await spoken({ speaks: null }), null)
    assert.equal((await put('spoken', { ...body, speaks: ['latin'] })).status, 400)
  })

  test('writes an audit row without the secret, and none when nothing changed', async () => {
    const body = { family: 'openai', base_url: simulated, api_key: SECRET, headers: { 'x-a': 'header-secret-7' } }
    await put('audited', body)
    await put('audited', body)
    const { json, text } = await ask('GET', '/audit?resource=providers/audited')
    assert.equal(json.data.length, 1)
    assert.equal(json.data[0].action, 'providers.put')
    assert.equal(json.data[0].after.has_api_key, true)
    assert.ok(!text.includes(SECRET) && !text.includes('header-secret-7'))
  })

  const bad: [title: string, name: string, body: unknown, message: RegExp][] = [
    ['an unknown field', 'bad', { family: 'openai', base_url: 'http://h', apikey: 'x' }, /apikey/],
    ['a missing family', 'bad', { base_url: 'http://h' }, /family/],
    ['an unknown family', 'bad', { family: 'third', base_url: 'http://h' }, /family: one of openai, anthropic/],
    ['a missing address', 'bad', { preset: 'vllm' }, /base_url/],
    ['an address of the wrong type', 'bad', { family: 'openai', base_url: 7 }, /base_url/],
    ['another scheme', 'bad', { family: 'openai', base_url: 'ftp://h' }, /base_url: .*http/],
    ['credentials in the address', 'bad', { family: 'openai', base_url: 'http://a:b@h' }, /base_url: .*credentials/],
    ['a link-local address', 'bad', { family: 'openai', base_url: 'http://169.254.1.1/v1' }, /base_url: .*link-local/],
    ['a metadata address in hex', 'bad', { family: 'openai', base_url: 'http://0xa9fea9fe' }, /base_url/],
    ['a metadata name', 'bad', { family: 'openai', base_url: 'http://metadata.google.internal' }, /metadata/],
    ['a key with a line break', 'bad', { family: 'openai', base_url: 'http://h', api_key: 'a\nb' }, /api_key/],
    ['an empty key', 'bad', { family: 'openai', base_url: 'http://h', api_key: '' }, /api_key/],
    [
      'a header with a line break',
      'bad',
      { family: 'openai', base_url: 'http://h', headers: { a: 'x\r\nb: c' } },
      /headers/,
    ],
    ['a bad header name', 'bad', { family: 'openai', base_url: 'http://h', headers: { 'a b': 'x' } }, /header name/],
    ['a bad name', 'Bad.Name', { family: 'openai', base_url: 'http://h' }, /provider name/],
    ['a body that is no object', 'bad', [1], /expected an object/i],
  ]
  for (const [title, name, body, message] of bad) {
    test(`refuses ${title} with 400 and changes nothing`, async () => {
      const answer = await put(name, body)
      assert.equal(answer.status, 400, answer.text)
      assert.equal(answer.json.error.code, 'invalid_request')
      assert.match(answer.json.error.message, message)
      assert.equal((await get('bad')).status, 404)
    })
  }

  test('refuses what the file owns with 409 managed_by_config', async () => {
    const answer = await put('filed', { family: 'openai', base_url: simulated })
    assert.deepEqual([answer.status, answer.json.error.code], [409, 'managed_by_config'])
    assert.match(answer.json.error.message, /switchyard\.yaml/)
    assert.equal((await ask('DELETE', '/providers/filed')).json.error.code, 'managed_by_config')
  })

  test('refuses what the environment sets with 409 conflict that says so', async () => {
    const answer = await put('openai', { family: 'openai', api_key: SECRET })
    assert.deepEqual([answer.status, answer.json.error.code], [409, 'conflict'])
    assert.match(answer.json.error.message, /environment/)
    assert.equal((await ask('DELETE', '/providers/openai')).status, 409)
  })
})

describe('a provider that the environment only names', () => {
  test('may be set up, without an address of its own, and stays so over a restart', async () => {
    const folder = newFolder()
    const environment = { OPENAI_API_KEY: '', OPENAI_BASE_URL: '' }
    const headers = { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' }
    let bare = await startHarness({ folder, environment })
    try {
      const body = JSON.stringify({ family: 'openai', api_key: SECRET })
      const answer = await fetch(`${bare.url}/providers/openai`, { method: 'PUT', headers, body })
      assert.equal(answer.status, 200)
      await bare.stop()
      bare = await startHarness({ folder, environment })
      const { json } = await bare.get('/providers/openai', headers)
      assert.deepEqual([json.has_api_key, json.base_url, json.managed_by], [true, null, null])
    } finally {
      await bare.stop()
    }
  })
})

describe('versions', () => {
  test('a stale If-Match is 412 and changes nothing; the present one is taken', async () => {
    const body = { family: 'openai', base_url: simulated }
    const first = await put('versioned', body)
    assert.equal((await get('versioned')).etag, first.etag)
    const second = await put('versioned', { ...body, headers: { a: 'b' } }, { 'if-match': first.etag })
    assert.equal(second.status, 200)
    const stale = await put('versioned', { ...body, headers: {} }, { 'if-match': first.etag })
    assert.deepEqual([stale.status, stale.json.error.code], [412, 'precondition_failed'])
    assert.equal((await ask('DELETE', '/providers/versioned', undefined, { 'if-match': first.etag })).status, 412)
    assert.deepEqual((await get('versioned')).json.headers, { a: '***' })
    assert.equal((await ask('DELETE', '/providers/versioned', undefined, { 'if-match': second.etag })).status, 204)
  })

  test('If-Match for what is not there is 412', async () => {
    const answer = await put('absent', { family: 'openai', base_url: simulated }, { 'if-match': '*' })
    assert.equal(answer.status, 412)
    assert.equal((await get('absent')).status, 404)
  })
})

describe('GET /providers', () => {
  test('pages through all of them by name, without a secret', async () => {
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const { json, text } = await ask('GET', `/providers?limit=2${cursor === null ? '' : `&cursor=${cursor}`}`)
      assert.ok(!/sk-test-openai-key|filed-secret-key|sk-very-secret/.test(text))
      seen.push(...json.data.map((provider: Json) => provider.name))
      cursor = json.next_cursor
    } while (cursor !== null)
    assert.deepEqual(seen, seen.toSorted())
    assert.equal(new Set(seen).size, seen.length)
    for (const name of ['anthropic', 'filed', 'openai']) assert.ok(seen.includes(name))
  })

  test('shows who manages each', async () => {
    assert.equal((await get('openai')).json.managed_by, 'environment')
    assert.equal((await get('filed')).json.managed_by, 'config')
  })

  test('refuses a cursor that is not its own', async () => {
    assert.equal((await ask('GET', '/providers?cursor=nonsense')).status, 400)
  })

  test('is 404 for one that is not there', async () => {
    assert.deepEqual([(await get('nobody')).status, (await get('nobody')).json.error.code], [404, 'not_found'])
    assert.equal((await ask('DELETE', '/providers/nobody')).status, 404)
    assert.equal((await ask('POST', '/providers/nobody/test')).status, 404)
  })
})

describe('GET /providers/{name}/routes', () => {
  test('names the routes whose chain has it, and none of the others', async () => {
    await put('chained', { family: 'openai', base_url: simulated })
    assert.deepEqual((await ask('GET', '/providers/chained/routes')).json, { data: [] })
    await putRoute('by-chained', 'chained')
    const { json } = await ask('GET', '/providers/chained/routes')
    assert.deepEqual(json, { data: [{ workspace: 'default', alias: 'by-chained' }] })
  })

  test('is 404 for a provider that is not there', async () => {
    assert.equal((await ask('GET', '/providers/nobody/routes')).status, 404)
  })
})

describe('DELETE /providers/{name}', () => {
  test('is 409 while routes name it, and says which', async () => {
    await put('used', { family: 'openai', base_url: simulated })
    await putRoute('uses-it', 'used')
    const answer = await ask('DELETE', '/providers/used')
    assert.deepEqual([answer.status, answer.json.error.code], [409, 'conflict'])
    assert.match(answer.json.error.message, /uses-it/)
    assert.deepEqual(answer.json.error.details.routes, [{ workspace: 'default', alias: 'uses-it' }])
    assert.equal((await get('used')).status, 200)
  })

  test('removes it with an audit row', async () => {
    await put('gone', { family: 'openai', base_url: simulated, api_key: SECRET })
    assert.equal((await ask('DELETE', '/providers/gone')).status, 204)
    assert.equal((await get('gone')).status, 404)
    const { json } = await ask('GET', '/audit?resource=providers/gone')
    assert.deepEqual([json.data[0].action, json.data[0].after], ['providers.delete', null])
  })
})

describe('POST /providers/{name}/try', () => {
  const attempt = (body: Record<string, unknown>, name = 'untried') => ask('POST', `/providers/${name}/try`, body)

  test('makes one call with the cheapest priced model, saves nothing and is audited', async () => {
    const rows = (await harness.rows()).length
    const { status, json, text } = await attempt({ family: 'openai', base_url: simulated, api_key: SECRET })
    assert.equal(status, 200, text)
    assert.ok(!text.includes(SECRET))
    assert.deepEqual([json.ok, json.call.model], [true, json.suggested[0] ?? json.call.model])
    assert.equal((await get('untried')).status, 404)
    assert.equal((await harness.rows()).length, rows)
    const audited = await ask('GET', '/audit?resource=providers/untried')
    assert.deepEqual([audited.json.data[0].action, audited.json.data[0].after.family], ['providers.try', 'openai'])
  })

  test('prices the call by the vendor whose models it has', async () => {
    const body = { family: 'openai', preset: 'groq', base_url: simulated, api_key: SECRET, model: 'openai/gpt-oss-20b' }
    const { json } = await attempt(body)
    assert.equal(json.ok, true, json.message)
    assert.match(json.call.cost_usd, /^0\.0000\d+$/)
  })

  test('says what the provider says when the call fails, and keeps stored secrets at home', async () => {
    const failed = await attempt({ family: 'openai', base_url: simulated, model: 'gpt-sim-503' })
    assert.deepEqual([failed.status, failed.json.ok, failed.json.call], [200, false, null])
    assert.match(failed.json.message, /^gpt-sim-503 did not answer\. It says: /)
    await put('kept', { family: 'openai', base_url: simulated, api_key: SECRET })
    const away = await attempt({ family: 'openai', base_url: 'http://127.0.0.1:9/v1' }, 'kept')
    assert.equal(away.status, 400)
    assert.match(away.json.error.message, /^api_key: would go to another server/)
  })
})

describe('POST /providers/{name}/test', () => {
  const check = async (body: Record<string, unknown>) => {
    assert.ok((await put('tested', { api_key: SECRET, headers: null, ...body })).status < 300)
    const { status, json, text } = await ask('POST', '/providers/tested/test')
    assert.equal(status, 200, text)
    assert.ok(!text.includes(SECRET))
    assert.deepEqual(Object.keys(json), ['ok', 'latency_ms', 'status', 'models', 'message'])
    return json
  }

  test('both families that work', async () => {
    const openai = await check({ family: 'openai', base_url: simulated })
    assert.deepEqual([openai.ok, openai.status], [true, 200])
    assert.ok(openai.models > 5 && Number.isInteger(openai.latency_ms))
    const anthropic = await check({ family: 'anthropic', base_url: harness.simulator.anthropicUrl })
    assert.deepEqual([anthropic.ok, anthropic.status], [true, 200])
  })

  test('makes one call, and no row in the request log', async () => {
    const [calls, rows] = [harness.simulator.calls.length, (await harness.rows()).length]
    await check({ family: 'openai', base_url: simulated })
    assert.deepEqual([harness.simulator.calls.length, (await harness.rows()).length], [calls + 1, rows])
  })

  const answering = (status: number, type: string, body: string) =>
    serving((_request, response) => response.writeHead(status, { 'content-type': type }).end(body))
  const json = 'application/json'
  const cases: [title: string, address: () => Promise<string>, status: number | null, message: RegExp][] = [
    [
      'a rejected key',
      () => answering(401, json, JSON.stringify({ error: { message: `Incorrect API key: ${SECRET}` } })),
      401,
      /rejects the key/,
    ],
    ['a key without permission', () => answering(403, json, '{}'), 403, /may not list models/],
    ['an address without /v1', () => answering(404, json, '{}'), 404, /include \/v1\?/],
    ['a web page', () => answering(200, 'text/html', '<html>welcome</html>'), 200, /page.*include \/v1\?/],
    ['JSON that is no list', () => answering(200, json, '{"hello": 1}'), 200, /not with a model list/],
    ['an empty list', () => answering(200, json, '{"data": []}'), 200, /lists no model/],
    ['a rate limit', () => answering(429, json, '{}'), 429, /rate-limited/],
    ['a failing provider', () => answering(503, 'text/plain', 'oops'), 503, /HTTP 503/],
    [
      'a redirect',
      () => serving((_request, response) => response.writeHead(301, { location: 'https://elsewhere.example/' }).end()),
      301,
      /redirects to https:\/\/elsewhere\.example/,
    ],
    [
      'nothing listening',
      async () => {
        const server = createTcpServer()
        await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
        const { port } = server.address() as AddressInfo
        await new Promise((resolve) => server.close(resolve))
        return `http://127.0.0.1:${port}`
      },
      null,
      /Nothing listens at 127\.0\.0\.1/,
    ],
    [
      'a server that speaks no TLS',
      async () => (await answering(200, json, '{}')).replace('http:', 'https:'),
      null,
      /does not speak TLS.*http:\/\//,
    ],
    [
      'a server that hangs up',
      () => listening(createTcpServer((socket) => socket.destroy())),
      null,
      /closed the connection/,
    ],
    ['a name that does not exist', async () => 'http://no-such-host.invalid/v1', null, /\(DNS\)/],
  ]
  for (const [title, address, status, message] of cases) {
    test(`${title} is told in words`, async () => {
      const result = await check({ family: 'openai', base_url: await address() })
      assert.deepEqual([result.ok, result.status, result.models], [false, status, null])
      assert.match(result.message, message)
    })
  }

  test('a provider without key and address is told so', async () => {
    const bare = await startHarness({ environment: { OPENAI_API_KEY: '', OPENAI_BASE_URL: '' } })
    try {
      const headers = { authorization: `Bearer ${ADMIN_KEY}` }
      const answer = await fetch(`${bare.url}/providers/openai/test`, { method: 'POST', headers })
      assert.match(((await answer.json()) as Json).message, /neither a key nor an address/)
    } finally {
      await bare.stop()
    }
  })
})

describe('an address that no provider may have', () => {
  test('fails the call with 502 at the first attempt, whoever put it into the store', async () => {
    const { db } = harness.gateway.store
    await put('sly', { family: 'openai', base_url: simulated })
    await db.updateTable('providers').set({ base_url: 'http://169.254.169.254/v1' }).where('name', '=', 'sly').execute()
    const answer = await chatAt('sly')
    assert.deepEqual([answer.status, answer.json.error.code], [502, 'upstream_error'])
    assert.match(answer.json.error.message, /is not allowed/)
    const attempts = JSON.parse(String((await harness.rowOf(answer))['attempts'])) as Json[]
    assert.equal(attempts.length, 1)
  })

  test('stops the start when the environment or the file names it', () => {
    const folder = newFolder()
    const path = join(folder, 'switchyard.yaml')
    writeFileSync(path, 'providers:\n  x: { family: openai, base_url: "http://2852039166/v1" }')
    const builtin = { family: 'openai', name: 'openai', apiKeyVariable: 'SOME_KEY', baseUrlVariable: 'SOME_URL' }
    assert.throws(
      () => readConfig({ SOME_URL: 'http://[fe80::1]/v1' }, [builtin], PROVIDER_KINDS),
      /SOME_URL: .*link-local/,
    )
    assert.throws(
      () => readConfig({ SWITCHYARD_CONFIG: path }, [builtin], PROVIDER_KINDS),
      /providers\.x\.base_url: .*link-local/,
    )
    rmSync(folder, { recursive: true })
  })
})

test('a gateway key may not read providers', async () => {
  assert.equal((await harness.get('/providers', { authorization: `Bearer ${KEY}` })).status, 403)
})
