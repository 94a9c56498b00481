import assert from 'node:assert/strict'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { after, describe, test } from 'node:test'
import type { Presence } from '../domain/presence.ts'
import { createUpstreamClient } from './client.ts'
import type { CallOptions, Endpoint } from './exchange.ts'
import { bodyOf, MAX_RESPONSE_BYTES } from './whole-response.ts'

const client = createUpstreamClient()
const servers: Server[] = []
after(async () => {
  await client.close()
  for (const server of servers) server.close()
})

async function listen(server: Server): Promise<Endpoint> {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return client.endpoint({ url: `http://127.0.0.1:${port}/chat?x=1`, headers: { 'content-type': 'application/json' } })
}

const http = (listener: RequestListener) => listen(createHttpServer(listener))
const tcp = (listener: (socket: Socket) => void) => listen(createTcpServer(listener))

function options(more: Partial<CallOptions> = {}): CallOptions {
  return { method: 'POST', body: '{"a":1}', timeoutMs: 60_000, presence: null, ...more }
}

function presence(): Presence & { leave(): void } {
  const listeners = new Set<() => void>()
  let left = false
  return {
    get left() {
      return left
    },
    onLeave(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    leave() {
      left = true
      for (const listener of listeners) listener()
    },
  }
}

/** Answers the first request of each connection; the test decides what happens to the connection then. */
async function keptConnection(): Promise<{ endpoint: Endpoint; socket: Socket }> {
  const sockets: Socket[] = []
  const endpoint = await tcp((socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
    socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'))
  })
  assert.equal((await client.exchange(endpoint, options())).kind, 'reply')
  // It is free again once the end of the answer has been dealt with.
  await new Promise((resolve) => setImmediate(resolve))
  const [socket] = sockets
  assert.ok(socket !== undefined)
  return { endpoint, socket }
}

async function brokenOff(endpoint: Endpoint) {
  const outcome = await client.exchange(endpoint, options())
  return outcome.kind === 'broken' ? { kind: outcome.kind, sent: outcome.sent } : outcome
}

describe('a kept connection', () => {
  for (const [how, end] of [
    ['closed', (socket: Socket) => socket.end()],
    ['reset', (socket: Socket) => socket.resetAndDestroy()],
  ] as const) {
    test(`that is ${how} as soon as the next request is written was ending anyway`, async (t) => {
      const { endpoint, socket } = await keptConnection()
      // Time is frozen: on a busy machine "as soon as" may be late.
      t.mock.method(performance, 'now', () => 0)
      socket.once('data', () => end(socket))
      assert.deepEqual(await brokenOff(endpoint), { kind: 'broken', sent: false })
    })

    test(`that is ${how} after the first bytes of an answer has worked on it`, async () => {
      const { endpoint, socket } = await keptConnection()
      socket.once('data', () => socket.write('HTTP/1.1 20', () => setTimeout(() => end(socket), 5)))
      assert.deepEqual(await brokenOff(endpoint), { kind: 'broken', sent: true })
    })

    test(`that is ${how} a while after the next request was written may have worked on it`, async () => {
      const { endpoint, socket } = await keptConnection()
      socket.once('data', () => setTimeout(() => end(socket), 50))
      assert.deepEqual(await brokenOff(endpoint), { kind: 'broken', sent: true })
    })
  }
})

test('HTTP/2 is not offered: each call has a connection of its own', async () => {
  const hello = Promise.withResolvers<string>()
  const server = createTcpServer((socket) => {
    socket.once('data', (bytes) => {
      hello.resolve(bytes.toString('latin1'))
      socket.destroy()
    })
  })
  await listen(server)
  const { port } = server.address() as AddressInfo
  await client.exchange(client.endpoint({ url: `https://127.0.0.1:${port}/`, headers: {} }), options())
  assert.ok((await hello.promise).includes('\bhttp/1.1'))
  assert.ok(!(await hello.promise).includes('\u0002h2'))
})

describe('a call to a provider', () => {
  test('sends method, path, headers and body, and returns status, headers and body', async () => {
    let seen = ''
    const endpoint = await http((request, response) => {
      let body = ''
      request.on('data', (chunk) => (body += chunk))
      request.on('end', () => {
        seen = `${request.method} ${request.url} ${request.headers['content-type']} ${request.headers['content-length']} ${body}`
        response.writeHead(418, { 'x-request-id': 'r1' }).end('short and stout')
      })
    })
    const outcome = await client.exchange(endpoint, options())
    assert.equal(seen, 'POST /chat?x=1 application/json 7 {"a":1}')
    assert.ok(outcome.kind === 'reply')
    assert.deepEqual(
      [outcome.status, outcome.headers.get('x-request-id'), bodyOf(outcome).toString()],
      [418, 'r1', 'short and stout'],
    )
  })

  test("sends a call's own fields in place of those that every call has", async () => {
    let seen: string[] = []
    const endpoint = await http((request, response) => {
      seen = request.rawHeaders
      response.end()
    })
    await client.exchange(client.withFields(endpoint, { 'Content-Type': 'text/plain', 'x-more': '1' }), options())
    const names = seen.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())
    assert.equal(names.filter((name) => name === 'content-type').length, 1)
    assert.equal(seen[names.indexOf('content-type') * 2 + 1], 'text/plain')
    assert.ok(names.includes('host') && names.includes('x-more'))
    await client.exchange(client.withFields(endpoint, { 'x-more': 'two\r\nlines' }), options())
    assert.ok(seen.includes('application/json'), 'the endpoint itself is as it was')
  })

  test('sends the trace of a call, unless the provider has one of its own', async () => {
    let seen: NodeJS.Dict<string | string[]> = {}
    const endpoint = await http((request, response) => {
      seen = request.headersDistinct
      response.end()
    })
    await client.exchange(client.withTrace(endpoint, { traceparent: '00-a-b-01', tracestate: null }), options())
    assert.deepEqual([seen['traceparent'], seen['tracestate']], [['00-a-b-01'], undefined])
    await client.exchange(client.withTrace(endpoint, { traceparent: '00-a-b-00', tracestate: 'x=1' }), options())
    assert.deepEqual([seen['traceparent'], seen['tracestate']], [['00-a-b-00'], ['x=1']])
    const own = client.withFields(endpoint, { TraceParent: 'own' })
    await client.exchange(client.withTrace(own, { traceparent: '00-a-b-00', tracestate: 'x=1' }), options())
    assert.deepEqual([seen['traceparent'], seen['tracestate']], [['own'], undefined])
  })

  test('does not follow a redirect', async () => {
    let calls = 0
    const endpoint = await http((_request, response) => {
      calls++
      response.writeHead(307, { location: '/elsewhere' }).end()
    })
    const outcome = await client.exchange(endpoint, options())
    assert.ok(outcome.kind === 'reply' && outcome.status === 307)
    assert.equal(calls, 1)
  })

  test('ends at its deadline while no headers come, and the connection is closed', async () => {
    let closed: () => void = () => {}
    const gone = new Promise<void>((resolve) => (closed = resolve))
    const endpoint = await http((request) => request.socket.once('close', closed))
    assert.deepEqual(await client.exchange(endpoint, options({ timeoutMs: 1_000 })), {
      kind: 'timeout',
      phase: 'headers',
    })
    await gone
  })

  test('ends at its deadline while the body does not end', async () => {
    const endpoint = await http((_request, response) => response.writeHead(200).write('{"half":'))
    assert.deepEqual(await client.exchange(endpoint, options({ timeoutMs: 2_000 })), { kind: 'timeout', phase: 'body' })
  })

  test('says that nobody listens', async () => {
    const server = createTcpServer()
    const endpoint = await listen(server)
    await new Promise((resolve) => server.close(resolve))
    assert.deepEqual(await client.exchange(endpoint, options()), { kind: 'unreachable', detail: 'ECONNREFUSED' })
  })

  test('says that a name does not exist', async () => {
    const endpoint = client.endpoint({ url: 'http://no-such-host.invalid/', headers: {} })
    const outcome = await client.exchange(endpoint, options())
    assert.equal(outcome.kind, 'unreachable')
  })

  test('tells a connection broken after the request was sent', async () => {
    const endpoint = await tcp((socket) => socket.on('data', () => socket.destroy()).on('error', () => {}))
    const outcome = await client.exchange(endpoint, options())
    assert.ok(outcome.kind === 'broken' && outcome.sent)
  })

  test('tells a connection broken in the middle of the answer', async () => {
    const endpoint = await tcp((socket) => {
      socket.on('error', () => {})
      socket.on('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"cut'))
    })
    const outcome = await client.exchange(endpoint, options())
    assert.ok(outcome.kind === 'broken' && outcome.sent)
  })

  test('refuses what is not HTTP', async () => {
    const endpoint = await tcp((socket) => {
      socket.on('error', () => {})
      socket.on('data', () => socket.end('220 smtp ready\r\n'))
    })
    assert.equal((await client.exchange(endpoint, options())).kind, 'broken')
  })

  test('stops reading an answer that is too large', async () => {
    const endpoint = await http((_request, response) => {
      const chunk = Buffer.alloc(1024 * 1024, ' ')
      for (let sent = 0; sent <= MAX_RESPONSE_BYTES; sent += chunk.length) response.write(chunk)
    })
    assert.deepEqual(await client.exchange(endpoint, options()), { kind: 'too-large' })
  })

  test('is aborted when the caller leaves, and the connection with it', async () => {
    const there = presence()
    let closed: () => void = () => {}
    const gone = new Promise<void>((resolve) => (closed = resolve))
    const endpoint = await http((request) => {
      request.socket.once('close', closed)
      there.leave()
    })
    assert.deepEqual(await client.exchange(endpoint, options({ presence: there })), { kind: 'caller-left' })
    await gone
  })

  test('is not made at all for a caller who has left already', async () => {
    const there = presence()
    there.leave()
    let calls = 0
    const endpoint = await http((_request, response) => {
      calls++
      response.end()
    })
    assert.deepEqual(await client.exchange(endpoint, options({ presence: there })), { kind: 'caller-left' })
    assert.equal(calls, 0)
  })

  test('a slow answer does not hold up another call to the same provider', async () => {
    let release: () => void = () => {}
    const endpoint = await http((request, response) => {
      request.resume()
      if (request.headers['x-slow'] === undefined) response.end('quick')
      else release = () => response.end('slow')
    })
    const slow = client.exchange({ ...endpoint, fields: `${endpoint.fields}x-slow: 1\r\n` }, options())
    const quick = await client.exchange(endpoint, options())
    assert.ok(quick.kind === 'reply' && bodyOf(quick).toString() === 'quick')
    release()
    assert.ok((await slow).kind === 'reply')
  })
})

