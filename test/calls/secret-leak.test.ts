import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { startSimulator } from '../../simulator/simulator.ts'
import { filesUnder } from '../files-under.ts'
import { type Json, newFolder, until } from '../harness.ts'
import { type Started, startProcess } from '../process.ts'

/** Each is so unlike anything else that finding it anywhere means a leak. None looks like a key to a pattern. */
const SECRETS = {
  openaiKey: 'Zq7openaiprovidersecret81XyW',
  anthropicKey: 'Zq7anthropicprovidersecret82XyW',
  localKey: 'Zq7localprovidersecret83XyW',
  headerSecret: 'Zq7headersecret84XyW',
  gatewayKey: 'Zq7gatewaykeysecret85XyW',
  adminKey: 'Zq7adminkeysecret86XyW',
  fileKey: 'Zq7filekeysecret87XyW',
  secretsKey: 'Zq7secretskeysecret88XyW',
  wrongKey: 'Zq7wrongkeysecret89XyW',
}
/** What people said, in every place of a request and in the answer. */
const CONTENT = {
  prompt: 'Zq7promptcontent91XyW',
  system: 'Zq7systemcontent92XyW',
  toolArgument: 'Zq7toolargument93XyW',
  toolResult: 'Zq7toolresult94XyW',
  answer: 'Zq7answercontent95XyW',
  brokenJson: 'Zq7brokenjson96XyW',
  user: 'Zq7username97XyW',
}

const CONFIG = `
providers:
  local: { family: openai, base_url: "\${SIMULATED}", api_key: "\${LOCAL_KEY}", headers: { x-extra: ${SECRETS.headerSecret} } }
workspaces:
  default:
    routes:
      mixed: { chain: [{ provider: local, model: m-first, retries: 0 }, { provider: anthropic, model: claude-second, retries: 0 }] }
      home: { chain: [{ provider: local, model: m-home, retries: 0 }] }
    keys:
      ci: { value: "\${FILE_KEY}" }
`

const simulator = await startSimulator()
const ENVIRONMENT = {
  LOG_LEVEL: 'trace',
  SIMULATED: simulator.openaiUrl,
  OPENAI_API_KEY: SECRETS.openaiKey,
  OPENAI_BASE_URL: simulator.openaiUrl,
  ANTHROPIC_API_KEY: SECRETS.anthropicKey,
  ANTHROPIC_BASE_URL: simulator.anthropicUrl,
  LOCAL_KEY: SECRETS.localKey,
  FILE_KEY: SECRETS.fileKey,
  GATEWAY_KEY: SECRETS.gatewayKey,
  ADMIN_KEY: SECRETS.adminKey,
  SECRETS_KEY: SECRETS.secretsKey,
}
const folder = newFolder()
let marks: Record<string, string> = { ...SECRETS, ...CONTENT }
let started: Started
let url: string
/** Everything that anybody outside has seen. */
const seen: { what: string; text: string }[] = []

before(async () => {
  writeFileSync(join(folder, 'switchyard.yaml'), CONFIG)
  started = startProcess({
    folder,
    environment: ENVIRONMENT,
  })
  url = await started.url()
  await mixedCalls()
})
after(async () => {
  if (started.child.exitCode === null) await started.stop()
  await simulator.close()
  rmSync(folder, { recursive: true, force: true })
})

async function ask(path: string, init: RequestInit = {}): Promise<{ status: number; text: string }> {
  const response = await fetch(url + path, init)
  const text = await response.text()
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
  // The answer of a model is the caller's own; everything else that comes back is searched.
  seen.push({
    what: `${path} ${response.status}`,
    text: response.status === 200 && init.method === 'POST' ? headers : headers + text,
  })
  return { status: response.status, text }
}

const post = (body: unknown, key: string = SECRETS.gatewayKey) =>
  ask('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

function conversation(model: string, more: Json = {}): Json {
  const tool = {
    type: 'function',
    function: { name: 'look', parameters: { type: 'object', properties: { q: { type: 'string' } } } },
  }
  const call = {
    id: 'call_1',
    type: 'function',
    function: { name: 'look', arguments: JSON.stringify({ q: CONTENT.toolArgument }) },
  }
  return {
    ...{ model, user: CONTENT.user, tools: [tool], ...more },
    messages: [
      { role: 'system', content: CONTENT.system },
      { role: 'user', content: CONTENT.prompt },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: CONTENT.toolResult },
      { role: 'user', content: CONTENT.answer },
    ],
  }
}

