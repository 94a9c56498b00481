import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { GatewayError } from '../domain/errors.ts'
import type { Call, HttpRoute } from './call.ts'
import { jsonReply } from './respond.ts'
import { createServer, type Server } from './server.ts'

let server: Server
let url: string
let isOverloaded = false
let bodiesRead = 0

const routes: HttpRoute[] = [
  {
    method: 'POST',
    path: '/work',
    isSheddable: true,
    async handle(call: Call) {
      bodiesRead += 1
      const body = Buffer.concat(await call.readBody(1_000_000))
      return jsonReply(200, { bytes: body.length })
    },
  },
  { method: 'GET', path: '/healthz', handle: () => jsonReply(200, { status: 'ok' }) },
  { method: 'GET', path: '/letters', handle: () => ({ status: 200, headers: {}, body: 'äö € 😀' }) },
  { method: 'GET', path: '/latin', handle: () => ({ status: 200, headers: {}, body: 'äöü' }) },
  { method: 'GET', path: '/nothing', handle: () => ({ status: 204, headers: {}, body: '' }) },
  { method: 'GET', path: '/pieces', handle: async () => ({ status: 200, headers: {}, pieces: pieces() }) },
]

const AWAY = new GatewayError('overloaded', undefined, { retryAfterSeconds: 1 })

async function* pieces() {
  yield 'one '
  yield 'two'
}

before(async () => {
  server = createServer({
    routes,
    newRequestId: () => 'id-1',
    onFault: (error) => assert.fail(error),
    admission: (decide) => (isOverloaded ? setImmediate(decide, AWAY) : decide(null)),
  })
  url = await server.listen({ host: '127.0.0.1', port: 0 })
})
after(() => server.drain())

const work = () => fetch(`${url}/work`, { method: 'POST', body: 'x'.repeat(1_000) })

describe('while there is more to do than can be done', () => {
  test('a call is turned away unread, with the code and when to come again; what tells why is served', async () => {
    isOverloaded = true
    const away = await work()
    assert.equal(away.status, 503)
    assert.equal(away.headers.get('retry-after'), '1')
    assert.equal(away.headers.get('x-gateway-request-id'), 'id-1')
    assert.equal(((await away.json()) as { error: { code: string } }).error.code, 'overloaded')
    assert.equal(bodiesRead, 0)
    assert.equal((await fetch(`${url}/healthz`)).status, 200)
  })

  test('calls are taken again as soon as it is over, on the same connection', async () => {
    isOverloaded = false
    assert.deepEqual(await (await work()).json(), { bytes: 1_000 })
  })
})

describe('answers arrive as they were meant', () => {
  test('letters of every width, with their length in bytes', async () => {
    for (const [path, text] of [
      ['/letters', 'äö € 😀'],
      ['/latin', 'äöü'],
    ]) {
      const response = await fetch(url + path)
      assert.equal(response.headers.get('content-length'), String(Buffer.byteLength(text ?? '')))
      assert.equal(await response.text(), text)
    }
  })

  test('piece by piece', async () => assert.equal(await (await fetch(`${url}/pieces`)).text(), 'one two'))

  test('no body and no length where there must be none', async () => {
    const response = await fetch(`${url}/nothing`)
    assert.equal(response.status, 204)
    assert.equal(response.headers.get('content-length'), null)
  })

  test('HEAD is GET without the body', async () => {
    const response = await fetch(`${url}/letters`, { method: 'HEAD' })
    assert.equal(response.headers.get('content-length'), String(Buffer.byteLength('äö € 😀')))
    assert.equal(await response.text(), '')
  })
})

describe('a route with an id prefix and an error format of its own', () => {
  const own: HttpRoute = {
    method: 'POST',
    path: '/own',
    idPrefix: 'own_',
    isSheddable: true,
    usesRawSocket: true,
    writeError: ({ status, code }, _id, headers = {}) => ({
      status,
      headers: { ...headers, 'x-format': 'own' },
      body: code,
    }),
    async handle(call: Call) {
      const body = Buffer.concat(await call.readBody(10))
      if (body.toString() === 'fault') throw new Error('a fault')
      return jsonReply(200, { bytes: body.length })
    },
  }
  let base: string
  let ownServer: Server
  let isFull = false

  before(async () => {
    ownServer = createServer({
      routes: [own, { method: 'GET', path: '/other', handle: () => jsonReply(200, {}) }],
      newRequestId: (prefix = 'default_') => `${prefix}1`,
      onFault: () => {},
      admission: (decide) => (isFull ? setImmediate(decide, AWAY) : decide(null)),
    })
    base = await ownServer.listen({ host: '127.0.0.1', port: 0 })
  })
  after(() => ownServer.drain())

  /** Node's own client sends nothing but plain requests; with a transfer coding they are not plain. */
  for (const [way, more] of [
    ['on the raw socket', {}],
    ['by node:http', { 'transfer-encoding': 'chunked' }],
  ] as const) {
    const ask = async (body: string, method = 'POST') => {
      const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
      const headers = 'transfer-encoding' in more ? more : { 'content-length': Buffer.byteLength(body) }
      request(`${base}/own`, { method, headers }, resolve).on('error', reject).end(body)
      const response = await promise
      const [text] = await Promise.all([response.setEncoding('utf8').toArray(), once(response, 'close')])
      const { 'x-format': format, 'x-gateway-request-id': id, allow } = response.headers
      return { status: response.statusCode, body: text.join(''), format, id, allow }
    }
    const refused = { format: 'own', id: 'own_1', allow: undefined }

    test(`has both on every answer ${way}`, async () => {
      const answer = await ask('small')
      assert.deepEqual([answer.status, answer.id, answer.format], [200, 'own_1', undefined])
      assert.deepEqual(await ask('much too large'), { status: 413, body: 'request_too_large', ...refused })
      assert.deepEqual(await ask('fault'), { status: 500, body: 'internal_error', ...refused })
      const wrong = { ...refused, status: 405, body: 'method_not_allowed', allow: 'POST' }
      assert.deepEqual(await ask('', 'PUT'), wrong)
      isFull = true
      assert.deepEqual(await ask('small'), { status: 503, body: 'overloaded', ...refused })
      isFull = false
    })
  }

  test('leaves other routes as they are', async () => {
    assert.equal((await fetch(`${base}/other`)).headers.get('x-gateway-request-id'), 'default_1')
    const missing = await fetch(`${base}/missing`)
    assert.equal(missing.headers.get('x-gateway-request-id'), 'default_1')
    assert.equal(((await missing.json()) as { error: { code: string } }).error.code, 'not_found')
  })
})

test('a connection on which nothing was ever sent does not hold up a drain', { timeout: 120_000 }, async () => {
  const server = createServer({ routes: [], newRequestId: () => 'id', onFault: assert.fail })
  const { port, hostname } = new URL(await server.listen({ host: '127.0.0.1', port: 0 }))
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  // The server has accepted it at this point.
  assert.equal((await fetch(`http://${hostname}:${port}/`)).status, 404)
  const closed = once(socket, 'close')
  await server.drain()
  await closed
})
