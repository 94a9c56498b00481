import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer as createHttpServer, type Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { createUpstreamClient, type UpstreamClient } from '../../src/upstream/client.ts'
import { environmentProxies } from '../../src/upstream/environment-proxies.ts'
import type { HttpTarget } from '../../src/upstream/target.ts'
import { bodyOf } from '../../src/upstream/whole-response.ts'
import { until } from '../harness.ts'
import { type Issued, issue } from './certificates.ts'
import { type ConnectProxy, startConnectProxy } from './connect-proxy.ts'

/** A name that only the proxy knows: nothing here resolves it. */
const NAME = 'provider.test'
const LONG = Buffer.alloc(32 << 20, 'x')
const folder = mkdtempSync(join(tmpdir(), 'switchyard-egress-'))
let issued: Issued
let provider: Server
let plainProvider: Server
let proxy: ConnectProxy
let plainProxy: ConnectProxy
let client: UpstreamClient
const seenNames: (string | boolean)[] = []

const portOf = (server: Server) => (server.address() as AddressInfo).port

before(async () => {
  issued = issue(folder, [NAME, 'localhost'])
  provider = createHttpsServer(issued, (request, response) => {
    request.resume()
    if (request.url === '/long') {
      response.end(LONG)
      return
    }
    if (request.url === '/endless') {
      response.write('it goes on')
      return
    }
    response.end(JSON.stringify({ host: request.headers.host, url: request.url, login: reported(request.rawHeaders) }))
  })
  provider.on('secureConnection', (socket) => seenNames.push(socket.servername))
  plainProvider = createHttpServer((request, response) => {
    request.resume()
    response.end(JSON.stringify({ host: request.headers.host, url: request.url, login: reported(request.rawHeaders) }))
  })
  for (const server of [provider, plainProvider]) {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  }
  proxy = await startConnectProxy(() => portOf(provider))
  plainProxy = await startConnectProxy(() => portOf(plainProvider))
})
// No connection of one test serves another.
beforeEach(() => {
  client = createUpstreamClient()
})
afterEach(async () => {
  client.close()
  await until(() => proxy.open.size === 0, 'the connections of the test are closed')
  for (const each of [proxy, plainProxy]) {
    each.answer = () => null
    each.heads.length = 0
  }
})
after(async () => {
  await proxy.close()
  await plainProxy.close()
  provider.close()
  plainProvider.close()
  rmSync(folder, { recursive: true, force: true })
})

const reported = (fields: string[]) => fields.includes('proxy-authorization')

function target(more: Partial<HttpTarget> = {}): HttpTarget {
  const usual = { url: `https://${NAME}/v1?a=b`, headers: {}, ca: issued.ca, proxy: `http://127.0.0.1:${proxy.port}` }
  return { ...usual, ...more }
}

async function ask(to: HttpTarget, by: UpstreamClient = client, timeoutMs = 60_000) {
  const outcome = await by.exchange(by.endpoint(to), { method: 'POST', body: '{}', timeoutMs, presence: null })
  return outcome.kind === 'reply' ? JSON.parse(bodyOf(outcome).toString()) : outcome
}