/** Successes, every kind of failure, providers that repeat what they were sent, and callers with bad keys and bodies. */
async function mixedCalls(): Promise<void> {
  const echoes = [SECRETS.localKey, SECRETS.headerSecret]
  for (const model of [
    'gpt-sim-echo',
    'claude-sim-echo',
    'gpt-sim-tools',
    'claude-sim-refusal',
    'gpt-sim-stop-odd',
    'claude-sim-stop-odd',
  ]) {
    assert.equal((await post(conversation(model))).status, 200)
  }
  for (const key of [SECRETS.fileKey, SECRETS.gatewayKey]) await post(conversation('gpt-unknown-price'), key)
  for (const status of [400, 401, 403, 404, 429, 500, 503]) {
    for (const echo of echoes) {
      const body = { error: { message: `You sent ${echo} to us`, type: echo, code: echo } }
      simulator.script('m-home', [{ status, body, headers: { 'x-request-id': echo, 'retry-after': echo } }])
      await post(conversation('home'))
    }
    simulator.script('gpt-4o', [
      { status, headers: { 'x-should-retry': 'false' }, body: { error: { message: SECRETS.openaiKey } } },
    ])
    await post(conversation('gpt-4o'))
    simulator.script('claude-x', [
      {
        status,
        headers: { 'x-should-retry': 'false' },
        body: { type: 'error', error: { type: 'x', message: SECRETS.anthropicKey } },
      },
    ])
    await post(conversation('claude-x'))
  }
  simulator.script('m-home', [
    { body: { error: { message: `again ${SECRETS.localKey}` } } },
    { headers: { 'content-type': SECRETS.localKey } },
  ])
  await post(conversation('home'))
  await post(conversation('home'))
  for (const scenario of ['reset', 'html', 'cut', 'cut-socket', 'empty', 'error-200', 'redirect'])
    await post(conversation(`gpt-sim-${scenario}-x`))
  await post(conversation('mixed', { n: 2 }))
  await post(conversation('claude-sim-echo', { response_format: { type: 'json_object' } }))
  await post(`{"model":"gpt-4o","messages":[{"role":"user","content":"${CONTENT.brokenJson}"`)
  await post(`{"model":"gpt-4o","messages":[{"role":"king","content":"${CONTENT.prompt}"}]}`)
  await post(conversation('gpt-4o', { stream: true }))
  await post(conversation('gpt-4o'), SECRETS.wrongKey)
  await post(conversation('gpt-4o'), SECRETS.adminKey)
  const bearer = { headers: { authorization: `Bearer ${SECRETS.gatewayKey}` } }
  for (const path of ['/v1/models', '/v1/models/gpt-4o', '/v1/nothing']) await ask(path, bearer)
  for (const path of ['/metrics', '/readyz', '/healthz', '/dashboard', '/dashboard/nothing.js']) await ask(path)
  for (const key of [SECRETS.wrongKey, SECRETS.gatewayKey, '']) await ask('/sessions', signIn(key))
  await lookAround()
  const left = new AbortController()
  const gone = fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { ...bearer.headers, 'content-type': 'application/json' },
    body: JSON.stringify(conversation('gpt-sim-hang')),
    signal: left.signal,
  }).catch(() => undefined)
  await until(() => simulator.calls.some((call) => call.model === 'gpt-sim-hang'), 'the provider is asked')
  left.abort()
  await gone
}

const signIn = (key: string) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ key }),
})

/** Signs in and looks around. What the cookie is made of may stand in that cookie and nowhere else. */
async function lookAround(): Promise<void> {
  const answer = await fetch(`${url}/sessions`, signIn(SECRETS.adminKey))
  seen.push({ what: 'signing in', text: await answer.text() })
  const cookie = answer.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
  const [, secret = '', signature = ''] = cookie.split('.')
  assert.ok(secret.length > 20 && signature.length > 20)
  marks = { ...marks, cookieSecret: secret, cookieSignature: signature }
  for (const path of ['/sessions', '/sessions/current', '/audit', '/keys', '/nothing', '/v1/models']) {
    await ask(path, { headers: { cookie } })
  }
  await ask('/keys', { method: 'POST', headers: { cookie } })
}

const leaksIn = (text: string | Buffer) =>
  Object.entries(marks).flatMap(([name, mark]) => (text.includes(mark) ? [name] : []))

describe('after a run of mixed calls', () => {
  test('the providers did get the secrets and the content', () => {
    const all = simulator.calls.map((call) => JSON.stringify(call.headers) + call.rawBody).join('\n')
    for (const name of [
      'openaiKey',
      'anthropicKey',
      'localKey',
      'headerSecret',
      'prompt',
      'system',
      'toolArgument',
      'toolResult',
    ] as const) {
      assert.ok(all.includes({ ...SECRETS, ...CONTENT }[name]), name)
    }
    for (const name of ['gatewayKey', 'adminKey', 'fileKey', 'secretsKey'] as const)
      assert.ok(!all.includes(SECRETS[name]), name)
  })

  test('no answer but the model’s own holds any of them', () => {
    assert.ok(seen.length > 50)
    for (const { what, text } of seen) assert.deepEqual(leaksIn(text), [], `${what}: ${text}`)
  })

  test('the log on standard error and the greeting hold none', async () => {
    assert.equal(await started.stop(), 0)
    assert.ok(started.stderr().split('\n').length > 5)
    assert.deepEqual(leaksIn(started.stderr()), [])
    assert.deepEqual(leaksIn(started.stdout()), [])
  })

  test('no file of the data folder holds any', () => {
    const files = filesUnder(join(folder, 'data'))
    assert.ok(files.some((path) => path.endsWith('switchyard.db')))
    for (const path of files) assert.deepEqual(leaksIn(readFileSync(path)), [], path)
  })

  test('the database of a running gateway, its journals included, holds none', async () => {
    const again = startProcess({ folder, environment: ENVIRONMENT })
    url = await again.url()
    await post(conversation('gpt-sim-echo'))
    for (const path of filesUnder(join(folder, 'data'))) assert.deepEqual(leaksIn(readFileSync(path)), [], path)
    assert.equal(await again.stop(), 0)
    assert.deepEqual(leaksIn(again.stderr() + again.stdout()), [])
  })
})