describe('an address that no provider may have', () => {
  test('is refused when it is written as such', async () => {
    const endpoint = client.endpoint({ url: 'http://[::ffff:169.254.169.254]/v1', headers: {} })
    const outcome = await client.exchange(endpoint, options())
    assert.ok(outcome.kind === 'refused-address')
    assert.match(outcome.detail, /link-local/)
  })

  test('is refused when a name leads to it, also one that was harmless before', async () => {
    const server = createHttpServer((_request, response) => response.writeHead(200, { connection: 'close' }).end('{}'))
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    let address = '127.0.0.1'
    const rebinding = createUpstreamClient({
      resolve: (_name, _options, callback) => callback(null, [{ address, family: 4 }]),
    })
    try {
      const endpoint = rebinding.endpoint({ url: `http://provider.example:${port}/`, headers: {} })
      const first = await rebinding.exchange(endpoint, options())
      assert.ok(first.kind === 'reply' && first.status === 200)
      address = '169.254.169.254'
      const second = await rebinding.exchange(endpoint, options())
      assert.ok(second.kind === 'refused-address', second.kind)
      assert.match(second.detail, /provider\.example resolves to 169\.254\.169\.254, a link-local address/)
    } finally {
      await rebinding.close()
    }
  })

  for (const address of ['fe80::1', '::ffff:0:a9fe:a9fe', '64:ff9b:1::a9fe:a9fe']) {
    test(`refuses the name that leads to ${address} even when other addresses of it are fine`, async () => {
      const both = createUpstreamClient({
        resolve: (_name, _options, callback) =>
          callback(null, [
            { address: '127.0.0.1', family: 4 },
            { address, family: 6 },
          ]),
      })
      try {
        const outcome = await both.exchange(
          both.endpoint({ url: 'http://provider.example:1/', headers: {} }),
          options(),
        )
        assert.equal(outcome.kind, 'refused-address')
      } finally {
        await both.close()
      }
    })
  }
})
