import { execFile } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { CONFIG } from '../../demo/config.ts'
import { ENDPOINTS } from '../../src/endpoints/endpoints.ts'
import { CONTRACT } from '../../src/management/contract/contract.ts'
import { startReceiver } from '../alerts/receiver.ts'
import { PROGRAM } from '../built-program.ts'
import { ADMIN_KEY, type Harness, hello, type Json, KEY, startHarness, until } from '../harness.ts'
import { Browser, gatewayAddress, startProvider } from '../oidc.ts'
import { wav } from '../sounds.ts'
import { leaveUnconfirmed, logUnanswered } from './manage.ts'

/** What /openapi.json shows of one operation. */
interface Example {
  params?: Record<string, string>
  request?: unknown
  answer?: unknown
}

const FILE = 'src/management/examples.json'
/** Enough to see that it is a list. */
const MOST_ITEMS = 2
const MOST_LINES = 3

const rows = [...Object.entries(CONTRACT)].sort((a, b) => holes(a[1].path) - holes(b[1].path))

function holes(path: string): number {
  return path.split('{').length
}

/** The operation behind a request, with the values in its path. */
function operationOf(method: string, path: string): { name: string; params: Record<string, string> } | undefined {
  for (const [name, operation] of rows) {
    const pattern = new RegExp(`^${operation.path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`)
    const match = operation.method === method ? pattern.exec(path) : null
    if (match === null) continue
    const params = Object.entries(match.groups ?? {}).map(([key, value]) => [key, decodeURIComponent(value)])
    return { name, params: Object.fromEntries(params) }
  }
  return undefined
}

/** Without what differs from run to run for no reader's sake, and without values that open anything. */
function tidy(text: string, folder: string): string {
  return text
    .replaceAll(folder, '/data')
    .replace(/http:\/\/127\.0\.0\.1:\d+/g, 'https://provider.example')
    .replace(/127\.0\.0\.1:\d+/g, 'provider.example')
    .replace(/gw_(live|admin)_[A-Za-z0-9]{20,}/g, (_, kind) => `gw_${kind}_${'0'.repeat(32)}`)
    .replace(/whsec_[A-Za-z0-9+/=]{20,}/g, `whsec_${'0'.repeat(32)}`)
}

function shortened(value: Json): Json {
  if (Array.isArray(value)) return value.slice(0, MOST_ITEMS).map(shortened)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shortened(inner)]))
}

function bodyOf(text: string, mediaType: string, folder: string): unknown {
  if (text === '') return undefined
  if (mediaType.startsWith('application/json')) return shortened(JSON.parse(tidy(text, folder)))
  return tidy(text.split('\n').slice(0, MOST_LINES).join('\n'), folder)
}

const weight = (example: Example) => JSON.stringify(example).length

/** Sits between curl and the gateway and keeps, of each operation, the call with the most to see. */
async function startRecorder(harness: Harness, examples: Record<string, Example>) {
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const {
      host: _host,
      connection: _connection,
      'content-length': _length,
      expect: _expect,
      ...headers
    } = request.headers
    const sent = await buffer(request)
    const answered = await fetch(harness.url + request.url, {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>,
      redirect: 'manual',
      ...(sent.length > 0 && { body: sent }),
    })
    const text = await answered.text()
    const found = operationOf(request.method ?? '', new URL(request.url ?? '', harness.url).pathname)
    if (found !== undefined && answered.ok) {
      const answer = bodyOf(text, answered.headers.get('content-type') ?? '', harness.folder)
      const asked = bodyOf(sent.toString(), 'application/json', harness.folder)
      const hasParams = Object.keys(found.params).length > 0
      const example: Example = {
        ...(hasParams && { params: found.params }),
        ...(asked !== undefined && { request: asked }),
        ...(answer !== undefined && { answer }),
      }
      const known = examples[found.name]
      if (known === undefined || weight(known) < weight(example)) examples[found.name] = example
    }
    const {
      'content-encoding': _encoding,
      'transfer-encoding': _transfer,
      ...passed
    } = Object.fromEntries(answered.headers)
    response.writeHead(answered.status, { ...passed, 'content-length': String(Buffer.byteLength(text)) }).end(text)
  }
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => response.destroy(error as Error))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop: () => server.close() }
}

/** Its own calls are not recorded, but later lines build on them. */
const PRELUDE = `
set -euo pipefail
switchyard() { '${process.execPath}' '${PROGRAM}' "$@"; }
curl() { command curl --silent --show-error --fail-with-body "$@"; }
`

async function recordPage(page: string, examples: Record<string, Example>): Promise<void> {
  const environment = { SIMULATED_LOCAL: 'http://127.0.0.1:9/v1', SECRETS_KEY: 'a-key-for-stored-content' }
  const harness = await startHarness({ config: CONFIG, environment })
  if (page.endsWith('budgets.md')) await leaveUnconfirmed(harness)
  if (page.endsWith('reconciliation.md')) await logUnanswered(harness)
  const recorder = await startRecorder(harness, examples)
  const lines = [...readFileSync(page, 'utf8').matchAll(/^```sh\n(.*?)^```/gms)].map((match) => match[1]).join('\n')
  const env = {
    ...{ PATH: process.env['PATH'], HOME: harness.folder, ADMIN_KEY, GATEWAY_KEY: KEY },
    ...{ URL: recorder.url, SWITCHYARD_URL: harness.url },
  }
  try {
    await promisify(execFile)('bash', ['-c', PRELUDE + lines], { cwd: harness.folder, env })
  } finally {
    recorder.stop()
    await harness.stop()
  }
}