describe('a provider behind TLS and a proxy', () => {
  test('is asked by its name through CONNECT, and the password stays with the proxy', async () => {
    const answer = await ask(target({ proxy: `http://me:se%23cret@127.0.0.1:${proxy.port}` }))
    assert.deepEqual(answer, { host: NAME, url: '/v1?a=b', login: false })
    assert.equal(seenNames.at(-1), NAME)
    assert.equal(proxy.heads.length, 1)
    const [line, ...fields] = (proxy.heads[0] ?? '').split('\r\n')
    assert.equal(line, `CONNECT ${NAME}:443 HTTP/1.1`)
    assert.ok(fields.includes(`proxy-authorization: Basic ${Buffer.from('me:se#cret').toString('base64')}`))
  })

  test('keeps its connection for the next call', async () => {
    const to = target({ proxy: `http://again@127.0.0.1:${proxy.port}` })
    await ask(to)
    await ask(to)
    assert.equal(proxy.heads.length, 1)
  })

  test('streams', async () => {
    const answer = await client.call(client.endpoint(target()), {
      method: 'POST',
      body: 'x'.repeat(100_000),
      timeoutMs: 60_000,
      presence: null,
    })
    assert.ok(answer.kind === 'answer')
    const part = await answer.next()
    assert.ok(part.kind === 'piece')
    assert.match(part.bytes.toString(), /provider\.test/)
    while ((await answer.next()).kind === 'piece');
  })

  test('must show a certificate for its name by one of its own authorities', async () => {
    const named = await ask(target({ url: 'https://other.test/' }))
    assert.deepEqual(named, { kind: 'unreachable', detail: 'ERR_TLS_CERT_ALTNAME_INVALID', proxy: label(proxy) })
    const { ca: _ca, ...unknown } = target()
    const usual = await ask(unknown)
    assert.deepEqual(usual, { kind: 'unreachable', detail: 'SELF_SIGNED_CERT_IN_CHAIN', proxy: label(proxy) })
    const both = await ask(target({ keepsUsualAuthorities: true }))
    assert.equal(both.host, NAME)
  })

  test('is also reached over a proxy that speaks TLS itself', async () => {
    const secure = await startConnectProxy(() => portOf(provider), issued)
    const proxied = target({ proxy: `https://localhost:${secure.port}` })
    // Its certificate is checked by the usual authorities, which do not know this one yet.
    const usual = getCACertificates('default')
    const unknown = await ask(proxied)
    setDefaultCACertificates([...usual, issued.ca])
    const known = await ask(proxied, createUpstreamClient())
    setDefaultCACertificates(usual)
    await secure.close()
    const detail = `the proxy localhost:${secure.port} cannot be reached (SELF_SIGNED_CERT_IN_CHAIN)`
    assert.deepEqual(unknown, { kind: 'proxy', detail, isRefusal: false })
    assert.deepEqual(known, { host: NAME, url: '/v1?a=b', login: false })
  })

  test('waits for a slow reader, and everything arrives', async () => {
    const endpoint = client.endpoint(target({ url: `https://${NAME}/long` }))
    const answer = await client.call(endpoint, { method: 'POST', body: '{}', timeoutMs: 60_000, presence: null })
    assert.ok(answer.kind === 'answer')
    const waiting = answer as unknown as { bytes: number }
    await until(() => waiting.bytes >= 16 * 1024, 'so much waits that the socket is paused')
    for (let turn = 0; turn < 1000; turn++) await new Promise(setImmediate)
    assert.ok(waiting.bytes < 4 << 20, `${waiting.bytes} bytes wait`)
    let bytes = 0
    let part = await answer.next()
    for (; part.kind === 'piece'; part = await answer.next()) bytes += part.bytes.length
    assert.deepEqual([part.kind, bytes], ['end', LONG.length])
  })

  test('loses the tunnel with the call that is given up', async () => {
    const endpoint = client.endpoint(target({ url: `https://${NAME}/endless` }))
    const answer = await client.call(endpoint, { method: 'POST', body: '{}', timeoutMs: 60_000, presence: null })
    assert.ok(answer.kind === 'answer')
    assert.equal((await answer.next()).kind, 'piece')
    assert.equal(proxy.open.size, 1)
    answer.abort({ kind: 'caller-left' })
    await until(() => proxy.open.size === 0, 'the tunnel is closed')
  })
})

const label = ({ port }: ConnectProxy) => `127.0.0.1:${port}`

describe('a proxy that does not let a call through', () => {
  for (const [what, answer, words, isRefusal] of [
    ['wants to know who asks', 'HTTP/1.1 407 No\r\n\r\n', 'wants a user and a password (HTTP 407)', true],
    ['forbids it', 'HTTP/1.1 403 Forbidden\r\n\r\nno', `refuses to connect to ${NAME}:443 (HTTP 403)`, true],
    ['cannot reach it', 'HTTP/1.1 502 Bad gateway\r\n\r\n', `cannot reach ${NAME}:443 (HTTP 502)`, false],
    ['is none', 'SSH-2.0-OpenSSH_9.2\r\n', 'does not answer with HTTP', false],
    ['speaks a word too many', 'HTTP/1.1 200 OK\r\n\r\nhello', 'does not answer with HTTP', false],
    ['hangs up', '', 'closed the connection', false],
    ['hangs up in the middle', 'HTTP/1.1 200', 'closed the connection', false],
    ['never ends its head', `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(70_000)}`, 'does not answer with HTTP', false],
  ] as const) {
    test(what, async () => {
      proxy.answer = () => answer
      const detail = `the proxy ${label(proxy)} ${words}`
      assert.deepEqual(await ask(target()), { kind: 'proxy', detail, isRefusal })
    })
  }

  test('rejects the password, which nobody is told', async () => {
    proxy.answer = () => 'HTTP/1.1 407 No\r\n\r\n'
    const outcome = await ask(target({ proxy: `http://me:hushhush@127.0.0.1:${proxy.port}` }))
    const detail = `the proxy ${label(proxy)} rejects the user or the password (HTTP 407)`
    assert.deepEqual(outcome, { kind: 'proxy', detail, isRefusal: true })
  })

  test('is silent: the deadline of the call covers the tunnel', async () => {
    proxy.answer = () => 'silence'
    const outcome = await ask(target(), client, 50)
    assert.deepEqual(outcome, { kind: 'timeout', phase: 'connect', proxy: label(proxy) })
  })

  test('says first that it is at work', async () => {
    proxy.answer = () => 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 503 Busy\r\n\r\n'
    assert.match((await ask(target())).detail, /HTTP 503/)
  })

  test('is not there', async () => {
    const gone = await startConnectProxy(() => 0)
    await gone.close()
    for (const url of [`https://${NAME}/`, `http://${NAME}/`]) {
      const outcome = await ask(target({ url, proxy: `http://127.0.0.1:${gone.port}` }))
      const detail = `the proxy ${label(gone)} cannot be reached (ECONNREFUSED)`
      assert.deepEqual(outcome, { kind: 'proxy', detail, isRefusal: false })
    }
  })
})

