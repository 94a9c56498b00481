import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { filesUnder } from '../files-under.ts'
import { type Harness, type Json, KEY, startHarness } from '../harness.ts'
import { managing } from '../management/manage.ts'
import { type GuardrailService, type Respond, startGuardrail, verdict } from './guardrail-service.ts'

const MARK = 'Zq7saidtoaguardrail93XyW'

let service: GuardrailService
let harness: Harness
const manage = managing(() => harness)

before(async () => {
  service = await startGuardrail()
  harness = await startHarness({
    config:
      'workspaces: { default: { streaming: true, routes: { fast: { chain: [{ provider: openai, model: gpt-4o-mini }] } } } }',
    environment: { SECRETS_KEY: 'the-first-key-of-all,the-second-key-of-all' },
  })
})
after(async () => {
  await harness.stop()
  service.close()
})
beforeEach(() => {
  service.asked.length = 0
  harness.simulator.reset()
})

async function set(settings: object): Promise<void> {
  const { status, text } = await manage('PATCH', '/workspaces/default', {
    guardrail: { url: service.url, timeout_ms: 30_000, ...settings },
  })
  assert.equal(status, 200, text)
}

const WHO = { user: 'ada', metadata: { team: 'search' } }
const say = (more: Json = {}) => ({ model: 'fast', messages: [{ role: 'user', content: MARK }], ...more })

