import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { GatewayError } from '../errors.ts'
import { readCountTokensRequest, readMessagesRequest } from './messages.ts'

const USER = { role: 'user', content: 'hi' }
const PLAIN = { model: 'm', max_tokens: 5, messages: [USER] }

function problemOf(body: unknown): string {
  try {
    readMessagesRequest(body, true)
  } catch (error) {
    assert.ok(error instanceof GatewayError)
    assert.equal(error.code, 'invalid_request')
    return error.message
  }
  return 'accepted'
}

test("the caller's own object comes back, with whatever else it has", () => {
  const request = {
    ...PLAIN,
    system: [{ type: 'text', text: 's', cache_control: { type: 'ephemeral' } }],
    messages: [USER, { role: 'assistant', content: [{ type: 'newer_block', x: 1 }], extra: true }],
    tools: [
      { type: 'mcp_toolset', mcp_server_name: 'x' },
      { name: 'f', input_schema: {} },
    ],
    newer_field: { a: [1] },
    thinking: null,
  }
  assert.equal(readMessagesRequest(request, true), request)
})

describe('a bad field is named', () => {
  const table: [unknown, string][] = [
    [null, 'The body must be a JSON object.'],
    [[], 'The body must be a JSON object.'],
    [{ ...PLAIN, model: undefined }, 'model: is missing; expected a string'],
    [{ ...PLAIN, model: '' }, 'model: expected at least 1 character'],
    [{ ...PLAIN, max_tokens: undefined }, 'max_tokens: is missing; expected a number'],
    [{ ...PLAIN, max_tokens: '5' }, 'max_tokens: expected a number, not a string'],
    [{ ...PLAIN, messages: [] }, 'messages: expected at least one message'],
    [{ ...PLAIN, messages: 'hi' }, 'messages: expected an array'],
    [
      { ...PLAIN, messages: [{ role: 'user' }] },
      'messages[0].content: expected a string or an array of blocks with a type',
    ],
    [{ ...PLAIN, messages: [USER, { content: 'x' }] }, 'messages[1].role: expected a string'],
    [{ ...PLAIN, system: 4 }, 'system: expected a string or an array of blocks with a type'],
    [{ ...PLAIN, tools: ['f'] }, 'tools[0]: Invalid input: expected object, received string'],
    [{ ...PLAIN, thinking: { budget_tokens: 5 } }, 'thinking.type: is missing; expected a string'],
    [{ ...PLAIN, stop_sequences: 'x' }, 'stop_sequences: expected an array'],
    [{ ...PLAIN, stream: 'yes' }, 'stream: expected true or false, not a string'],
  ]
  for (const [body, expected] of table) test(expected, () => assert.equal(problemOf(body), expected))
})

test('a stream that is not allowed is refused before anything else', () => {
  assert.throws(
    () => readMessagesRequest({ stream: true }, false),
    (error: unknown) => error instanceof GatewayError && error.code === 'not_implemented',
  )
  assert.equal(readMessagesRequest({ ...PLAIN, stream: true }, true).stream, true)
})

test('a count needs no limit', () => {
  const { max_tokens: _, ...request } = PLAIN
  assert.equal(readCountTokensRequest(request), request)
  assert.throws(() => readCountTokensRequest({ model: 'm' }), GatewayError)
})