describe('a provider in plain text behind a proxy', () => {
  const plain = (more: Partial<HttpTarget> = {}) =>
    target({ url: `http://${NAME}:8000/v1?a=b`, proxy: `http://me:secret@127.0.0.1:${plainProxy.port}`, ...more })

  test('is asked with its whole address', async () => {
    const answer = await ask(plain())
    assert.deepEqual(answer, { host: `${NAME}:8000`, url: `http://${NAME}:8000/v1?a=b`, login: true })
  })

  test('is told apart from a proxy that wants to know who asks', async () => {
    plainProxy.answer = () => 'HTTP/1.1 407 No\r\nconnection: close\r\ncontent-length: 0\r\n\r\n'
    const to = plain({ proxy: `http://me:other@127.0.0.1:${plainProxy.port}` })
    const detail = `the proxy ${label(plainProxy)} rejects the user or the password (HTTP 407)`
    assert.deepEqual(await ask(to), { kind: 'proxy', detail, isRefusal: true })
    const options = { method: 'POST', body: '{}', timeoutMs: 60_000, presence: null } as const
    assert.deepEqual(await client.call(client.endpoint(to), options), { kind: 'proxy', detail, isRefusal: true })
  })
})

describe('which proxy', () => {
  test("the environment's, unless the target has its own or wants none", async () => {
    const environment = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`, NO_PROXY: 'excepted.test' }
    const resolve = (_name: string, _options: unknown, callback: (error: null, addresses: []) => void) =>
      callback(null, [{ address: '127.0.0.1', family: 4 }] as never)
    const by = createUpstreamClient({ resolve, proxyFor: environmentProxies(environment) })
    const { proxy: _proxy, ...usual } = target()
    await ask(usual, by)
    assert.equal(proxy.heads.length, 1)
    const port = portOf(provider)
    await ask({ ...usual, url: `https://${NAME}:${port}/`, proxy: '' }, by)
    await ask({ ...usual, url: `https://excepted.test:${port}/` }, by)
    await ask({ ...usual, url: `https://${NAME}:${port}/`, isInternal: true }, by)
    assert.equal(proxy.heads.length, 1)
    by.close()
  })

  test('one at an address that no provider may have is refused', async () => {
    const literal = await ask(target({ proxy: 'http://169.254.169.254:80' }))
    assert.deepEqual(literal, { kind: 'refused-address', detail: '169.254.169.254 is a link-local address' })
    const by = createUpstreamClient({
      resolve: (_name, _options, callback) => callback(null, [{ address: '169.254.169.254', family: 4 }]),
    })
    for (const url of [`https://${NAME}/`, `http://${NAME}/`]) {
      const named = await ask(target({ url, proxy: 'http://proxy.test:80' }), by)
      const detail = 'proxy.test resolves to 169.254.169.254, a link-local address'
      assert.deepEqual(named, { kind: 'refused-address', detail })
    }
    by.close()
  })

  test('a metadata server is not asked through one, and may have the address of one', async () => {
    const asked: string[] = []
    const by = createUpstreamClient({
      resolve(name, _options, callback) {
        asked.push(name)
        callback(null, [{ address: '127.0.0.1', family: 4 }])
      },
    })
    const url = `http://metadata.google.internal:${portOf(plainProvider)}/token`
    const answer = await ask({ url, headers: {}, proxy: `http://127.0.0.1:${proxy.port}`, isInternal: true }, by)
    assert.equal(answer.url, '/token')
    assert.deepEqual(asked, ['metadata.google.internal'])
    assert.equal(proxy.heads.length, 0)
    by.close()
  })
})
