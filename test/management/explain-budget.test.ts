import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Limits } from '../../src/domain/limits.ts'
import { hello, type Json, startHarness } from '../harness.ts'
import { newKey } from '../limits/limited.ts'
import { managing } from './manage.ts'

const harness = await startHarness({
  config: `
workspaces:
  default:
    routes:
      dear: { chain: [{ provider: openai, model: gpt-dear }] }
      unpriced: { chain: [{ provider: openai, model: gpt-unpriced }] }
  tight:
    limits: { budget: { usd: "0.40", per: day } }
    routes:
      dear: { chain: [{ provider: openai, model: gpt-dear }] }
registry:
  - { provider: openai, model: gpt-dear, input_per_mtok: "5", output_per_mtok: "30", max_output_tokens: 128000 }
`,
})
after(() => harness.stop())
const manage = managing(() => harness)
const explained = async (body: unknown, query = ''): Promise<Json> => {
  const answer = await manage('POST', `/explain${query}`, body)
  assert.equal(answer.status, 200, answer.text)
  return answer.json
}
const hard = (usd: string, more: object = {}): Limits => ({ budget: { usd, per: 'total', mode: 'hard', ...more } })

describe('explain', () => {
  test('says both ways to a smaller hold where no limit is named', async () => {
    const { advice, hold_usd: hold, entries } = await explained(hello('dear'))
    for (const part of ['128000', 'openai/gpt-dear', 'max_tokens', 'max_output_tokens', 'when_tight: fit']) {
      assert.ok(advice.includes(part), advice)
    }
    assert.ok(Number(hold) > 3.8)
    assert.deepEqual(entries[0].adjustments, [])
    assert.equal((await explained(hello('dear', { max_tokens: 5 }))).advice, null)
  })

  test('counts the default of a key, and shows what would be sent', async () => {
    const key = await newKey(harness, { max_output_tokens: 500 })
    const { advice, entries } = await explained(hello('dear'), `?key=${key.id}`)
    assert.equal(advice, null)
    assert.deepEqual(entries[0].adjustments, [{ field: 'max_tokens', value: 500, reason: 'default_limit' }])
    assert.equal(entries[0].wire.body.max_tokens, 500)
    assert.equal((await manage('POST', '/explain?key=nobody', hello('dear'))).status, 404)
  })

  test('says what a hard budget would answer, in the words of the call', async () => {
    const key = await newKey(harness, hard('0.40'))
    const { error, entries } = await explained(hello('dear'), `?key=${key.id}`)
    const { json } = await harness.chat(hello('dear'), key.headers)
    assert.deepEqual(error, { code: 'budget_exceeded', message: json.error.message })
    assert.equal(entries[0].would_be_used, false)
    assert.equal(harness.upstream().length, 0)
  })

  test('the budget of the workspace binds without a key', async () => {
    const { error } = await explained(hello('dear'), '?workspace=tight')
    assert.equal(error.code, 'budget_exceeded')
    assert.match(error.message, /workspace 'tight'/)
    assert.equal((await explained(hello('dear', { max_tokens: 5 }), '?workspace=tight')).error, null)
  })

  test('shows the limit that fit would send', async () => {
    const key = await newKey(harness, hard('0.40', { when_tight: 'fit' }))
    const { error, hold_usd: hold, entries } = await explained(hello('dear'), `?key=${key.id}`)
    await harness.chat(hello('dear'), key.headers)
    const { max_tokens: tokens } = harness.sent()
    assert.equal(error, null)
    assert.ok(Number(hold) <= 0.4)
    assert.deepEqual(entries[0].adjustments[0], { field: 'max_tokens', value: tokens, reason: 'fitted_to_budget' })
    assert.equal(entries[0].would_be_used, true)
  })

  test('an unknown price under a hard budget', async () => {
    const key = await newKey(harness, hard('100'))
    assert.equal((await explained(hello('unpriced'), `?key=${key.id}`)).error.code, 'price_unknown')
    assert.equal((await explained(hello('unpriced'))).error, null)
  })
})
