import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { after, beforeEach, describe, test } from 'node:test'
import { type Harness, type Json, KEY, startHarness } from '../../harness.ts'
import { managing } from '../../management/manage.ts'

interface Seen {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: Buffer
}

/** A provider that answers anything. */
const seen: Seen[] = []
const server = createServer(async (incoming, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  const { method = '', url = '', headers } = incoming
  seen.push({ method, url, headers, body: Buffer.concat(chunks) })
  if (url.startsWith('/v1/files/cut')) {
    response.writeHead(200, { 'content-length': '100' })
    response.write('half')
    setImmediate(() => response.destroy())
    return
  }
  if (url.startsWith('/v1/files/missing')) {
    response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":{"message":"no such file"}}')
    return
  }
  const fields = {
    'content-type': 'application/octet-stream',
    'set-cookie': 'a=b',
    'x-own': 'yes',
    'x-echo': 'provider-secret-key',
  }
  response.writeHead(201, { ...fields, connection: 'x-hop', 'x-hop': '1' })
  if (url.startsWith('/v1/files/large')) for (let at = 0; at < 64; at++) response.write(Buffer.alloc(16_384, at))
  response.end(Buffer.from([0, 255, 1]))
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const address = server.address()
assert.ok(typeof address === 'object' && address !== null)

const harness: Harness = await startHarness({
  config: `
providers:
  files:
    family: openai
    base_url: http://127.0.0.1:${address.port}/v1
    api_key: provider-secret-key
    headers: { x-project: p1 }
    passthrough: [/v1/files, /v1/files/*]
  priced:
    family: openai
    base_url: http://127.0.0.1:${address.port}/v1
    api_key: provider-secret-key
    passthrough: [/v1/files/*]
  deepgram:
    family: openai
    base_url: http://127.0.0.1:${address.port}/v1
    headers: { authorization: Token dg-secret-key }
    passthrough: [/v1/listen]
  elevenlabs:
    family: openai
    base_url: http://127.0.0.1:${address.port}/v1
    api_key: el-secret-key
    settings: { auth_header: xi-api-key }
    passthrough: [/v1/text-to-speech/*]
  closed: { family: openai, base_url: "http://127.0.0.1:${address.port}/v1", api_key: provider-secret-key }
  gone: { family: openai, base_url: "http://127.0.0.1:9/v1", api_key: provider-secret-key, passthrough: [/v1/*] }
registry:
  - { provider: priced, model: passthrough, mode: passthrough, input_per_mtok: "0", output_per_mtok: "0", unit_prices: [{ name: passthrough, unit: call, usd_per_1000: "2" }] }
`,
})
const manage = managing(() => harness)
beforeEach(() => seen.splice(0))
after(async () => {
  await harness.stop()
  server.close()
})

async function pass(path: string, init: RequestInit & { key?: string } = {}) {
  const headers = { authorization: `Bearer ${init.key ?? KEY}`, ...(init.headers as object) }
  const answer = await fetch(`${harness.url}/passthrough${path}`, { ...init, headers })
  const bytes = Buffer.from(await answer.arrayBuffer())
  const json = (/json/.test(answer.headers.get('content-type') ?? '') ? JSON.parse(bytes.toString()) : null) as Json
  return { status: answer.status, headers: answer.headers, bytes, json }
}

const rowOf = async (headers: Headers) =>
  (await harness.rows()).find(({ id }) => id === headers.get('x-gateway-request-id'))

/** As sent: `fetch` would tidy the path. */
function raw(
  path: string,
  method = 'GET',
  headers: Record<string, string> = {},
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(harness.url)
    const options = { hostname, port, path, method, headers: { authorization: `Bearer ${KEY}`, ...headers } }
    request(options, (response) => {
      let body = ''
      response.on('data', (text) => (body += text)).on('end', () => resolve({ status: response.statusCode ?? 0, body }))
    })
      .on('error', reject)
      .end()
  })
}

async function keyWith(limits: object, more: object = {}) {
  const { json, text } = await manage('POST', '/keys?workspace=default', { name: `k${Math.random()}`, limits, ...more })
  assert.ok(typeof json.value === 'string', text)
  return json.value as string
}