/** What applications call has its requests beside its code; the answers are recorded. */
async function recordApplications(examples: Record<string, Example>): Promise<void> {
  const google = '  google: { family: gemini, base_url: "${SIMULATED_GEMINI}", api_key: k }'
  const cohere = '  cohere: { preset: cohere, base_url: "${SIMULATED}", api_key: k }'
  const config = CONFIG.replace('providers:\n', `providers:\n${google}\n${cohere}\n`)
  const harness = await startHarness({ config, environment: { SIMULATED_LOCAL: 'http://127.0.0.1:9/v1' } })
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
  const record = async (name: string, path: string, init: RequestInit) => {
    const answered = await fetch(harness.url + path, { headers, ...init })
    if (answered.headers.get('content-type')?.startsWith('audio/') === true) {
      examples[name] = { answer: 'The bytes of the sound.' }
      return
    }
    if (!answered.ok) throw new Error(`${name}: ${await answered.text()}`)
    examples[name] = { answer: bodyOf(await answered.text(), 'application/json', harness.folder) }
  }
  try {
    for (const { name, operation, path, page, form } of ENDPOINTS) {
      if (form !== undefined) {
        const sent = new FormData()
        if (operation === 'images') {
          sent.append('image', new Blob(['pixels']), 'cat.png')
          sent.append('prompt', 'The same cat, asleep')
        } else sent.append('file', new Blob([new Uint8Array(wav(2))]), 'meeting.wav')
        sent.append('model', operation === 'images' ? 'gpt-image-2' : 'openai/whisper-1')
        const own = { authorization: headers.authorization }
        await record(page.operationId, path, { method: 'POST', headers: own, body: sent })
        continue
      }
      // The example's alias must lead to a provider that counts tokens.
      const painter = operation === 'images' ? 'gpt-image-2' : null
      const other = path.endsWith('count_tokens') ? 'smart' : operation === 'speech' ? 'openai/tts-1' : painter
      const body = { ...page.example, ...(other !== null && { model: other }) }
      const counter = name.startsWith('count_') ? 'google/gemini-3.5-flash' : 'fast'
      const model = operation === 'embeddings' ? 'text-embedding-3-small' : counter
      await record(page.operationId, path.replace('{model}', model), { method: 'POST', body: JSON.stringify(body) })
    }
    await record('v1.models.list', '/v1/models', {})
    await record('v1.models.get', '/v1/models/fast', {})
    await record('v1beta.models.list', '/v1beta/models', {})
    await record('v1beta.models.get', '/v1beta/models/fast', {})
    await record('v1.key.get', '/v1/key', {})
    await harness.chat(hello('fast'), { 'x-gateway-session': 'run-1' })
    await record('v1.sessions.get', '/v1/sessions/run-1', {})
  } finally {
    await harness.stop()
  }
}

/** A fresh gateway has no people: one signs in. */
async function recordPeople(examples: Record<string, Example>): Promise<void> {
  const address = await gatewayAddress()
  const provider = await startProvider([address.callback])
  provider.account = { sub: 'ada', email: 'ada@example.com', email_verified: true, name: 'Ada', groups: ['staff'] }
  const environment = { ...provider.environment(address.url), OIDC_GROUP_ROLES: 'staff=viewer', PORT: address.port }
  const harness = await startHarness({ environment })
  const recorder = await startRecorder(harness, examples)
  try {
    const browser = new Browser()
    await browser.open(await browser.follow(`${harness.url}/sign-in`, address.callback))
    const { data } = await asked(recorder.url, 'GET', '/people')
    const person = `/people/${data[0].id}`
    await asked(recorder.url, 'PATCH', person, { role: 'editor', workspaces: ['default'] })
    await asked(recorder.url, 'DELETE', `${person}/sessions`)
    await asked(recorder.url, 'DELETE', person)
  } finally {
    recorder.stop()
    await harness.stop()
    await provider.stop()
  }
}

/** A fresh gateway has no alerts either: a budget is spent, and sent to a channel. */
async function recordAlerts(examples: Record<string, Example>): Promise<void> {
  const receiver = await startReceiver()
  const harness = await startHarness({ environment: { ALERTS_EVERY_SECONDS: '0.1' } })
  const recorder = await startRecorder(harness, examples)
  try {
    const limits = { budget: { usd: '0.000001', per: 'month', mode: 'soft' } }
    const key = await asked(harness.url, 'POST', '/keys', { name: 'ci', limits })
    await asked(harness.url, 'POST', '/alert-channels', { name: 'ops', kind: 'webhook', url: `${receiver.url}/alerts` })
    await harness.chat(hello('gpt-4o', { max_tokens: 5 }), { authorization: `Bearer ${key.value}` })
    const sent = async () => (await asked(harness.url, 'GET', '/alert-deliveries?state=sent')).data.length > 0
    await until(sent, 'the channel is told')
    for (const path of ['/alerts', '/alert-channels', '/alert-deliveries']) await asked(recorder.url, 'GET', path)
  } finally {
    recorder.stop()
    await harness.stop()
    await receiver.close()
  }
}

async function asked(url: string, method: string, path: string, body?: unknown): Promise<Json> {
  const headers = { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' }
  const answered = await fetch(url + path, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await answered.text()
  if (!answered.ok) throw new Error(`${method} ${path}: ${text}`)
  return text === '' ? null : JSON.parse(text)
}

// `node test/management/record-examples.ts && biome format --write src/management/examples.json`: after a change of the contract or of the pages.
const examples: Record<string, Example> = {}
await recordApplications(examples)
await recordPeople(examples)
await recordAlerts(examples)
for (const page of globSync('docs/management/*.md').sort()) await recordPage(page, examples)
const sorted = Object.fromEntries(Object.entries(examples).sort(([a], [b]) => a.localeCompare(b)))
writeFileSync(FILE, `${JSON.stringify(sorted, null, 2)}\n`)
