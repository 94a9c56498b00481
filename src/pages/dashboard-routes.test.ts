import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { createServer, type Server } from '../http/server.ts'
import { dashboardRoutes } from './dashboard-routes.ts'

const PAGE =
  '<!doctype html><meta name="ports" content="__PORTS__"><meta name="nonce" content="__CSP_NONCE__"><style nonce="__CSP_NONCE__"></style>'
const SCRIPT = 'console.log("the dashboard")'.repeat(20)

const root = mkdtempSync(join(tmpdir(), 'switchyard-static-'))
const folder = join(root, 'dist')
const servers: Server[] = []
let url: string
let bareUrl: string

async function serve(path: string, ports?: () => string): Promise<string> {
  const server = createServer({ routes: dashboardRoutes(path, ports), newRequestId: () => 'id', onFault: () => {} })
  servers.push(server)
  return server.listen({ host: '127.0.0.1', port: 0 })
}

before(async () => {
  mkdirSync(join(folder, 'assets'), { recursive: true })
  writeFileSync(join(root, 'package.json'), 'a secret')
  writeFileSync(join(folder, 'index.html'), PAGE)
  writeFileSync(join(folder, 'index.html.br'), brotliCompressSync(PAGE))
  writeFileSync(join(folder, 'docs.html'), '<title>reference</title>')
  writeFileSync(join(folder, 'favicon.svg'), '<svg/>')
  writeFileSync(join(folder, 'color-scheme.js'), SCRIPT)
  writeFileSync(join(folder, 'color-scheme.js.br'), brotliCompressSync(SCRIPT))
  // As the build leaves it: the copies alone.
  writeFileSync(join(folder, 'assets/main-a1b2.js.br'), brotliCompressSync(SCRIPT))
  writeFileSync(join(folder, 'assets/main-a1b2.js.gz'), gzipSync(SCRIPT))
  writeFileSync(join(folder, 'assets/inter-c3d4.woff2'), Buffer.from([0, 255, 128, 10]))
  symlinkSync(join(root, 'package.json'), join(folder, 'linked.json'))
  url = await serve(folder)
  bareUrl = await serve(join(root, 'no-such-folder'))
})
after(async () => {
  for (const server of servers) await server.drain()
  rmSync(root, { recursive: true, force: true })
})

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(url + path, { method, headers, redirect: 'manual' })

/** The path unchanged: fetch would normalize it. */
async function getRaw(path: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
  return text(socket)
}

test('the page says where calls go, when that is another port', async () => {
  const other = await serve(folder, () => '9090 8080')
  assert.match(await (await fetch(`${other}/dashboard`)).text(), /content="9090 8080"/)
  assert.match(await (await get('/dashboard')).text(), /<meta name="ports" content="">/)
})

