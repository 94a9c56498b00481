import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { JsonObject } from '../../domain/request/call-request.ts'
import type { ResponsesRequest } from '../../domain/request/responses.ts'
import { sealReasoning } from './sealed-reasoning.ts'
import { bridge, toChat } from './to-chat.ts'

const SEALING = { keys: [new Uint8Array(32).fill(7)], binding: 'a/m' }
const THOUGHT = { type: 'thinking', thinking: 'hm', signature: 's' } as const
const sealed = sealReasoning(THOUGHT, SEALING)

function bridged(fields: JsonObject) {
  return toChat({ model: 'm', input: 'hi', ...fields } as ResponsesRequest, { sealing: SEALING })
}

function chatOf(fields: JsonObject): JsonObject {
  const result = bridged(fields)
  assert.ok(result.kind === 'chat', JSON.stringify(result))
  return result.request
}

const messagesOf = (...input: unknown[]) => chatOf({ input })['messages']
const ignoredOf = (fields: JsonObject) => {
  const result = bridged(fields)
  return result.kind === 'chat' ? result.ignored : result
}
const user = (content: unknown) => ({ role: 'user', content })
const call = (id: string, name: string, args: string) => ({
  ...{ id, type: 'function' },
  function: { name, arguments: args },
})
const CALL = { type: 'function_call', id: 'fc_1', call_id: 'a', name: 'wx', arguments: '{"x":1}' }
const RESULT = { type: 'function_call_output', call_id: 'a', output: 'cold' }
const PNG = 'data:image/png;base64,AAAA'

