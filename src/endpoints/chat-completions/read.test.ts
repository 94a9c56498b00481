import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readChat } from './read.ts'

describe('a Responses-shaped body on the chat path', () => {
  const parameters = { type: 'object' }

  test('becomes a chat request', () => {
    const body = {
      ...{ model: 'm', stream: true, stream_options: { include_usage: true }, store: false, max_output_tokens: 5 },
      input: [{ role: 'user', content: [{ type: 'input_text', text: 'hi' }] }],
      tools: [
        { type: 'function', name: 'flat', parameters },
        { type: 'function', function: { name: 'nested', parameters } },
      ],
      include: ['reasoning.encrypted_content'],
      reasoning: { effort: 'low' },
    }
    assert.deepEqual(readChat(body, true), {
      ...{ model: 'm', stream: true, stream_options: { include_usage: true }, max_completion_tokens: 5 },
      ...{ reasoning_effort: 'low', messages: [{ role: 'user', content: 'hi' }] },
      tools: ['flat', 'nested'].map((name) => ({ type: 'function', function: { name, parameters } })),
    })
  })

  test('is refused in its own words', () => {
    assert.throws(() => readChat({ model: 'm', input: 'hi', previous_response_id: 'r' }), {
      ...{ code: 'unsupported_parameter' },
      message: /^previous_response_id: /,
    })
    assert.throws(() => readChat({ model: 'm', input: [] }), { code: 'invalid_request' })
    assert.throws(() => readChat({ model: 'm', input: 'hi', stream: true }), { code: 'not_implemented' })
  })

  test('is none with messages', () => {
    const body = { model: 'm', input: 'x', messages: [{ role: 'user', content: 'hi' }] }
    assert.equal(readChat(body), body)
    assert.throws(() => readChat({ model: 'm' }), { message: /^messages: / })
  })
})
