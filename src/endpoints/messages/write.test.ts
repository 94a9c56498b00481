import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { NO_USAGE } from '../../domain/pricing/usage.ts'
import type { Answer } from '../../domain/request/answer.ts'
import type { JsonObject } from '../../domain/request/call-request.ts'
import { type MessagesRequest, UNSIGNED } from '../../domain/request/messages.ts'
import { chatName } from './tool-names.ts'
import { writeMessage } from './write.ts'

const STAMP = { id: 'msg_1', model: 'fast', created: 7 }
const PLAIN = { model: 'fast', max_tokens: 5, messages: [] } as MessagesRequest
const THINKING = { ...PLAIN, thinking: { type: 'enabled' } } as MessagesRequest

describe("a provider's own message passes byte for byte but for the model", () => {
  const rest = '"content": [ {"type":"text","text":"\\"model\\":\\"x\\" \\u00e9"} ],"usage":{"input_tokens":1e0}}\n'
  const table: [what: string, json: string, expected: string][] = [
    ['at the beginning', `{ "model" : "claude-x", "id":"a",${rest}`, `{ "model" : "fast", "id":"a",${rest}`],
    [
      'behind other fields',
      `{"id":"a\\"","type":"message","model":"x",${rest}`,
      `{"id":"a\\"","type":"message","model":"fast",${rest}`,
    ],
    ['as its last field', '{"id":"a","model":"x"}', '{"id":"a","model":"fast"}'],
    ['behind the content', '{"content":[ {"model":"y"}],"model":"x"}', '{"content":[ {"model":"y"}],"model":"fast"}'],
  ]
  for (const [what, json, expected] of table) {
    test(what, () => {
      const answer: Answer = { body: JSON.parse(json), usage: null, finishReason: null, warning: null, json }
      assert.equal(writeMessage(answer, STAMP, PLAIN), expected)
    })
  }

  test('where it names no model, ours is added', () => {
    const json = '{"content":[{"model":"y"}]}'
    const answer: Answer = { body: JSON.parse(json), usage: null, finishReason: null, warning: null, json }
    assert.deepEqual(JSON.parse(writeMessage(answer, STAMP, PLAIN)), { content: [{ model: 'y' }], model: 'fast' })
  })
})

function written(message: JsonObject, more: Partial<Answer> = {}, request = PLAIN): JsonObject {
  const body = { object: 'chat.completion', choices: [{ index: 0, message }] }
  return JSON.parse(writeMessage({ body, usage: null, finishReason: 'stop', warning: null, ...more }, STAMP, request))
}
const call = (name: string, text: unknown, id: unknown = 'c1') => ({
  tool_calls: [{ id, type: 'function', function: { name, arguments: text } }],
})

describe('a completion becomes a message', () => {
  test('with all its fields', () => {
    const usage = { ...NO_USAGE, input: 5, cachedInput: 3, cacheWrite30m: 2, output: 4 }
    assert.deepEqual(written({ role: 'assistant', content: 'Hi' }, { usage }), {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'fast',
      content: [{ type: 'text', text: 'Hi' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 5, cache_creation_input_tokens: 2, cache_read_input_tokens: 3, output_tokens: 4 },
    })
  })

  const contents: [what: string, message: JsonObject, content: unknown[]][] = [
    ['no text is no block', { content: null }, []],
    ['a refusal is text', { content: null, refusal: 'No.' }, [{ type: 'text', text: 'No.' }]],
    [
      'parts are one text',
      {
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      [{ type: 'text', text: 'ab' }],
    ],
    ['a call has its input parsed', call('f', '{"a":1}'), [{ type: 'tool_use', id: 'c1', name: 'f', input: { a: 1 } }]],
    ['no input is an empty one', call('f', ''), [{ type: 'tool_use', id: 'c1', name: 'f', input: {} }]],
    [
      'an input that is none stays readable',
      call('f', '{"a":'),
      [{ type: 'tool_use', id: 'c1', name: 'f', input: { raw_arguments: '{"a":' } }],
    ],
    [
      'so does one that is no object',
      call('f', '[1]'),
      [{ type: 'tool_use', id: 'c1', name: 'f', input: { raw_arguments: '[1]' } }],
    ],
    ['a call without id gets one', call('f', '{}', null), [{ type: 'tool_use', id: 'call_0', name: 'f', input: {} }]],
    ['thinking is left out unless asked for', { content: 'a', reasoning_content: 'hm' }, [{ type: 'text', text: 'a' }]],
  ]
  for (const [what, message, content] of contents) {
    test(what, () => assert.deepEqual(written(message)['content'], content))
  }

  test('thinking that was asked for comes first, signed so that it can come back', () => {
    assert.deepEqual(written({ content: 'a', reasoning_content: 'hm' }, {}, THINKING)['content'], [
      { type: 'thinking', thinking: 'hm', signature: UNSIGNED },
      { type: 'text', text: 'a' },
    ])
    const reasoning = [{ type: 'thinking' as const, thinking: 'hm', signature: 's' }]
    assert.deepEqual(written({ content: null }, { reasoning }, THINKING)['content'], reasoning)
  })

  test('a tool has the name that the caller gave it', () => {
    const name = `mcp__${'long'.repeat(30)}`
    const request = { ...PLAIN, tools: [{ name }] } as MessagesRequest
    const [block] = written(call(chatName(name), '{}'), {}, request)['content'] as JsonObject[]
    assert.equal(block?.['name'], name)
  })

  const reasons: [finish: string | null, message: JsonObject, stop: string][] = [
    ['stop', { content: 'a' }, 'end_turn'],
    ['length', { content: 'a' }, 'max_tokens'],
    ['tool_calls', call('f', '{}'), 'tool_use'],
    ['stop', call('f', '{}'), 'tool_use'],
    ['content_filter', { content: '' }, 'refusal'],
    [null, { content: 'a' }, 'end_turn'],
  ]
  for (const [finishReason, message, stop] of reasons) {
    test(`${finishReason} is ${stop}`, () => assert.equal(written(message, { finishReason })['stop_reason'], stop))
  }
})
