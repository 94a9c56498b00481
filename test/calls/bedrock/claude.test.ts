import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import { hello, type Json, KEY } from '../../harness.ts'
import { saidIn } from '../streams/world.ts'
import { CLAUDE, eventsIn, startBedrock } from './world.ts'

let bedrock: Awaited<ReturnType<typeof startBedrock>>
before(async () => {
  bedrock = await startBedrock()
})
after(() => bedrock.stop())
beforeEach(() => bedrock.simulator.reset())

const PATH = `/model/${encodeURIComponent(CLAUDE)}`
const asked = { model: 'claude', max_tokens: 2000, messages: [{ role: 'user', content: 'hello' }] }

describe('Claude through the Messages endpoint', () => {
  test('keeps everything that the caller sent, in this service’s envelope', async () => {
    const body = {
      ...asked,
      thinking: { type: 'enabled', budget_tokens: 1024 },
      system: [{ type: 'text', text: 'be brief', cache_control: { type: 'ephemeral', ttl: '1h' } }],
      metadata: { user_id: 'someone' },
      top_k: 5,
      field_of_tomorrow: { deep: [1, 2.5, null] },
    }
    bedrock.simulator.script(CLAUDE, [{ tweak: { text: 'hi', thinking: 'hm, well', cacheWriteTokens: 30 } }])
    const answer = await bedrock.post('/v1/messages', body, { 'anthropic-beta': 'one-2025-01-01, two-2025-01-01' })
    assert.equal(answer.status, 200, answer.text)
    const { model: _, ...rest } = body
    assert.deepEqual(bedrock.sent(), {
      anthropic_version: 'bedrock-2023-05-31',
      anthropic_beta: ['one-2025-01-01', 'two-2025-01-01'],
      ...rest,
    })
    const [call] = bedrock.upstream()
    assert.equal(call?.path, `${PATH}/invoke`)
    assert.equal(call?.headers['anthropic-beta'], undefined)
    const [thought, said] = answer.json.content
    assert.deepEqual([thought.thinking, said.text], ['hm, well', 'hi'])
    assert.match(thought.signature, /^\w{64}$/)
    const row = await bedrock.rowOf(answer)
    assert.deepEqual([row['cache_write_5m_tokens'], row['cache_write_1h_tokens']], [0, 30])
  })

  for (const size of [10, 300_000]) {
    test(`a beta that is refused by name is left out, and remembered, with ${size} bytes`, async () => {
      const [a, b, kept] = [`unknown-a-${size}-2026-01-01`, `unknown-b-${size}-2026-01-01`, 'one-2025-01-01']
      const messages = [{ role: 'user', content: 'x'.repeat(size) }]
      const ask = () =>
        bedrock.post('/v1/messages', { ...asked, messages }, { 'anthropic-beta': [a, kept, b].join(',') })
      const first = await ask()
      assert.equal(first.status, 200, first.text)
      const betas = () => bedrock.upstream().map(({ body }) => (body as Json)['anthropic_beta'])
      assert.deepEqual(betas(), [[a, kept, b], [kept, b], [kept]])
      const attempts = JSON.parse(String((await bedrock.rowOf(first))['attempts'])) as Json[]
      assert.match(attempts[0].reason, new RegExp(`asked again without ${a}`))
      bedrock.simulator.reset()
      assert.equal((await ask()).status, 200)
      assert.deepEqual(betas(), [[kept]], 'the next call does not send them')
    })
  }

  test('streams its own events', async () => {
    bedrock.simulator.script(CLAUDE, [{ tweak: { text: 'one two', thinking: 'hm' }, stream: { pieces: 7 } }])
    const answer = await bedrock.post('/v1/messages', { ...asked, stream: true })
    const events = eventsIn(answer.text)
    assert.deepEqual(
      [...new Set(events.map(({ type }) => type))],
      [
        ...['message_start', 'content_block_start', 'content_block_delta', 'content_block_stop'],
        ...['message_delta', 'message_stop'],
      ],
    )
    assert.equal(events.map(({ delta }) => delta?.text ?? '').join(''), 'one two')
    assert.ok(events.some(({ delta }) => delta?.type === 'signature_delta' && delta.signature.length === 64))
    assert.equal(bedrock.upstream()[0]?.path, `${PATH}/invoke-with-response-stream`)
    assert.equal('stream' in bedrock.sent(), false)
    assert.equal((await bedrock.rowOf(answer))['usage_source'], 'provider')
  })

  test('the vendor’s own client reads both, and tokens are counted', async () => {
    const client = new Anthropic({ baseURL: bedrock.url, apiKey: KEY, maxRetries: 0 })
    const params = { model: 'claude', max_tokens: 100, messages: [{ role: 'user' as const, content: 'hello' }] }
    const whole = await client.messages.create(params)
    assert.equal(whole.content[0]?.type, 'text')
    const streamed = await client.messages.stream(params).finalMessage()
    assert.deepEqual(streamed.content, whole.content)
    const thinking = { type: 'enabled' as const, budget_tokens: 2048 }
    const { input_tokens: tokens } = await client.messages.countTokens({
      ...{ model: 'claude', messages: params.messages, thinking },
    })
    assert.equal(tokens, whole.usage.input_tokens)
    assert.equal(bedrock.upstream().at(-1)?.path, `${PATH}/count-tokens`)
    const { body } = bedrock.sent().input.invokeModel
    assert.deepEqual(JSON.parse(Buffer.from(body, 'base64').toString()), {
      ...{ anthropic_version: 'bedrock-2023-05-31', max_tokens: 2049, messages: params.messages, thinking },
    })
  })

  test('an error of the service comes in the endpoint’s own words', async () => {
    bedrock.simulator.script(CLAUDE, [{ status: 400 }])
    const answer = await bedrock.post('/v1/messages', asked)
    assert.equal(answer.status, 400)
    assert.equal(answer.json.type, 'error')
    assert.equal(answer.json.error.type, 'invalid_request_error')
  })
})

describe('Claude through chat completions', () => {
  test('whole and streamed', async () => {
    const whole = await bedrock.chat(hello('claude', { reasoning_effort: 'none' }))
    assert.equal(whole.status, 200, whole.text)
    assert.deepEqual(bedrock.sent(), {
      anthropic_version: 'bedrock-2023-05-31',
      max_tokens: 1024,
      messages: [{ role: 'user', content: 'hello' }],
      thinking: { type: 'disabled' },
    })
    const streamed = await bedrock.chat(hello('claude', { stream: true }))
    assert.equal(saidIn(eventsIn(streamed.text)), whole.json.choices[0].message.content)
    assert.ok(streamed.text.includes('[DONE]'))
  })
})
