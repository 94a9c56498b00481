import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import type { Limits } from '../../../src/domain/limits.ts'
import { type Harness, type Json, KEY } from '../../harness.ts'
import { hard, newKey } from '../../limits/limited.ts'
import { managing } from '../../management/manage.ts'
import { ask, framesOf, generate, post, startWorld, stream } from './world.ts'

const harness: Harness = await startWorld({ MAX_BODY_BYTES: '1000000' })
beforeEach(() => harness.simulator.reset())
after(() => harness.stop())
const JSON_BODY = { 'content-type': 'application/json' }

/** Google's own shape, whatever refused: status, its name, our code, and no field of another format. */
function assertShape(text: string, status: number, name: string, reason: string): Json {
  const { error, ...rest } = JSON.parse(text)
  assert.deepEqual(rest, {})
  assert.deepEqual([error.code, error.status], [status, name], text)
  assert.deepEqual([error.details[0].reason, error.details[0].domain], [reason, 'switchyard'])
  assert.equal(error.details[0]['@type'], 'type.googleapis.com/google.rpc.ErrorInfo')
  assert.equal(typeof error.message, 'string')
  return error
}

async function limited(limits: Limits, fields: object = {}): Promise<Record<string, string>> {
  const { headers } = await newKey(harness, limits)
  return { 'x-goog-api-key': String(headers['authorization']).replace('Bearer ', ''), ...fields }
}

const paths = [generate('chat-echo'), stream('chat-echo')]

describe('every refusal is in this format', () => {
  const mine = { 'x-goog-api-key': KEY }
  const table: [
    what: string,
    path: string,
    body: string,
    headers: object,
    status: number,
    name: string,
    code: string,
  ][] = [
    ['no key', generate('chat-echo'), '{}', {}, 401, 'UNAUTHENTICATED', 'UNAUTHORIZED'],
    ['no JSON', generate('chat-echo'), '{"contents"', mine, 400, 'INVALID_ARGUMENT', 'INVALID_REQUEST'],
    ['no object', generate('chat-echo'), '[]', mine, 400, 'INVALID_ARGUMENT', 'INVALID_REQUEST'],
    ['no body', generate('chat-echo'), '', mine, 400, 'INVALID_ARGUMENT', 'INVALID_REQUEST'],
    ['no contents', generate('chat-echo'), '{}', mine, 400, 'INVALID_ARGUMENT', 'INVALID_REQUEST'],
    ['no model', '/v1beta/models/:generateContent', '{}', mine, 400, 'INVALID_ARGUMENT', 'INVALID_REQUEST'],
    ['an unknown model', generate('x'), JSON.stringify(ask('a')), mine, 404, 'NOT_FOUND', 'MODEL_NOT_FOUND'],
    [
      'another media type',
      generate('chat-echo'),
      '{}',
      { ...mine, 'content-type': 'text/plain' },
      415,
      'INVALID_ARGUMENT',
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      'a body that is too large',
      generate('chat-echo'),
      JSON.stringify(ask('a'.repeat(1_000_000))),
      mine,
      413,
      'INVALID_ARGUMENT',
      'REQUEST_TOO_LARGE',
    ],
    [
      'a cache of a provider, translated',
      generate('chat-echo'),
      JSON.stringify({ ...ask('a'), cachedContent: 'cachedContents/x' }),
      mine,
      400,
      'INVALID_ARGUMENT',
      'UNSUPPORTED_PARAMETER',
    ],
    [
      'a cache of a provider, where another entry may answer',
      generate('two-accounts'),
      JSON.stringify({ ...ask('a'), cachedContent: 'cachedContents/x' }),
      mine,
      400,
      'INVALID_ARGUMENT',
      'UNSUPPORTED_PARAMETER',
    ],
  ]
  for (const [what, path, body, headers, status, name, code] of table) {
    test(`${what}: ${status} ${code}`, async () => {
      const answer = await fetch(harness.url + path, {
        ...{ method: 'POST', body },
        headers: { ...JSON_BODY, ...(headers as Record<string, string>) },
      })
      assert.equal(answer.status, status)
      assertShape(await answer.text(), status, name, code)
      assert.equal(harness.upstream().length, 0)
    })
  }

  for (const path of paths) {
    test(`a used-up budget is 402 and not 429, whole and streamed: ${path}`, async () => {
      const headers = await limited(hard(1n))
      const answer = await post(harness.url, path, ask('hello'), headers)
      assert.equal(answer.status, 402)
      const { message, details } = assertShape(answer.text, 402, 'RESOURCE_EXHAUSTED', 'BUDGET_EXCEEDED')
      assert.match(message, /budget/i)
      assert.ok(Object.values(details[0].metadata).every((value) => typeof value === 'string'))
      // Clients wait for this, or take it for their own quota.
      assert.doesNotMatch(answer.text, /RetryInfo|QuotaFailure/)
      assert.equal(answer.headers.get('retry-after'), null)
      assert.equal(harness.upstream().length, 0)
    })
  }

  test('a rate limit is 429 and says how long to wait', async () => {
    const headers = await limited({ rpm: 1 })
    assert.equal((await post(harness.url, generate('native-echo'), ask('a'), headers)).status, 200)
    const answer = await post(harness.url, generate('native-echo'), ask('a'), headers)
    assert.equal(answer.status, 429)
    const { details } = assertShape(answer.text, 429, 'RESOURCE_EXHAUSTED', 'KEY_RATE_LIMITED')
    const wait = details.find((each: Json) => each['@type'].endsWith('RetryInfo'))
    assert.equal(wait.retryDelay, `${answer.headers.get('retry-after')}s`)
  })

  test('a model that the key may not use', async () => {
    const { json } = await managing(() => harness)('POST', '/keys', { name: 'narrow', allowed_models: ['chat-echo'] })
    const answer = await post(harness.url, generate('native-echo'), ask('a'), { 'x-goog-api-key': json.value })
    assert.equal(answer.status, 403)
    assertShape(answer.text, 403, 'PERMISSION_DENIED', 'FORBIDDEN')
  })
})

describe('what a provider says', () => {
  test('its own words pass where it speaks the format: a cache that is not its own', async () => {
    const message = 'CachedContent not found (or permission denied)'
    const body = { error: { code: 403, message, status: 'PERMISSION_DENIED' } }
    harness.simulator.script('gemini-3.5-flash-scripted', [{ status: 403, body }])
    const asked = { ...ask('a'), cachedContent: 'cachedContents/x' }
    const answer = await post(harness.url, generate('scripted'), asked)
    assert.deepEqual([answer.status, answer.json], [400, body])
    assert.equal(harness.upstream().length, 1)
  })

  test('those of another format come in this one', async () => {
    const failed = { error: { message: 'You are wrong', type: 'invalid_request_error' } }
    harness.simulator.script('gpt-scripted', [{ status: 400, body: failed }])
    const answer = await post(harness.url, generate('scripted-chat'), ask('a'))
    assert.equal(answer.status, 400)
    const { message } = assertShape(answer.text, 400, 'INVALID_ARGUMENT', 'INVALID_REQUEST')
    assert.match(message, /You are wrong/)
  })

  test('a stream that is cut ends with an error', async () => {
    const steps = [{ play: 'first' as const }, 'cut' as const]
    harness.simulator.script('gpt-scripted', [{ tweak: { text: 'one two' }, stream: { steps } }])
    const answer = await post(harness.url, stream('scripted-chat'), ask('a'))
    assert.equal(answer.status, 200)
    const last = framesOf(answer.text).at(-1)
    assertShape(JSON.stringify(last), 502, 'UNAVAILABLE', 'UPSTREAM_ERROR')
  })
})