describe('the page', () => {
  for (const path of [
    '/dashboard',
    '/dashboard/',
    '/dashboard/index.html',
    '/dashboard/keys',
    '/dashboard/routes/m-5.4/edit',
  ]) {
    test(`stands at ${path}`, async () => {
      const response = await get(path)
      assert.equal(response.status, 200)
      assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8')
      assert.equal(response.headers.get('cache-control'), 'no-cache')
      assert.equal(response.headers.get('etag'), null)
      assert.match(await response.text(), /^<!doctype html>/)
    })
  }

  test('is an address that ends in a model id with dots', async () => {
    assert.equal((await get('/dashboard/catalog/model-5.4-mini')).status, 200)
  })

  test('has a nonce of its own in every answer, the same in page and policy', async () => {
    const nonces = new Set<string>()
    for (let turn = 0; turn < 3; turn++) {
      const response = await get('/dashboard', { 'accept-encoding': 'br' })
      const policy = response.headers.get('content-security-policy') ?? ''
      const nonce = /'nonce-([A-Za-z0-9+/]{22}==)'/.exec(policy)?.[1] ?? ''
      const body = await response.text()
      assert.equal(body.split(nonce).length, 3, 'both places')
      assert.doesNotMatch(body, /__CSP_NONCE__/)
      assert.equal(
        policy.replace(nonce, 'N'),
        "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-N'; img-src 'self' data:; media-src blob:; font-src 'self'; " +
          "connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      )
      nonces.add(nonce)
    }
    assert.equal(nonces.size, 3)
  })

  test('answers HEAD like GET, without a body', async () => {
    const response = await get('/dashboard', {}, 'HEAD')
    assert.equal(response.status, 200)
    assert.match(response.headers.get('content-security-policy') ?? '', /nonce-/)
    assert.ok(Number(response.headers.get('content-length')) > 50)
    assert.equal(await response.text(), '')
  })

  test('takes no other method', async () => {
    const response = await get('/dashboard/keys', {}, 'POST')
    assert.deepEqual([response.status, response.headers.get('allow')], [405, 'GET, HEAD'])
  })
})

describe('the reference of the API', () => {
  test('stands at /docs, with a policy that allows the files of the gateway alone', async () => {
    const response = await get('/docs')
    assert.equal(response.status, 200)
    assert.equal(await response.text(), '<title>reference</title>')
    assert.match(
      response.headers.get('content-security-policy') ?? '',
      /script-src 'self'; style-src 'self' 'nonce-[^']+'; img-src/,
    )
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
  })

  test('has no second address without the policy', async () => {
    const response = await get('/dashboard/docs.html')
    assert.match(response.headers.get('content-security-policy') ?? '', /script-src 'self'/)
    assert.doesNotMatch(await response.text(), /reference/)
  })

  test('says how to build it where that was not done', async () => {
    const response = await fetch(`${bareUrl}/docs`)
    assert.equal(response.status, 503)
    assert.match(await response.text(), /npm run build:dashboard/)
  })
})

describe('files', () => {
  test('named by their content may be kept for ever', async () => {
    const response = await get('/dashboard/assets/main-a1b2.js', { 'accept-encoding': 'identity' })
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('cache-control'), 'public, max-age=31536000, immutable')
    assert.equal(response.headers.get('content-type'), 'text/javascript; charset=utf-8')
    assert.equal(response.headers.get('content-encoding'), null)
    assert.equal(response.headers.get('vary'), 'accept-encoding')
    assert.equal(await response.text(), SCRIPT)
  })

  const encodings: [accept: string, used: string | null][] = [
    ['gzip, deflate, br', 'br'],
    ['BR;q=0.5, gzip', 'br'],
    ['gzip, br;q=0', 'gzip'],
    ['gzip;q=0.0, br; q=0', null],
    ['deflate', null],
    ['brown', null],
  ]
  for (const [accept, used] of encodings) {
    test(`come as ${used ?? 'they are'} to who takes ${accept}`, async () => {
      const response = await get('/dashboard/assets/main-a1b2.js', { 'accept-encoding': accept })
      assert.equal(response.headers.get('content-encoding'), used)
      assert.equal(await response.text(), SCRIPT, 'fetch unpacks it')
    })
  }

  test('of bytes arrive as they are', async () => {
    const response = await get('/dashboard/assets/inter-c3d4.woff2')
    assert.equal(response.headers.get('content-type'), 'font/woff2')
    assert.equal(response.headers.get('vary'), null)
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), Buffer.from([0, 255, 128, 10]))
  })

  test('with a lasting name are asked for again, and 304 when they are the same', async () => {
    const first = await get('/dashboard/favicon.svg')
    assert.deepEqual([first.status, first.headers.get('cache-control')], [200, 'no-cache'])
    const etag = first.headers.get('etag') ?? ''
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await get('/dashboard/favicon.svg', { 'if-none-match': known })
      assert.deepEqual([again.status, again.headers.get('etag'), await again.text()], [304, etag, ''])
    }
    assert.equal((await get('/dashboard/favicon.svg', { 'if-none-match': '"other"' })).status, 200)
  })

  test('have another version when compressed', async () => {
    const [plain, packed] = await Promise.all(
      ['identity', 'br'].map((encoding) => get('/dashboard/color-scheme.js', { 'accept-encoding': encoding })),
    )
    assert.notEqual(plain?.headers.get('etag'), packed?.headers.get('etag'))
  })

  test('answer HEAD with the length of what GET sends', async () => {
    const response = await get('/dashboard/assets/inter-c3d4.woff2', {}, 'HEAD')
    assert.deepEqual([response.status, response.headers.get('content-length')], [200, '4'])
  })

  for (const path of [
    'assets/gone-e5f6.js',
    'assets/nothing',
    'assets/main-a1b2.js.br',
    'nothing.js',
    'nothing.json',
  ]) {
    test(`that do not exist are 404: ${path}`, async () => {
      const response = await get(`/dashboard/${path}`)
      assert.equal(response.status, 404)
      assert.equal(((await response.json()) as { error: { code: string } }).error.code, 'not_found')
    })
  }

  test('are not followed out of the folder by a link', async () => {
    assert.equal((await get('/dashboard/linked.json')).status, 404)
  })
})

