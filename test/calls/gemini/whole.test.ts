import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import { type Harness, hello, type Json } from '../../harness.ts'
import { API_KEY, SCRIPTED, startGemini, WEATHER } from './world.ts'

const harness: Harness = await startGemini()
const { simulator } = harness
beforeEach(() => simulator.reset())
after(() => harness.stop())

const sim = (scenario: string) => `gemini-3.5-flash-sim-${scenario}`

describe('a call', () => {
  test('goes to the model’s address, with the key in its header alone', async () => {
    const answer = await harness.chat(hello(sim('echo'), { max_tokens: 64, temperature: 0.5 }))
    assert.equal(answer.status, 200, answer.text)
    assert.partialDeepStrictEqual(answer.json, {
      object: 'chat.completion',
      model: sim('echo'),
      choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
    })
    const [call] = harness.upstream()
    assert.deepEqual([call?.path, call?.query], [`/v1beta/models/${sim('echo')}:generateContent`, ''])
    assert.equal(call?.headers['x-goog-api-key'], API_KEY)
    assert.equal(call?.headers['authorization'], undefined)
    assert.deepEqual(call?.body, {
      contents: [{ role: 'user', parts: [{ text: 'hello' }] }],
      generationConfig: { maxOutputTokens: 64, temperature: 0.5 },
    })
    assert.deepEqual(
      [answer.headers.get('x-gateway-provider'), answer.headers.get('x-gateway-model')],
      ['google', sim('echo')],
    )
  })

  test('is priced by cache and thoughts', async () => {
    const cached = await harness.rowOf(await harness.chat(hello(sim('cached-30'), { max_tokens: 64 })))
    assert.equal(cached['cached_tokens'], 30)
    const answer = await harness.chat(hello(sim('reasoning-16'), { max_tokens: 64 }))
    const { usage } = answer.json
    assert.equal(usage.completion_tokens_details.reasoning_tokens, 16)
    const row = await harness.rowOf(answer)
    assert.equal(
      Number(row['cost_picodollars']),
      usage.prompt_tokens * 1_000_000 + usage.completion_tokens * 10_000_000,
    )
  })

  test('ends in the words of chat completions', async () => {
    const ended = async (scenario: string) => (await harness.chat(hello(sim(scenario)))).json.choices[0].finish_reason
    assert.deepEqual([await ended('length'), await ended('refusal')], ['length', 'content_filter'])
  })
})

describe('tools', () => {
  const ask = (model: string, messages: Json[]) => harness.chat({ model, messages, tools: [WEATHER] })
  const turn = async (model: string) => {
    const user = { role: 'user', content: 'Weather?' }
    const answer = await ask(model, [user])
    assert.equal(answer.status, 200, answer.text)
    const { message, finish_reason } = answer.json.choices[0]
    assert.equal(finish_reason, 'tool_calls')
    const results = message.tool_calls.map((call: Json) => ({ role: 'tool', tool_call_id: call.id, content: 'sunny' }))
    return { message, history: [user, message, ...results] }
  }

  for (const scenario of ['tools', 'tools-2']) {
    test(`${scenario}: a signature comes back with its call, and the model goes on`, async () => {
      const { message, history } = await turn(sim(scenario))
      const { thought_signature: signature, made_by } = message.tool_calls[0].extra_content.google
      assert.equal(made_by, `gemini/${sim(scenario)}`)
      assert.deepEqual(
        message.tool_calls.slice(1).map((call: Json) => call.extra_content),
        Array(message.tool_calls.length - 1).fill(undefined),
      )
      const next = await ask(sim(scenario), history)
      assert.equal(next.status, 200, next.text)
      assert.equal(harness.sent().contents[1].parts[0].thoughtSignature, signature)
      assert.match(next.json.choices[0].message.content, /^The tool answered: sunny/)
    })
  }

  test('a history of another model, or without its signature, is taken all the same', async () => {
    const { history } = await turn(sim('tools'))
    const [user, message, ...results] = history
    const lost = { ...message, tool_calls: message.tool_calls.map(({ extra_content: _, ...call }: Json) => call) }
    for (const [model, turns] of [
      ['lite', history],
      [sim('tools'), [user, lost, ...results]],
    ] as const) {
      const next = await ask(model, turns as Json[])
      assert.equal(next.status, 200, next.text)
      assert.equal(harness.sent().contents[1].parts[0].thoughtSignature, 'skip_thought_signature_validator')
    }
  })

  test('an older model has no signatures', async () => {
    const { message, history } = await turn('gemini-2.5')
    assert.equal(message.tool_calls[0].extra_content, undefined)
    assert.equal((await ask('gemini-2.5', history)).status, 200)
  })
})

describe('embeddings', () => {
  test('are made for every text, in order', async () => {
    const answer = await harness.embed({ model: 'embed', input: ['a', 'bb'], dimensions: 3 })
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual(
      answer.json.data.map((item: Json) => [item.index, item.embedding.length]),
      [
        [0, 3],
        [1, 3],
      ],
    )
    assert.deepEqual(answer.json.usage, { prompt_tokens: 2, total_tokens: 2 })
    assert.equal(harness.upstream()[0]?.path, '/v1beta/models/gemini-embedding-001:batchEmbedContents')
    assert.equal(Number((await harness.rowOf(answer))['cost_picodollars']), 2_000_000)
  })
})

describe('failures', () => {
  let next = 0
  const info = (type: string, more: object) => ({ '@type': `type.googleapis.com/google.rpc.${type}`, ...more })
  const exhausted = (...details: object[]) => ({
    error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'slow', details },
  })
  const cases: [what: string, status: number, body: object | undefined, expected: [number, string], calls: number][] = [
    [
      'a key that is wrong is a 400 there',
      400,
      { error: { code: 400, message: 'API key not valid.', status: 'INVALID_ARGUMENT' } },
      [502, 'provider_auth_error'],
      1,
    ],
    [
      'a day’s quota',
      429,
      exhausted(
        info('QuotaFailure', { violations: [{ quotaId: 'XPerDay' }] }),
        info('RetryInfo', { retryDelay: '0.001s' }),
      ),
      [503, 'provider_quota_exceeded'],
      1,
    ],
    ['a short wait is waited for', 429, exhausted(info('RetryInfo', { retryDelay: '0.001s' })), [200, ''], 2],
    ['a long wait is not', 429, exhausted(info('RetryInfo', { retryDelay: '3600s' })), [429, 'rate_limited'], 1],
    ['an overloaded model is asked again', 503, undefined, [200, ''], 2],
    ['a model that does not exist', 404, undefined, [404, 'model_not_found'], 1],
    ['a blocked prompt', 200, { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } }, [400, 'content_filtered'], 1],
    [
      'a malformed call is asked for once more',
      200,
      { candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL' }] },
      [200, ''],
      2,
    ],
  ]
  for (const [what, status, body, expected, calls] of cases) {
    test(what, async () => {
      const model = SCRIPTED[next++] ?? ''
      simulator.script(model, [{ status, ...(body === undefined ? {} : { body }) }])
      const answer = await harness.chat(hello(model))
      assert.deepEqual([answer.status, answer.json.error?.code ?? ''], expected, answer.text)
      assert.equal(harness.upstream().length, calls)
      assert.equal(answer.text.includes(API_KEY), false)
    })
  }
})
