import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { hello } from '../../harness.ts'
import { attemptsOf, saidIn } from '../streams/world.ts'
import { BEDROCK_KEY, eventsIn, NOVA, startBedrock } from './world.ts'

let bedrock: Awaited<ReturnType<typeof startBedrock>>
before(async () => {
  bedrock = await startBedrock()
})
after(() => bedrock.stop())
beforeEach(() => bedrock.simulator.reset())

const stream = (more = {}) => hello('nova', { stream: true, stream_options: { include_usage: true }, ...more })

describe('a model through Converse', () => {
  test('answers, and the row has its tokens and its cost', async () => {
    bedrock.simulator.script(NOVA, [
      {
        tweak: {
          text: 'hi there',
          exactUsage: { prompt: 100, completion: 10 },
          cachedTokens: 40,
          cacheWriteTokens: 20,
        },
      },
    ])
    const answer = await bedrock.chat(hello('nova', { max_tokens: 50, temperature: 0.5, stop: 'x', user: 'u' }))
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.json.choices[0].message.content, 'hi there')
    assert.equal(answer.json.choices[0].finish_reason, 'stop')
    assert.deepEqual(answer.json.usage, {
      ...{ prompt_tokens: 160, completion_tokens: 10, total_tokens: 170 },
      prompt_tokens_details: { cached_tokens: 40, cache_write_tokens: 20 },
    })
    const [call] = bedrock.upstream()
    assert.deepEqual(call?.body, {
      messages: [{ role: 'user', content: [{ text: 'hello' }] }],
      inferenceConfig: { maxTokens: 50, temperature: 0.5, stopSequences: ['x'] },
    })
    assert.equal(call?.path, '/model/amazon.nova-pro-v1%3A0/converse')
    assert.equal(call?.headers['authorization'], `Bearer ${BEDROCK_KEY}`)
    assert.equal(answer.headers.get('x-gateway-ignored-params'), 'user')
    const row = await bedrock.rowOf(answer)
    assert.deepEqual([row['input_tokens'], row['cached_tokens'], row['cache_write_5m_tokens']], [100, 40, 20])
    // 100 × 1 + 40 × 0.5 + 20 × 2 + 10 × 5, in millionths of a dollar.
    assert.equal(Number(row['cost_picodollars']) / 1e6, 210)
    assert.match(attemptsOf(row)[0].upstreamRequestId, /^\w{36}$/)
  })

  test('streams, and its usage comes after the end', async () => {
    bedrock.simulator.script(NOVA, [{ tweak: { text: 'one two three', exactUsage: { prompt: 7, completion: 3 } } }])
    const answer = await bedrock.chat(stream())
    const chunks = eventsIn(answer.text)
    assert.equal(saidIn(chunks), 'one two three')
    assert.ok(answer.text.includes('data: [DONE]'))
    assert.deepEqual(chunks.at(-1).usage.completion_tokens, 3)
    assert.equal(bedrock.upstream()[0]?.path, '/model/amazon.nova-pro-v1%3A0/converse-stream')
    const row = await bedrock.rowOf(answer)
    assert.deepEqual([row['input_tokens'], row['completion_tokens'], row['usage_source']], [7, 3, 'provider'])
  })

  test('streams byte by byte', async () => {
    bedrock.simulator.script(NOVA, [{ tweak: { text: 'one two three' }, stream: { pieces: 1 } }])
    assert.equal(saidIn(eventsIn((await bedrock.chat(stream())).text)), 'one two three')
  })

  test('calls tools, whole and streamed, and takes their results', async () => {
    const weather = {
      type: 'function',
      function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
    }
    const tools = { tools: [weather], tool_choice: 'required' }
    const whole = await bedrock.chat(hello('nova', tools))
    const [called] = whole.json.choices[0].message.tool_calls
    assert.equal(called.function.name, 'weather')
    assert.equal(whole.json.choices[0].finish_reason, 'tool_calls')
    const history = [
      { role: 'user', content: 'hello' },
      { role: 'assistant', content: null, tool_calls: [called] },
      { role: 'tool', tool_call_id: called.id, content: 'sunny' },
    ]
    const next = await bedrock.chat({ model: 'nova', messages: history, tools: [weather] })
    assert.equal(next.json.choices[0].message.content, 'The tool answered: sunny')
    // Without tools the history still needs them.
    const bare = await bedrock.chat({ model: 'nova', messages: history })
    assert.equal(bare.status, 200, bare.text)
    assert.equal(bare.headers.get('x-gateway-ignored-params'), 'tool_choice')
    const chunks = eventsIn((await bedrock.chat(stream(tools))).text)
    const deltas = chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? [])
    assert.equal(deltas[0].function.name, 'weather')
    assert.equal(typeof JSON.parse(deltas.map((delta) => delta.function.arguments ?? '').join('')).city, 'string')
  })

  test('a stream without its usage is whole, and estimated', async () => {
    bedrock.simulator.script(NOVA, [{ tweak: { text: 'one two three' }, stream: { odd: ['uncounted'] } }])
    const answer = await bedrock.chat(stream())
    assert.ok(answer.text.includes('data: [DONE]'))
    assert.equal(saidIn(eventsIn(answer.text)), 'one two three')
    assert.equal((await bedrock.rowOf(answer))['usage_source'], 'estimated')
  })

  test('json_object and json_schema are honoured', async () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
      additionalProperties: false,
    }
    const format = { type: 'json_schema', json_schema: { name: 'thing', schema } }
    const shaped = await bedrock.chat(hello('nova', { response_format: format }))
    assert.deepEqual(Object.keys(JSON.parse(shaped.json.choices[0].message.content)), ['a'])
    const { textFormat } = bedrock.sent().outputConfig
    assert.equal(typeof textFormat.structure.jsonSchema.schema, 'string')
    const any = await bedrock.chat(hello('nova', { response_format: { type: 'json_object' } }))
    assert.equal(typeof JSON.parse(any.json.choices[0].message.content), 'object')
  })

  test('serves the Messages API through the bridge, streamed too', async () => {
    bedrock.simulator.script(NOVA, [{ tweak: { text: 'one two' } }, { tweak: { text: 'one two' } }])
    const asked = { ...hello('nova'), max_tokens: 100 }
    const whole = await bedrock.post('/v1/messages', asked)
    assert.equal(whole.json.content[0].text, 'one two', whole.text)
    const streamed = await bedrock.post('/v1/messages', { ...asked, stream: true })
    const texts = eventsIn(streamed.text).flatMap(({ delta }) => (delta?.text === undefined ? [] : [delta.text]))
    assert.equal(texts.join(''), 'one two')
    assert.match(streamed.text, /event: message_stop/)
  })

  test('a stream whose caller has left is read to its end, where the operator says nothing', async () => {
    const rows = await bedrock.gateway.store.db.selectFrom('providers').selectAll().execute()
    assert.deepEqual(rows.map(({ name, on_caller_left: left }) => [name, left]).sort(), [
      ['anthropic', 'abort'],
      ['bedrock', 'drain'],
      ['openai', 'abort'],
    ])
  })
})