describe('no address leads out of the folder', () => {
  for (const path of [
    '/dashboard/../package.json',
    '/dashboard/assets/../../package.json',
    '/dashboard/%2e%2e/package.json',
    '/dashboard/..%2fpackage.json',
    '/dashboard/%2e%2e%2fpackage.json',
    '/dashboard/..%5cpackage.json',
    '/dashboard/..%252fpackage.json',
    '/dashboard//package.json',
    `/dashboard/${encodeURIComponent(join(root, 'package.json'))}`,
    '/dashboard/index.html%00.json',
    '/dashboard/assets/..%2f..%2fpackage.json',
  ]) {
    test(path, async () => {
      const answer = await getRaw(path)
      assert.match(answer, /^HTTP\/1\.1 404 /)
      assert.doesNotMatch(answer, /a secret/)
    })
  }

  test('nor one without an end', async () => {
    for (const path of [
      '/dashboard/../../etc/passwd',
      '/dashboard/..%2f..%2fetc%2fpasswd',
      '/dashboard/%2fetc%2fpasswd',
    ]) {
      assert.match(await getRaw(path), /the dashboard|<!doctype html>/)
    }
    assert.match(await getRaw('/dashboard/%ZZ'), /^HTTP\/1\.1 400 /)
  })
})

test('what protects the page stands on every answer, errors too, and no other site is let in', async () => {
  for (const path of ['/dashboard', '/dashboard/assets/main-a1b2.js', '/dashboard/favicon.svg', '/dashboard/gone.js']) {
    const { headers } = await get(path, { origin: 'https://elsewhere.example' })
    assert.equal(headers.get('x-content-type-options'), 'nosniff', path)
    assert.equal(headers.get('referrer-policy'), 'no-referrer', path)
    assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin', path)
    assert.match(headers.get('permissions-policy') ?? '', /camera=\(\).*geolocation=\(\).*microphone=\(\)/, path)
    assert.deepEqual(
      [...headers.keys()].filter((name) => /^access-control|strict-transport/.test(name)),
      [],
    )
  }
})

describe('before it is built', () => {
  for (const path of ['/dashboard', '/dashboard/keys', '/dashboard/assets/main-a1b2.js']) {
    test(`${path} says how to`, async () => {
      const response = await fetch(bareUrl + path)
      assert.equal(response.status, 503)
      assert.equal(response.headers.get('cache-control'), 'no-store')
      assert.match(await response.text(), /npm run build:dashboard/)
    })
  }
})

describe('the bare address', () => {
  const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8'
  const answers: [accept: string, status: number][] = [
    [browser, 302],
    ['text/html;q=0.9, application/json;q=0.9', 302],
    ['*/*', 200],
    ['application/json', 200],
    ['application/json, text/html;q=0.9', 200],
    ['text/html;q=0', 200],
    ['text/plain', 200],
  ]
  for (const [accept, status] of answers) {
    test(`is ${status} for who accepts ${accept}`, async () => {
      const response = await get('/', { accept })
      assert.equal(response.status, status)
      assert.equal(response.headers.get('location'), status === 302 ? '/dashboard' : null)
      if (status === 200) {
        const places = Object.values((await response.json()) as Record<string, string>)
        assert.deepEqual(places, ['Switchyard', '/v1', '/dashboard', '/docs', '/openapi.json', '/healthz'])
      }
    })
  }
})