describe('a call', () => {
  test('has the credentials in the field that its vendor reads (docs/endpoints/audio.md)', async () => {
    const body = Buffer.from([82, 73, 70, 70])
    const heard = await pass('/deepgram/v1/listen?model=nova-3', { method: 'POST', body })
    const said = await pass('/elevenlabs/v1/text-to-speech/rachel?output_format=pcm_24000', { method: 'POST', body })
    assert.deepEqual([heard.status, said.status], [201, 201])
    const [listen, speak] = seen
    assert.deepEqual([listen?.url, listen?.headers.authorization], ['/v1/listen?model=nova-3', 'Token dg-secret-key'])
    assert.deepEqual(listen?.body, body)
    assert.deepEqual([speak?.headers['xi-api-key'], speak?.headers.authorization], ['el-secret-key', undefined])
  })

  test('goes on as it is, with the credentials of the provider, and has a row', async () => {
    const body = Buffer.from([1, 0, 254])
    const own = {
      'content-type': 'application/x-own',
      'x-asked': '1',
      'x-api-key': 'other',
      cookie: 'c=d',
      'x-gateway-session': 's',
    }
    const answer = await pass('/files/v1/files/a%20b?limit=2&x=%2F', { method: 'PATCH', body, headers: own })
    assert.equal(answer.status, 201)
    assert.deepEqual([...answer.bytes], [0, 255, 1])
    const [call] = seen
    assert.deepEqual([call?.method, call?.url, call?.body], ['PATCH', '/v1/files/a%20b?limit=2&x=%2F', body])
    const { headers = {} } = call ?? {}
    assert.deepEqual(
      [
        headers.authorization,
        headers['content-type'],
        headers['x-asked'],
        headers['x-project'],
        headers['x-api-key'],
        headers.cookie,
        headers['x-gateway-session'],
      ],
      ['Bearer provider-secret-key', 'application/x-own', '1', 'p1', undefined, undefined, undefined],
    )
    assert.ok(!JSON.stringify(seen).includes(KEY))
    assert.deepEqual(
      ['content-type', 'x-own', 'x-echo', 'set-cookie', 'x-hop', 'x-gateway-provider'].map((name) =>
        answer.headers.get(name),
      ),
      ['application/octet-stream', 'yes', null, null, null, 'files'],
    )
    const row = await rowOf(answer.headers)
    assert.deepEqual(
      [
        'endpoint',
        'requested_model',
        'provider',
        'model',
        'status',
        'code',
        'request_bytes',
        'response_bytes',
        'session',
        'cost_picodollars',
      ].map((name) => row?.[name]),
      ['passthrough', 'files/passthrough', 'files', 'passthrough', 201, null, 3, 3, 's', null],
    )
  })

  test('may have an answer of any length', async () => {
    const { bytes, headers } = await pass('/files/v1/files/large')
    assert.equal(bytes.length, 64 * 16_384 + 3)
    assert.equal((await rowOf(headers))?.['response_bytes'], bytes.length)
  })

  test('that fails there is answered as the provider does', async () => {
    const { status, json, headers } = await pass('/priced/v1/files/missing')
    assert.deepEqual([status, json.error.message], [404, 'no such file'])
    const row = await rowOf(headers)
    assert.deepEqual([row?.['status'], row?.['provider'], row?.['cost_picodollars']], [404, 'priced', null])
  })

  test('whose answer is cut is cut, and has a row', async () => {
    await assert.rejects(pass('/files/v1/files/cut'))
    const row = (await harness.rows()).at(-1)
    assert.deepEqual([row?.['endpoint'], row?.['code']], ['passthrough', 'upstream_error'])
  })

  test('to a provider that is down is an error of ours, with a row', async () => {
    const { status, json, headers } = await pass('/gone/v1/files')
    assert.deepEqual([status, json.error.code], [502, 'upstream_error'])
    assert.equal((await rowOf(headers))?.['status'], 502)
  })
})

