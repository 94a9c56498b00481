import { randomBytes } from 'node:crypto'
import { GatewayError } from '../domain/errors.ts'
import type { Call, HttpRoute, Reply } from '../http/call.ts'
import { answerFile, isFileName, listStaticFiles, readListed, type StaticFile } from './static-files.ts'

const HOME = '/dashboard'
/** Placeholder for the nonce in the built page. */
const NONCE_MARK = '__CSP_NONCE__'
/** Placeholder for the ports of the page and of calls. */
const PORTS_MARK = '__PORTS__'

const PROTECTION = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy':
    'accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), ' +
    'midi=(), payment=(), usb=()',
}

/** For files that the build names by a hash of their content. */
const FOR_EVER = 'public, max-age=31536000, immutable'

/**
 * The built dashboard, the way to it from `/`, and the reference of the API at `/docs`. Where calls have another port
 * than the page, `ports` returns both for the examples in it: `9090 8080`.
 */
export function dashboardRoutes(folder: string, ports: () => string = () => ''): HttpRoute[] {
  const files = listStaticFiles(folder)
  const page = files.get('index.html')
  const reference = files.get('docs.html')
  const handle = (call: Call) => (page === undefined ? notBuilt() : answer(call, files, page, ports()))
  const handleDocs = () => (reference === undefined ? notBuilt() : answerPage(reference, ports()))
  return [
    { method: 'GET', path: '/', handle: handleRoot },
    { method: 'GET', path: HOME, handle, headers: PROTECTION },
    { method: 'GET', path: `${HOME}/*`, handle, headers: PROTECTION },
    { method: 'GET', path: '/docs', handle: handleDocs, headers: PROTECTION },
  ]
}

function answer(call: Call, files: ReadonlyMap<string, StaticFile>, page: StaticFile, ports: string): Promise<Reply> {
  const name = call.params['*'] ?? ''
  const file = files.get(name)
  // A page goes out with its policy only.
  if (file !== undefined && !name.endsWith('.html')) {
    return answerFile(call, file, { 'cache-control': name.startsWith('assets/') ? FOR_EVER : 'no-cache' })
  }
  if (file === undefined && (name.startsWith('assets/') || isFileName(name))) throw new GatewayError('not_found')
  // Every other path is a view of the page, which routes on the client.
  return answerPage(page, ports)
}

/** Never 304: a cached page would have an old nonce. */
async function answerPage(page: StaticFile, ports: string): Promise<Reply> {
  const nonce = randomBytes(16).toString('base64')
  const source = await readListed(page.path)
  return {
    status: 200,
    headers: {
      'content-type': page.mediaType,
      'cache-control': 'no-cache',
      'content-security-policy': contentPolicy(nonce),
    },
    body: source.toString('utf8').replaceAll(NONCE_MARK, nonce).replaceAll(PORTS_MARK, ports),
  }
}

function contentPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    // Sounds that the playground has made.
    'media-src blob:',
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

function notBuilt(): Reply {
  return {
    status: 503,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
    },
    body: `<!doctype html><html lang="en"><meta charset="utf-8"><title>Switchyard</title>
<h1>This page is not built</h1>
<p>Run <code>npm run build:dashboard</code> and start the gateway again.</p>
<p>Everything else works; <a href="/openapi.json">/openapi.json</a> describes the API.</p></html>`,
  }
}

const SIGNPOST = JSON.stringify({
  name: 'Switchyard',
  api: '/v1',
  dashboard: HOME,
  docs: '/docs',
  openapi: '/openapi.json',
  health: '/healthz',
})

/** Browsers are redirected to the dashboard; programs learn where everything is. */
function handleRoot(call: Call): Reply {
  if (prefersPage(call.header('accept') ?? '')) return { status: 302, headers: { location: HOME }, body: '' }
  return { status: 200, headers: { 'content-type': 'application/json' }, body: SIGNPOST }
}

function prefersPage(accept: string): boolean {
  const page = weightOf(accept, 'text/html')
  return page > 0 && page >= weightOf(accept, 'application/json')
}

/** 0 when it is not named: a program that accepts anything did not ask for a page. */
function weightOf(accept: string, mediaType: string): number {
  for (const part of accept.split(',')) {
    const [name, ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
    if (name !== mediaType) continue
    const weight = parameters.find((parameter) => parameter.startsWith('q='))
    return weight === undefined ? 1 : Number(weight.slice(2)) || 0
  }
  return 0
}
