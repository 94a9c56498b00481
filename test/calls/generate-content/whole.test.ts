import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import { type Harness, type Json, KEY } from '../../harness.ts'
import { API_KEY, ask, generate, NAMES, post, startWorld, WEATHER } from './world.ts'

const harness: Harness = await startWorld()
const { simulator, url } = harness
beforeEach(() => simulator.reset())
after(() => harness.stop())

describe('a provider that speaks the format', () => {
  test('gets the very bytes, and only the model of the path is its own', async () => {
    const body =
      '{ "contents" : [{"parts":[{"text":"h\\u0065llo \\"model\\""}], "role":"user"}],\n "generationConfig":{"temperature":1.0, "topK": 64} ,"tools":[{"functionDeclarations":[{"name":"model","parameters":{"type":"OBJECT","properties":{"model":{"type":"STRING"},"stream":{"type":"STRING"}}}}]}] }\n'
    const answer = await post(url, generate('native-echo'), body)
    assert.equal(answer.status, 200, answer.text)
    const [call] = harness.upstream()
    assert.equal(call?.rawBody, body)
    assert.equal(call?.path, '/v1beta/models/gemini-3.5-flash-sim-echo:generateContent')
    assert.equal(call?.query, '')
    assert.equal(call?.headers['x-goog-api-key'], API_KEY)
    assert.equal(call?.headers['authorization'], undefined)
    const direct = await fetch(`${simulator.geminiUrl}/v1beta/models/gemini-3.5-flash-sim-echo:generateContent`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-goog-api-key': API_KEY },
      body,
    })
    const plain = (text: string) => text.replace(/"(responseId|thoughtSignature)":"[^"]*"/g, '"$1":""')
    assert.equal(plain(answer.text), plain(await direct.text()))
  })

  test('a model and a stream in the body are not the path’s', async () => {
    const body = { model: 'models/other', stream: true, ...ask('hello') }
    const answer = await post(url, generate('native-echo'), body)
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual(harness.sent(), ask('hello'))
  })

  test('the limit of an entry is added', async () => {
    const answer = await post(url, generate('limited'), ask('hello'))
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual(harness.sent(), { ...ask('hello'), generationConfig: { maxOutputTokens: 50 } })
    assert.equal(answer.headers.get('x-gateway-adjusted'), 'generationConfig.maxOutputTokens=50;default_limit')
  })
})

for (const way of NAMES) {
  describe(`through a ${way} entry`, () => {
    test('a text is answered, logged and priced', async () => {
      const answer = await post(url, generate(`${way}-echo`), ask('hello there'))
      assert.equal(answer.status, 200, answer.text)
      assert.equal(answer.json.candidates[0].content.parts[0].text, 'hello there')
      assert.equal(answer.json.candidates[0].content.role, 'model')
      assert.equal(answer.json.candidates[0].finishReason, 'STOP')
      const { promptTokenCount, candidatesTokenCount, totalTokenCount } = answer.json.usageMetadata
      assert.equal(totalTokenCount, promptTokenCount + candidatesTokenCount)
      const row = await harness.rowOf({ ...answer, json: null } as never)
      assert.equal(row['endpoint'], 'generate_content')
      assert.equal(row['requested_model'], `${way}-echo`)
      assert.equal(Number(row['cost_picodollars']), promptTokenCount * 1_000_000 + candidatesTokenCount * 10_000_000)
      assert.equal(answer.headers.get('x-gateway-cost-usd'), (Number(row['cost_picodollars']) / 1e12).toFixed(6))
    })

    test('ends for its reason', async () => {
      const reason = async (scenario: string) => {
        const { json } = await post(url, generate(`${way}-${scenario}`), ask('hello'))
        return json.candidates[0].finishReason
      }
      assert.equal(await reason('length'), 'MAX_TOKENS')
      // OpenAI's own refusals are ordinary ends.
      assert.equal(await reason('refusal'), way === 'chat' ? 'STOP' : 'SAFETY')
    })

    for (const scenario of ['tools', 'tools-2']) {
      test(`${scenario}: calls come with their ids, and their results go back`, async () => {
        const user = { role: 'user', parts: [{ text: 'Weather?' }] }
        const first = await post(url, generate(`${way}-${scenario}`), { contents: [user], tools: [WEATHER] })
        assert.equal(first.status, 200, first.text)
        const { content } = first.json.candidates[0]
        const calls = content.parts.filter((part: Json) => part.functionCall)
        assert.equal(calls.length, scenario === 'tools' ? 1 : 2)
        const results = calls.map(({ functionCall: { id, name } }: Json) => ({
          functionResponse: { id, name, response: { output: 'sunny' } },
        }))
        const contents = [user, content, { role: 'user', parts: results }]
        const second = await post(url, generate(`${way}-${scenario}`), { contents, tools: [WEATHER] })
        assert.equal(second.status, 200, second.text)
        assert.match(second.json.candidates[0].content.parts[0].text, /^The tool answered: .*sunny/)
      })
    }
  })
}