describe('items become messages', () => {
  const table: [what: string, input: unknown[], messages: unknown[]][] = [
    ['a message', [{ role: 'user', content: 'hi' }], [user('hi')]],
    ['a typed one', [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] }], [user('hi')]],
    [
      'text, images and files',
      [
        user([
          { type: 'input_text', text: 'see' },
          { type: 'input_image', image_url: PNG, detail: 'low' },
          { type: 'input_image', image_url: PNG, detail: 'original' },
          { type: 'input_file', file_data: 'data:text/plain;base64,AA', filename: 'a.txt' },
        ]),
      ],
      [
        user([
          { type: 'text', text: 'see' },
          { type: 'image_url', image_url: { url: PNG, detail: 'low' } },
          { type: 'image_url', image_url: { url: PNG } },
          { type: 'file', file: { file_data: 'data:text/plain;base64,AA', filename: 'a.txt' } },
        ]),
      ],
    ],
    [
      'system and developer, joined',
      [
        { role: 'system', content: 'a' },
        { role: 'developer', content: [{ type: 'input_text', text: 'b' }] },
        user('c'),
      ],
      [{ role: 'system', content: 'a\n\nb' }, user('c')],
    ],
    [
      'calls next to each other are one message',
      [user('?'), CALL, { ...CALL, call_id: 'b', name: 'now', arguments: '' }, RESULT, { ...RESULT, call_id: 'b' }],
      [
        user('?'),
        { role: 'assistant', content: null, tool_calls: [call('a', 'wx', '{"x":1}'), call('b', 'now', '')] },
        { role: 'tool', tool_call_id: 'a', content: 'cold' },
        { role: 'tool', tool_call_id: 'b', content: 'cold' },
      ],
    ],
    [
      'what a model said and called belongs together',
      [
        user('?'),
        { type: 'message', role: 'assistant', phase: 'commentary', content: [{ type: 'output_text', text: 'Let me' }] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'look.' }] },
        CALL,
        RESULT,
      ],
      [
        user('?'),
        { role: 'assistant', content: 'Let me\n\nlook.', tool_calls: [call('a', 'wx', '{"x":1}')] },
        { role: 'tool', tool_call_id: 'a', content: 'cold' },
      ],
    ],
    [
      'a refusal',
      [user('?'), { role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }] }, user('!')],
      [user('?'), { role: 'assistant', content: null, refusal: 'no' }, user('!')],
    ],
    [
      'custom calls are wrapped',
      [
        user('?'),
        { type: 'custom_tool_call', call_id: 'a', name: 'patch', input: '*** "x"\n' },
        { ...RESULT, type: 'custom_tool_call_output' },
      ],
      [
        user('?'),
        { role: 'assistant', content: null, tool_calls: [call('a', 'patch', '{"input":"*** \\"x\\"\\n"}')] },
        { role: 'tool', tool_call_id: 'a', content: 'cold' },
      ],
    ],
    [
      'images of results follow all results',
      [
        user('?'),
        CALL,
        { ...CALL, call_id: 'b' },
        {
          ...RESULT,
          output: [
            { type: 'input_text', text: 'seen' },
            { type: 'input_image', image_url: PNG },
          ],
        },
        { ...RESULT, call_id: 'b', output: [{ type: 'input_image', image_url: PNG }] },
        user('!'),
      ],
      [
        user('?'),
        { role: 'assistant', content: null, tool_calls: [call('a', 'wx', '{"x":1}'), call('b', 'wx', '{"x":1}')] },
        { role: 'tool', tool_call_id: 'a', content: 'seen' },
        { role: 'tool', tool_call_id: 'b', content: 'The result follows as a message of the user.' },
        user([
          { type: 'image_url', image_url: { url: PNG } },
          { type: 'image_url', image_url: { url: PNG } },
        ]),
        user('!'),
      ],
    ],
    [
      'a call in a namespace',
      [user('?'), { ...CALL, namespace: 'mcp' }, RESULT],
      [
        user('?'),
        { role: 'assistant', content: null, tool_calls: [call('a', 'mcp__wx', '{"x":1}')] },
        { role: 'tool', tool_call_id: 'a', content: 'cold' },
      ],
    ],
    [
      'reasoning of ours comes back',
      [user('?'), { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: sealed }, CALL, RESULT],
      [
        user('?'),
        { role: 'assistant', content: null, tool_calls: [call('a', 'wx', '{"x":1}')], thinking_blocks: [THOUGHT] },
        { role: 'tool', tool_call_id: 'a', content: 'cold' },
      ],
    ],
    [
      'other reasoning makes no message',
      [user('?'), { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAA' }, user('!')],
      [user('?'), user('!')],
    ],
  ]
  for (const [what, input, messages] of table) test(what, () => assert.deepEqual(messagesOf(...input), messages))

  test('instructions come first', () => {
    assert.deepEqual(chatOf({ instructions: 'be brief' })['messages'], [
      { role: 'system', content: 'be brief' },
      user('hi'),
    ])
  })

  test('reasoning that is dropped is reported', () => {
    const foreign = { type: 'reasoning', summary: [], encrypted_content: 'gAAAA' }
    assert.deepEqual(ignoredOf({ input: [user('?'), foreign, { type: 'reasoning', summary: [] }] }), [
      'input.reasoning',
    ])
  })
})