describe('before a call', () => {
  test('it is asked with the request as it came, signed, and allows', async () => {
    await set({})
    service.respond = verdict({ action: 'allow' })
    const answer = await harness.chat(say(WHO), { 'x-gateway-session': 's-1' })
    assert.equal(answer.status, 200)
    assert.equal(harness.upstream().length, 1)
    const [one] = service.asked
    assert.ok(one !== undefined && service.asked.length === 1)
    const id = answer.headers.get('x-gateway-request-id')
    assert.deepEqual(one.json, {
      type: 'guardrail.before',
      request_id: id,
      workspace: 'default',
      endpoint: 'chat',
      route: 'fast',
      model: 'fast',
      key_id: (await harness.rowOf(answer))['key_id'],
      user: 'ada',
      session: 's-1',
      tags: { team: 'search' },
      body: say(WHO),
    })
    const { secret } = (await manage('GET', '/workspaces/default/guardrail-secret')).json
    const sent = `${one.headers['webhook-id']}.${one.headers['webhook-timestamp']}.${one.text}`
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
    const signature = `v1,${createHmac('sha256', key).update(sent).digest('base64')}`
    const signatures = String(one.headers['webhook-signature']).split(' ')
    assert.equal(signatures.length, 2, 'one of each key: the receiver may still have the older one')
    assert.equal(signatures[0], signature)
    assert.equal(one.headers.authorization, undefined)
    const [read] = (await manage('GET', '/audit?resource=workspaces/default&limit=1')).json.data
    assert.deepEqual(
      [read.action, read.workspace, read.before, read.after],
      ['workspaces.guardrail-secret', 'default', null, null],
      'nobody reads the secret unseen',
    )
  })

  test('it blocks: no provider is asked, nothing is charged, the caller reads why and the row the reason only', async () => {
    service.respond = verdict({ action: 'block', message: `Not ${MARK} here.`, reason: 'off_topic' })
    const answer = await harness.chat(say())
    assert.deepEqual([answer.status, answer.json.error.code], [400, 'blocked_by_guardrail'])
    assert.equal(answer.json.error.message, `Not ${MARK} here.`)
    assert.equal(answer.headers.get('x-should-retry'), 'false')
    assert.deepEqual(harness.upstream(), [])
    const row = await harness.rowOf(answer)
    assert.deepEqual([row.status, row.code, row['cost_picodollars']], [400, 'blocked_by_guardrail', null])
    assert.equal(row['reason'], 'The request was blocked by a guardrail: off_topic.')
    for (const path of filesUnder(join(harness.folder, 'data'))) assert.ok(!readFileSync(path).includes(MARK), path)
  })

  test('a reason that is no word is not kept', async () => {
    service.respond = verdict({ action: 'block', reason: `they said ${MARK}` })
    const row = await harness.rowOf(await harness.chat(say()))
    assert.equal(row['reason'], 'The request was blocked by a guardrail.')
  })

  test('an error has the format of its endpoint, and a stream is blocked like any call', async () => {
    service.respond = verdict({ action: 'block' })
    const response = await fetch(`${harness.url}/v1/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...say(), max_tokens: 5 }),
    })
    const body = (await response.json()) as Json
    assert.deepEqual([response.status, body.type, body.error.type], [400, 'error', 'invalid_request_error'])
    assert.equal((await harness.chat(say({ stream: true }))).status, 400)
    assert.deepEqual(harness.upstream(), [])
  })

  test('a large request is asked about as a whole', async () => {
    service.respond = verdict({ action: 'allow' })
    const text = `${MARK} ${'word '.repeat(60_000)}`
    assert.equal((await harness.chat(say({ messages: [{ role: 'user', content: text }] }))).status, 200)
    assert.equal(service.asked[0]?.json.body.messages[0].content, text)
  })
})

describe('without a verdict', () => {
  const failures: [string, Respond][] = [
    ['an error', verdict({ action: 'allow' }, 500)],
    ['no verdict', verdict({ action: 'perhaps' })],
    ['no JSON', (_, response) => response.writeHead(200).end('<html>')],
    ['a connection that breaks', (_, response) => response.destroy()],
    ['silence', () => {}],
  ]
  for (const [what, how] of failures) {
    test(`${what}: closed refuses, open lets the call pass`, async () => {
      service.respond = how
      await set({ timeout_ms: 200, on_failure: 'closed' })
      const refused = await harness.chat(say())
      assert.deepEqual([refused.status, refused.json.error.code], [503, 'guardrail_unavailable'])
      assert.deepEqual(harness.upstream(), [])
      await set({ timeout_ms: 200, on_failure: 'open' })
      assert.equal((await harness.chat(say())).status, 200)
    })
  }

  test('metrics count every outcome', async () => {
    const { text } = await harness.get('/metrics')
    for (const outcome of ['allow', 'block', 'failed'])
      assert.match(
        text,
        new RegExp(`^switchyard_guardrail_checks_total\\{phase="before",outcome="${outcome}"\\} [1-9]`, 'm'),
      )
  })
})

describe('after a call', () => {
  const onAnswer = (answer: object): Respond => {
    const [allow, other] = [verdict({ action: 'allow' }), verdict(answer)]
    return (one, response) => (one.json.type === 'guardrail.after' ? other : allow)(one, response)
  }

  test('the answer is blocked, and what it cost stays in the log', async () => {
    await set({ before: false, after: true })
    service.respond = onAnswer({ action: 'block', reason: 'leaks' })
    const answer = await harness.chat(say())
    assert.deepEqual([answer.status, answer.json.error.code], [400, 'blocked_by_guardrail'])
    assert.deepEqual([service.asked.length, service.asked[0]?.json.type], [1, 'guardrail.after'])
    assert.ok(Array.isArray(service.asked[0]?.json.body.choices))
    assert.equal(harness.upstream().length, 1)
    const row = await harness.rowOf(answer)
    assert.equal(row['reason'], 'The answer was blocked by a guardrail: leaks.')
    assert.ok(BigInt(row['cost_picodollars'] as bigint) > 0n)
    assert.deepEqual((await manage('POST', '/verify')).json.differences, [])
  })

  test('an answer that is allowed goes out as it is', async () => {
    await set({ before: true, after: true })
    service.respond = verdict({ action: 'allow' })
    const answer = await harness.chat(say())
    assert.equal(answer.status, 200)
    assert.deepEqual(
      service.asked.map(({ json }) => json.type),
      ['guardrail.before', 'guardrail.after'],
    )
    assert.deepEqual(service.asked[1]?.json.body, answer.json)
  })

  test('what cannot be taken back is not streamed', async () => {
    assert.equal((await harness.chat(say({ stream: true }))).status, 501)
  })

  test('without a guardrail nobody is asked', async () => {
    assert.equal((await manage('PATCH', '/workspaces/default', { guardrail: null })).json.guardrail, null)
    assert.equal((await harness.chat(say({ stream: true }))).status, 200)
    assert.equal(service.asked.length, 0)
  })
})

test('an address that no provider may have is refused', async () => {
  const refused = await manage('PATCH', '/workspaces/default', { guardrail: { url: 'http://169.254.169.254/x' } })
  assert.deepEqual([refused.status, refused.json.error.code], [400, 'invalid_request'])
})
