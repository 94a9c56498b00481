import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { bridged, CALL, chatOf, ignoredOf, user } from '../../../test/fixtures/responses/bridged.ts'
import type { JsonObject } from '../../domain/request/call-request.ts'
import type { ResponsesRequest } from '../../domain/request/responses.ts'
import { bridge } from './to-chat.ts'

describe('settings', () => {
  const table: [fields: JsonObject, chat: JsonObject, ignored?: string[]][] = [
    [
      { max_output_tokens: 9, temperature: 0.5, top_p: 1 },
      { max_completion_tokens: 9, temperature: 0.5, top_p: 1 },
    ],
    [{ stream: true }, { stream: true }],
    [{ stream: false, store: false, background: false, truncation: 'disabled', top_logprobs: 0 }, {}],
    [
      { user: 'u', safety_identifier: 's' },
      { user: 'u', safety_identifier: 's' },
    ],
    [{ service_tier: 'auto' }, {}],
    [{ service_tier: 'flex' }, { service_tier: 'flex' }],
    [{ reasoning: { effort: 'high', summary: 'auto', mode: 'x' } }, { reasoning_effort: 'high' }, ['reasoning.mode']],
    [{ text: { format: { type: 'text' }, verbosity: 'low' } }, {}, ['text.verbosity']],
    [{ text: { format: { type: 'json_object' } } }, { response_format: { type: 'json_object' } }],
    [
      { text: { format: { type: 'json_schema', name: 'n', schema: { type: 'object' }, strict: true } } },
      {
        response_format: { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'object' }, strict: true } },
      },
    ],
    [{ include: ['reasoning.encrypted_content'] }, {}],
    [{ include: ['message.output_text.logprobs'] }, {}, ['include.message.output_text.logprobs']],
    [{ metadata: {}, client_metadata: {} }, {}, ['metadata', 'client_metadata']],
    [
      { prompt_cache_key: 'k', prompt_cache_retention: '24h', prompt_cache_options: { mode: 'implicit' } },
      { prompt_cache_key: 'k', prompt_cache_retention: '24h', prompt_cache_options: { mode: 'implicit' } },
    ],
    [{ previous_response_id: null, conversation: null, tools: null, whatever: null }, {}],
  ]
  for (const [fields, chat, ignored = []] of table) {
    test(JSON.stringify(fields), () => {
      assert.deepEqual(chatOf(fields), { model: 'm', messages: [user('hi')], ...chat })
      assert.deepEqual(ignoredOf(fields), ignored)
    })
  }
})

describe('what an entry without this format cannot do is refused by name', () => {
  const table: [fields: JsonObject, message: RegExp][] = [
    [{ previous_response_id: 'resp_1' }, /^previous_response_id: .*send the items/],
    [{ conversation: 'conv_1' }, /^conversation: .*send the items/],
    [{ prompt: { id: 'p' } }, /^prompt: .*send the items/],
    [{ background: true }, /^background: .*leave it out/],
    [{ store: true }, /^store: .*"store": false/],
    [{ truncation: 'auto' }, /^truncation: /],
    [{ top_logprobs: 2 }, /^top_logprobs: /],
    [{ max_tool_calls: 2 }, /^max_tool_calls: /],
    [{ something_new: 1 }, /^something_new: .*leave it out/],
    [{ input: [{ type: 'item_reference', id: 'x' }] }, /^input\[0\]: .*send the item itself/],
    [{ input: [user('x'), { type: 'web_search_call', id: 'x' }] }, /^input\[1\]\.type: 'web_search_call'/],
    [{ input: [user([{ type: 'input_image', file_id: 'f' }])] }, /^input\[0\]\.content\[0\]\.file_id: .*send the data/],
    [{ input: [user([{ type: 'input_file', file_url: 'https://a.b' }])] }, /^input\[0\]\.content\[0\]\.file_url: /],
    [{ input: [user([{ type: 'input_audio' }])] }, /^input\[0\]\.content\[0\]\.type: 'input_audio'/],
    [{ tools: [{ type: 'file_search' }] }, /^tools\[0\]\.type: 'file_search'/],
    [
      { tools: [{ type: 'function', name: 'a' }, { type: 'web_search' }], tool_choice: { type: 'web_search' } },
      /^tool_choice\.type: 'web_search'/,
    ],
    [
      { tools: [{ type: 'web_search' }], tool_choice: 'required' },
      /^tool_choice: .*'web_search' is a tool of the provider/,
    ],
    [
      { tools: [{ type: 'web_search' }], tool_choice: { type: 'web_search' } },
      /^tool_choice: .*'web_search' is a tool/,
    ],
    [{ text: { format: { type: 'xml' } } }, /^text\.format\.type: 'xml'/],
  ]
  for (const [fields, message] of table) {
    test(JSON.stringify(fields), () => {
      const result = bridged(fields)
      assert.ok(result.kind === 'refused', JSON.stringify(result))
      assert.equal(result.code, 'unsupported_parameter')
      assert.match(result.message.text, message)
    })
  }

  const mistakes: [fields: JsonObject, message: string][] = [
    [{ input: [] }, 'input: expected at least one message'],
    [{ input: [{ role: 'robot', content: 'x' }] }, 'input[0].role: expected one of user, assistant, system, developer'],
    [{ input: [{ ...CALL, call_id: 1 }] }, 'input[0].call_id: expected a string'],
    [{ tool_choice: 'required' }, 'tool_choice: a tool is required, but the request has none'],
  ]
  for (const [fields, message] of mistakes) {
    const worded = { text: message, kept: message, param: message.split(': ')[0] }
    test(message, () => assert.deepEqual(bridged(fields), { kind: 'invalid', message: worded }))
  }
})

test('the shape of the answer depends on the format alone', () => {
  const request = { model: 'm', input: [], stream: true, text: { format: { type: 'json_object' } } } as ResponsesRequest
  const { messages: _, ...shape } = bridge.answerShape(request)
  assert.deepEqual(shape, { model: 'm', stream: true, response_format: { type: 'json_object' } })
})