describe('tools', () => {
  const PARAMETERS = { type: 'object', properties: {} }
  const fn = (name: string, more: object = {}) => ({ type: 'function', name, parameters: PARAMETERS, ...more })
  const chatFn = (name: string, more: object = {}) => ({
    type: 'function',
    function: { name, parameters: PARAMETERS, ...more },
  })
  const WRAPPED = {
    type: 'object',
    properties: { input: { type: 'string', description: 'The whole input of the tool, as text.' } },
    required: ['input'],
    additionalProperties: false,
  }

  test('functions, custom tools and namespaces', () => {
    const grammar = { type: 'grammar', syntax: 'lark', definition: 'start: "x"' }
    const tools = [
      fn('a', { description: 'd', strict: true }),
      fn('b', { strict: null, description: null }),
      { type: 'custom', name: 'patch', description: 'edits', format: grammar },
      { type: 'namespace', name: 'mcp', description: 'more', tools: [fn('c'), { type: 'custom', name: 'd' }] },
    ]
    assert.deepEqual(chatOf({ tools, parallel_tool_calls: false, tool_choice: 'auto' })['tools'], [
      chatFn('a', { description: 'd', strict: true }),
      chatFn('b'),
      {
        type: 'function',
        function: {
          name: 'patch',
          description: 'edits\n\nThe input follows this grammar:\nstart: "x"',
          parameters: WRAPPED,
        },
      },
      chatFn('mcp__c'),
      { type: 'function', function: { name: 'mcp__d', parameters: WRAPPED } },
    ])
  })

  test('those that come as an item', () => {
    const input = [user('hi'), { type: 'additional_tools', role: 'developer', tools: [fn('late')] }]
    assert.deepEqual(chatOf({ input, tools: [fn('a')] })['tools'], [chatFn('a'), chatFn('late')])
  })

  test('a search that nobody insists on is a hint', () => {
    const result = bridged({ tools: [fn('a'), { type: 'web_search' }], tool_choice: 'auto' })
    assert.ok(result.kind === 'chat')
    assert.deepEqual([result.ignored, result.request.tools], [['tools.web_search'], [chatFn('a')]])
    const alone = chatOf({ tools: [{ type: 'web_search' }], tool_choice: 'auto', parallel_tool_calls: true })
    assert.deepEqual(Object.keys(alone), ['model', 'messages'])
  })

  test('a name that would be too long stays the same in every turn', () => {
    const namespace = { type: 'namespace', name: 'n'.repeat(50), tools: [fn('x'.repeat(30)), fn('y'.repeat(30))] }
    const names = (chatOf({ tools: [namespace] })['tools'] as JsonObject[]).map(
      (tool) => (tool['function'] as JsonObject)['name'],
    )
    assert.deepEqual(
      names.map((name) => String(name).length),
      [64, 64],
    )
    assert.equal(new Set(names).size, 2)
    const called = { ...CALL, namespace: 'n'.repeat(50), name: 'x'.repeat(30) }
    const turn = { role: 'assistant', content: null, tool_calls: [call('a', String(names[0]), '{"x":1}')] }
    const result = { role: 'tool', tool_call_id: 'a', content: 'cold' }
    assert.deepEqual(messagesOf(user('?'), called, RESULT), [user('?'), turn, result])
  })

  const choices: [choice: unknown, chat: unknown][] = [
    ['auto', 'auto'],
    ['none', 'none'],
    ['required', 'required'],
    [
      { type: 'function', name: 'a' },
      { type: 'function', function: { name: 'a' } },
    ],
    [
      { type: 'custom', name: 'a' },
      { type: 'function', function: { name: 'a' } },
    ],
  ]
  for (const [choice, chat] of choices) {
    test(`choice ${JSON.stringify(choice)}`, () => {
      assert.deepEqual(chatOf({ tools: [fn('a')], tool_choice: choice })['tool_choice'], chat)
    })
  }

  test('of allowed tools only those are sent', () => {
    const allowed = { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'b' }] }
    const { tools, tool_choice } = chatOf({ tools: [fn('a'), fn('b')], tool_choice: allowed })
    assert.deepEqual([tools, tool_choice], [[chatFn('b')], 'required'])
  })
})

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
    [
      { metadata: {}, client_metadata: {}, prompt_cache_key: 'k' },
      {},
      ['metadata', 'client_metadata', 'prompt_cache_key'],
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
    [{ text: { format: { type: 'xml' } } }, /^text\.format\.type: 'xml'/],
  ]
  for (const [fields, message] of table) {
    test(JSON.stringify(fields), () => {
      const result = bridged(fields)
      assert.ok(result.kind === 'refused', JSON.stringify(result))
      assert.equal(result.code, 'unsupported_parameter')
      assert.match(result.message, message)
    })
  }

  const mistakes: [fields: JsonObject, message: string][] = [
    [{ input: [] }, 'input: expected at least one message'],
    [{ input: [{ role: 'robot', content: 'x' }] }, 'input[0].role: expected one of user, assistant, system, developer'],
    [{ input: [{ ...CALL, call_id: 1 }] }, 'input[0].call_id: expected a string'],
    [{ tool_choice: 'required' }, 'tool_choice: a tool is required, but the request has none'],
  ]
  for (const [fields, message] of mistakes) {
    test(message, () => assert.deepEqual(bridged(fields), { kind: 'invalid', message }))
  }
})

test('the shape of the answer depends on the format alone', () => {
  const request = { model: 'm', input: [], stream: true, text: { format: { type: 'json_object' } } } as ResponsesRequest
  const { messages: _, ...shape } = bridge.answerShape(request)
  assert.deepEqual(shape, { model: 'm', stream: true, response_format: { type: 'json_object' } })
})
