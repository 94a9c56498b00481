import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import type { Harness, Json } from '../../harness.ts'
import { post, startGemini } from './world.ts'

const harness: Harness = await startGemini()
const { simulator } = harness
beforeEach(() => simulator.reset())
after(() => harness.stop())

const MODEL = 'gemini-3.5-flash-sim-tools'
const SCHEMA = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }

const eventsOf = (text: string): Json[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)))

test('a client of the Messages API streams, calls a tool and goes on', async () => {
  const tools = [{ name: 'weather', input_schema: SCHEMA }]
  const user = { role: 'user', content: 'Weather?' }
  const ask = async (messages: Json[]) => {
    const body = { model: MODEL, max_tokens: 300, stream: true, system: 'Be brief.', tools, messages }
    const { status, text } = await post(harness.url, '/v1/messages', body)
    assert.equal(status, 200, text)
    return eventsOf(text)
  }
  const events = await ask([user])
  const { content_block: use } = events.find(
    ({ type, content_block: block }) => type === 'content_block_start' && block.type === 'tool_use',
  )
  const input = events.map(({ delta }) => delta?.partial_json ?? '').join('')
  assert.equal(events.find(({ type }) => type === 'message_delta').delta.stop_reason, 'tool_use')
  const said = { role: 'assistant', content: [{ ...use, input: JSON.parse(input) }] }
  const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: use.id, content: 'sunny' }] }
  const next = await ask([user, said, result])
  assert.match(next.map(({ delta }) => delta?.text ?? '').join(''), /^The tool answered: sunny/)
  assert.partialDeepStrictEqual(harness.sent(), {
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    contents: [
      { role: 'user' },
      {
        role: 'model',
        parts: [{ functionCall: { name: 'weather' }, thoughtSignature: 'skip_thought_signature_validator' }],
      },
      { role: 'user', parts: [{ functionResponse: { name: 'weather', response: { result: 'sunny' } } }] },
    ],
  })
})

test('a client of the Responses API streams, calls a tool and goes on', async () => {
  const tools = [{ type: 'function', name: 'weather', parameters: SCHEMA }]
  const user = { role: 'user', content: 'Weather?' }
  const ask = async (input: Json[]) => {
    const { status, text } = await post(harness.url, '/v1/responses', {
      model: MODEL,
      stream: true,
      store: false,
      tools,
      input,
    })
    assert.equal(status, 200, text)
    const { response } = eventsOf(text).find(({ type }) => type === 'response.completed')
    return response
  }
  const first = await ask([user])
  const call = first.output.find(({ type }: Json) => type === 'function_call')
  assert.equal(call.name, 'weather')
  assert.ok(first.usage.input_tokens > 0 && first.usage.output_tokens > 0)
  const output = { type: 'function_call_output', call_id: call.call_id, output: 'sunny' }
  const second = await ask([user, call, output])
  assert.match(second.output.at(-1).content[0].text, /^The tool answered: sunny/)
})
