import assert from 'node:assert/strict'
import { after, afterEach, beforeEach, describe, test } from 'node:test'
import { type Answered, type Harness, startHarness, until } from '../harness.ts'
import { ask, assertVerified, CONFIG, newKey, newWorkspace, statuses, statusOf } from './limited.ts'

const harness: Harness = await startHarness({ config: CONFIG })
const { simulator } = harness
beforeEach(() => simulator.reset())
afterEach(async () => {
  simulator.release()
  await assertVerified(harness)
})
after(() => harness.stop())

/** What a call of `ask('plain')` may use: a token a byte, and its longest answer. */
const TOKENS = JSON.stringify(ask('plain')).length + 100

function rates({ headers }: Answered, kind: 'requests' | 'tokens'): (string | null)[] {
  return ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}-${kind}`))
}

describe('requests a minute', () => {
  test('are admitted up to the limit and refused with the wait beyond it; a refusal uses none up', async () => {
    const key = await newKey(harness, { rpm: 3 })
    const answers = await Promise.all(Array.from({ length: 20 }, () => key.chat('plain')))
    assert.deepEqual(statuses(answers), { 200: 3, 429: 17 })
    assert.equal(harness.upstream().length, 3)
    const refused = await key.chat('plain')
    const wait = Number(refused.headers.get('retry-after'))
    assert.ok(wait >= 1 && wait <= 60, String(wait))
    assert.equal(refused.json.error.code, 'key_rate_limited')
    assert.equal(refused.headers.get('x-should-retry'), null)
    const { scope, scope_id: id, kind, limit, used, needed } = refused.json.error.details
    assert.deepEqual([scope, id, kind, limit, used, needed], ['key', key.id, 'rpm', 3, 3, 1])
    assert.equal((await statusOf(harness, key.scope)).requestsLastMinute, 3)
    assert.match((await harness.get('/metrics')).text, /limit_refusals_total\{scope="key",kind="rpm"\} 18\n/)
  })

  test('raised: the next call passes', async () => {
    const key = await newKey(harness, { rpm: 1 })
    assert.equal((await key.chat('plain')).status, 200)
    assert.equal((await key.chat('plain')).status, 429)
    await key.limit({ rpm: 2 })
    assert.equal((await key.chat('plain')).status, 200)
  })

  test('failed calls count, refused and invalid ones do not', async () => {
    const key = await newKey(harness, { rpm: 2 })
    assert.equal((await harness.chat({ model: 'plain' }, key.headers)).status, 400)
    assert.equal((await harness.chat(ask('nowhere'), key.headers)).status, 404)
    assert.equal((await key.chat('fails')).status, 502)
    assert.equal((await key.chat('plain')).status, 200)
    assert.equal((await key.chat('plain')).status, 429)
  })
})

describe('tokens a minute', () => {
  test('are held at their most while a call runs and counted as used after it', async () => {
    const key = await newKey(harness, { tpm: 2 * TOKENS })
    simulator.hold()
    const running = [key.chat('plain'), key.chat('plain')]
    await until(() => harness.upstream().length === 2, 'two are at the provider')
    const refused = await key.chat('plain')
    assert.equal(refused.status, 429)
    assert.deepEqual([refused.json.error.details.used, refused.json.error.details.needed], [2 * TOKENS, TOKENS])
    assert.ok(Number(refused.headers.get('retry-after')) >= 1)
    simulator.release()
    const answers = await Promise.all(running)
    const used = answers.reduce((sum, { json }) => sum + json.usage.total_tokens, 0)
    assert.equal((await statusOf(harness, key.scope)).tokensLastMinute, used)
    assert.equal((await key.chat('plain')).status, 200)
  })

  test('those from the cache of a provider count as well', async () => {
    const key = await newKey(harness, { tpm: 10 * TOKENS })
    const { json } = await harness.chat(ask('gpt-sim-cached-5'), key.headers)
    assert.equal(json.usage.prompt_tokens_details.cached_tokens, 5)
    assert.equal((await statusOf(harness, key.scope)).tokensLastMinute, json.usage.total_tokens)
  })

  test('a call that alone may use more is refused without a wait, and told why', async () => {
    const key = await newKey(harness, { tpm: TOKENS - 1 })
    const refused = await key.chat('plain')
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, null])
    assert.equal(refused.headers.get('x-should-retry'), 'false')
    assert.match(refused.json.error.message, /this call alone may use up to \d+\. Send a smaller max_tokens/)
    const smaller = await harness.chat({ ...ask('plain'), max_tokens: 50 }, key.headers)
    assert.equal(smaller.status, 200)
  })

  test('a call whose length nobody knows is refused under such a limit only', async () => {
    const body = { model: 'gpt-unknown-length', messages: ask('plain')['messages'] }
    const limited = await newKey(harness, { tpm: 1_000_000 })
    assert.equal((await harness.chat(body, limited.headers)).status, 429)
    assert.equal((await harness.chat(body, (await newKey(harness, { rpm: 5 })).headers)).status, 200)
  })

  test('an absurd max_tokens neither passes nor spoils the count', async () => {
    const key = await newKey(harness, { tpm: 10 * TOKENS })
    const absurd = { ...ask('plain'), max_tokens: Number.MAX_SAFE_INTEGER, n: 1_000_000 }
    assert.equal((await harness.chat(absurd, key.headers)).status, 429)
    await key.limit(null)
    await harness.chat(absurd, key.headers)
    const { tokensLastMinute } = await statusOf(harness, key.scope)
    assert.ok(Number.isSafeInteger(tokensLastMinute) && tokensLastMinute >= 0)
  })
})

describe('calls at the same time', () => {
  test('are bounded; one that ends makes room', async () => {
    const key = await newKey(harness, { max_parallel: 2 })
    simulator.hold()
    const running = [key.chat('plain'), key.chat('plain')]
    await until(() => harness.upstream().length === 2, 'two are at the provider')
    const refused = await key.chat('plain')
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '1'])
    assert.equal(refused.json.error.details.kind, 'max_parallel')
    assert.equal(refused.headers.get('x-ratelimit-limit-requests'), null)
    simulator.release()
    await Promise.all(running)
    assert.equal((await key.chat('plain')).status, 200)
  })
})

describe('the x-ratelimit headers', () => {
  test('stand on every answer of a limited key, errors and model lists too', async () => {
    const key = await newKey(harness, { rpm: 10, tpm: 10 * TOKENS })
    const list = await harness.get('/v1/models', key.headers)
    assert.deepEqual(rates(list, 'requests'), ['10', '10', '0s'])
    assert.deepEqual(rates(list, 'tokens'), [String(10 * TOKENS), String(10 * TOKENS), '0s'])
    const served = await key.chat('plain')
    assert.deepEqual(rates(served, 'requests').slice(0, 2), ['10', '9'])
    assert.match(String(served.headers.get('x-ratelimit-reset-requests')), /^(1m[01]s|[1-5]?\ds)$/)
    const answers = [
      await harness.get('/v1/models/nowhere', key.headers),
      await harness.chat('{', key.headers),
      await harness.chat(ask('nowhere'), key.headers),
    ]
    assert.deepEqual(statuses(answers), { 400: 1, 404: 2 })
    for (const answer of answers) {
      assert.deepEqual(rates(answer, 'requests').slice(0, 2), ['10', '9'])
      const remaining = Number(answer.headers.get('x-ratelimit-remaining-tokens'))
      assert.equal(remaining, 10 * TOKENS - served.json.usage.total_tokens)
    }
  })

  test('are those of the tighter scope, and absent without a limit', async () => {
    await newWorkspace(harness, 'busy', { rpm: 4, tpm: 1_000_000 })
    const key = await newKey(harness, { rpm: 100 }, 'busy')
    const answer = await key.chat('plain')
    assert.deepEqual(rates(answer, 'requests').slice(0, 2), ['4', '3'])
    assert.equal(answer.headers.get('x-ratelimit-limit-tokens'), '1000000')
    for (let call = 0; call < 3; call++) await key.chat('plain')
    const refused = await key.chat('plain')
    assert.deepEqual([refused.status, refused.json.error.details.scope], [429, 'workspace'])
    assert.deepEqual(rates(refused, 'requests').slice(0, 2), ['4', '0'])
    const free = await (await newKey(harness, null)).chat('plain')
    assert.deepEqual([...rates(free, 'requests'), ...rates(free, 'tokens')], Array(6).fill(null))
  })
})