describe('limits', () => {
  test('the rate of the key counts it', async () => {
    const key = await keyWith({ rpm: 1 })
    assert.equal((await pass('/files/v1/files', { key })).status, 201)
    const { status, json } = await pass('/files/v1/files', { key })
    assert.deepEqual([status, json.error.code], [429, 'key_rate_limited'])
  })

  test('a hard budget refuses what has no price', async () => {
    const key = await keyWith({ budget: { usd: '1', per: 'total' } })
    const { status, json } = await pass('/files/v1/files', { key })
    assert.deepEqual([status, json.error.code, seen.length], [402, 'price_unknown', 0])
  })

  test('a hard budget covers a stated price, and no more calls than that', async () => {
    const key = await keyWith({ budget: { usd: '0.005', per: 'total' } })
    const calls = await Promise.all(Array.from({ length: 6 }, () => pass('/priced/v1/files/x', { key })))
    assert.deepEqual(calls.map(({ status }) => status).toSorted(), [201, 201, 402, 402, 402, 402])
    assert.equal(seen.length, 2)
    const paid = calls.find(({ status }) => status === 201)
    assert.equal(paid?.headers.get('x-gateway-cost-usd'), '0.002000')
    assert.ok(paid !== undefined)
    assert.equal(Number((await rowOf(paid.headers))?.['cost_picodollars']), 2_000_000_000)
  })

  test('a key for some models may not, unless it names this', async () => {
    const other = await keyWith({}, { allowed_models: ['gpt-4o'] })
    assert.equal((await pass('/files/v1/files', { key: other })).status, 403)
    const own = await keyWith({}, { allowed_models: ['files/passthrough'] })
    assert.equal((await pass('/files/v1/files', { key: own })).status, 201)
  })
})

describe('what is refused', () => {
  for (const [what, path, status, message] of [
    ['a path that is not listed', '/passthrough/files/v1/models', 403, /An admin can allow it/],
    ['a path beside a listed one', '/passthrough/files/v1/filesystem', 403, /is not open for/],
    ['a provider without a list', '/passthrough/closed/v1/files', 403, /is not open for/],
    ['an unknown provider', '/passthrough/nobody/v1/files', 404, /There is no provider 'nobody'/],
    ['dot segments', '/passthrough/files/v1/files/../models', 400, /dot segments/],
    ['one dot', '/passthrough/files/v1/files/./x', 400, /dot segments/],
    ['encoded dots', '/passthrough/files/v1/files/%2e%2e/models', 400, /dot segments/],
    ['encoded slashes', '/passthrough/files/v1/files/..%2Fmodels', 400, /encoded slashes/],
    ['encoded backslashes', '/passthrough/files/v1/files/..%5cmodels', 400, /encoded slashes/],
    ['twice encoded slashes', '/passthrough/files/v1/files/%252e', 400, /encoded slashes/],
    ['another address', '/passthrough/files/v1/files/http://evil.example/', 400, /empty segments/],
    ['an empty segment', '/passthrough/files//evil.example/v1/files', 400, /empty segments/],
    ['the gateway key in the query', `/passthrough/files/v1/files?key=${KEY}`, 400, /not in the query/],
  ] as const) {
    test(what, async () => {
      const answer = await raw(path)
      assert.equal(answer.status, status, answer.body)
      assert.match(JSON.parse(answer.body).error.message, message)
      assert.equal(seen.length, 0)
    })
  }

  test('calls without a key, with an upgrade, HEAD and CONNECT', async () => {
    assert.equal((await raw('/passthrough/files/v1/files', 'GET', { authorization: '' })).status, 401)
    assert.equal(
      (await raw('/passthrough/files/v1/files', 'GET', { connection: 'upgrade', upgrade: 'websocket' })).status,
      426,
    )
    assert.equal((await raw('/passthrough/files/v1/files', 'HEAD')).status, 405)
    const { hostname, port } = new URL(harness.url)
    const answer = await new Promise<string>((resolve) => {
      let text = ''
      const socket = connect(Number(port), hostname, () =>
        socket.write('CONNECT files:443 HTTP/1.1\r\nhost: x\r\n\r\n'),
      )
      socket
        .on('data', (bytes) => (text += bytes))
        .on('error', () => {})
        .on('close', () => resolve(text))
    })
    assert.ok(!/^HTTP\/1\.1 2/.test(answer), answer)
    assert.equal(seen.length, 0)
  })
})

test('the list is set by the API, checked, and kept where it is left out', async () => {
  const body = { family: 'openai', base_url: 'https://provider.example/v1', passthrough: ['/v1/batches/*'] }
  const put = (more: object) => manage('PUT', '/providers/set', { ...body, ...more })
  assert.deepEqual((await put({})).json.passthrough, ['/v1/batches/*'])
  assert.deepEqual((await put({ passthrough: undefined })).json.passthrough, ['/v1/batches/*'])
  for (const bad of ['v1', '/v1/*/x', '/v1/../x', '//x', '/a%2fb']) {
    const { status, text } = await put({ passthrough: [bad] })
    assert.equal(status, 400, text)
    assert.match(text, /passthrough/)
  }
  assert.deepEqual((await put({ passthrough: null })).json.passthrough, [])
})
