import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import type { Harness } from '../../harness.ts'
import { ask, post, startWorld } from './world.ts'

const harness: Harness = await startWorld()
beforeEach(() => harness.simulator.reset())
after(() => harness.stop())

const count = (alias: string) => `/v1beta/models/${alias}:countTokens`

describe('a provider that speaks the format counts', () => {
  test('contents, byte for byte, free of charge, in a row of their own', async () => {
    const body = '{ "contents" : [{"parts":[{"text":"h\\u0065llo there"}], "role":"user"}] }\n'
    const answer = await post(harness.url, count('native-echo'), body)
    assert.equal(answer.status, 200, answer.text)
    assert.ok(answer.json.totalTokens > 0)
    const [call] = harness.upstream()
    assert.equal(call?.rawBody, body)
    assert.equal(call?.path, '/v1beta/models/gemini-3.5-flash-sim-echo:countTokens')
    const row = await harness.rowOf({ ...answer, json: null } as never)
    assert.deepEqual(
      [row['endpoint'], row['kind'], Number(row['cost_picodollars'])],
      ['count_content_tokens', 'count', 0],
    )
  })

  test('a whole request, whose model becomes the entry’s', async () => {
    const whole = { model: 'models/native-echo', ...ask('hello'), generationConfig: { temperature: 1 } }
    const answer = await post(harness.url, count('native-echo'), { generateContentRequest: whole })
    assert.equal(answer.status, 200, answer.text)
    const model = 'models/gemini-3.5-flash-sim-echo'
    assert.deepEqual(harness.sent(), { generateContentRequest: { ...whole, model } })
  })
})

describe('elsewhere', () => {
  for (const alias of ['chat-echo', 'messages-echo']) {
    test(`${alias}: it is not found, because clients then estimate`, async () => {
      const answer = await post(harness.url, count(alias), ask('hello'))
      assert.deepEqual([answer.status, answer.json.error.status], [404, 'NOT_FOUND'], answer.text)
      assert.equal(harness.upstream().length, 0)
    })
  }

  test('without contents it is refused in words', async () => {
    const answer = await post(harness.url, count('native-echo'), { content: [] })
    assert.deepEqual([answer.status, answer.json.error.status], [400, 'INVALID_ARGUMENT'])
    assert.match(answer.json.error.message, /expected contents/)
  })
})