describe('keys', () => {
  const path = generate('native-echo')
  const table: [name: string, path: string, headers: Record<string, string>][] = [
    ['x-goog-api-key', path, { 'x-goog-api-key': KEY }],
    ['a bearer token', path, { authorization: `Bearer ${KEY}` }],
    ['the query', `${path}?key=${KEY}`, {}],
    ['all of them', `${path}?key=${KEY}`, { authorization: `Bearer ${KEY}`, 'x-goog-api-key': KEY }],
  ]
  for (const [name, place, headers] of table) {
    test(`are taken from ${name}`, async () => {
      const answer = await post(url, place, ask('hello'), headers)
      assert.equal(answer.status, 200, answer.text)
      assert.equal(harness.upstream()[0]?.query, '')
    })
  }

  for (const headers of [{ 'x-goog-api-key': 'gw_live_other' }, { authorization: 'Bearer gw_live_other' }]) {
    const [name] = Object.keys(headers)
    test(`that differ in query and ${name} are refused, and both places are named`, async () => {
      const answer = await post(url, `${path}?key=${KEY}`, ask('hello'), headers as Record<string, string>)
      assert.equal(answer.status, 400)
      assert.match(answer.json.error.message, new RegExp(`query \\(key\\).*${name}`))
      assert.doesNotMatch(answer.text, /gw_live/)
      assert.equal(harness.upstream().length, 0)
    })
  }

  test('are missing', async () => {
    const answer = await post(url, path, ask('hello'), {})
    assert.equal(answer.status, 401)
    assert.equal(answer.json.error.status, 'UNAUTHENTICATED')
    assert.match(answer.json.error.message, /x-goog-api-key/)
  })
})

describe('paths', () => {
  for (const place of [
    '/v1/models',
    '/v1alpha/models',
    '/v1beta1/publishers/google/models',
    '/v1beta1/projects/p/locations/global/publishers/google/models',
  ]) {
    test(`${place} is served, too`, async () => {
      const answer = await post(url, `${place}/chat-echo:generateContent`, ask('hello'))
      assert.equal(answer.status, 200, answer.text)
    })
  }

  test('a direct id with a slash, plain and encoded', async () => {
    for (const name of ['openai/gpt-sim-echo', 'openai%2Fgpt-sim-echo']) {
      const answer = await post(url, generate(name), ask('hello'))
      assert.equal(answer.status, 200, answer.text)
    }
  })

  test('an unknown method is not found, in this format', async () => {
    for (const method of ['predict', 'bidiGenerateContent']) {
      const answer = await post(url, `/v1beta/models/chat-echo:${method}`, ask('hello'))
      assert.deepEqual([answer.status, answer.json.error.status], [404, 'NOT_FOUND'])
    }
  })

  test('an unknown model is not found', async () => {
    const answer = await post(url, generate('nowhere'), ask('hello'))
    assert.deepEqual([answer.status, answer.json.error.status], [404, 'NOT_FOUND'])
    assert.equal(answer.json.error.details[0].reason, 'MODEL_NOT_FOUND')
  })
})
