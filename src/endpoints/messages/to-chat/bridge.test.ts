import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { JsonObject } from '../../../domain/request/call-request.ts'
import type { MessagesRequest } from '../../../domain/request/messages.ts'
import { chatName } from '../tool-names.ts'
import { bridge } from './bridge.ts'

const USER = { role: 'user', content: 'Hi' }
const LONG = `mcp__${'long'.repeat(30)}`

function toChat(fields: JsonObject) {
  const request = { model: 'fast', max_tokens: 9, messages: [USER], ...fields } as unknown as MessagesRequest
  const before = JSON.stringify(request)
  const bridged = bridge.toHub(request, { model: 'x' })
  assert.equal(JSON.stringify(request), before, 'the request was changed')
  return bridged
}

function chatOf(fields: JsonObject): JsonObject {
  const bridged = toChat(fields)
  assert.ok(bridged.kind === 'bridged', JSON.stringify(bridged))
  return bridged.request
}

/** Without the fields that every request has. */
function fieldsOf(fields: JsonObject): JsonObject {
  const { model: _model, messages: _messages, max_completion_tokens: _limit, ...rest } = chatOf(fields)
  return rest
}

const messagesOf = (...messages: JsonObject[]) => chatOf({ messages })['messages']
const text = (value: string) => ({ type: 'text', text: value })
const use = (id: string, name = 'f', input: unknown = { a: 1 }) => ({ type: 'tool_use', id, name, input })
const result = (id: string, content?: unknown, more: JsonObject = {}) => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  ...more,
})
const assistant = (...content: unknown[]) => ({ role: 'assistant', content })
const user = (...content: unknown[]) => ({ role: 'user', content })
const call = (id: string, name = 'f', written = '{"a":1}') => ({
  id,
  type: 'function',
  function: { name, arguments: written },
})
const PNG = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } }
const PNG_PART = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }
const ATTACHED = '[The content that is not text follows in the next message.]'

test('the least request', () => {
  assert.deepEqual(chatOf({}), { model: 'fast', messages: [USER], max_completion_tokens: 9 })
})

describe('messages', () => {
  const table: [what: string, given: JsonObject[], expected: JsonObject[]][] = [
    ['one text block is a string', [user(text('a'))], [{ role: 'user', content: 'a' }]],
    ['several are parts', [user(text('a'), PNG)], [{ role: 'user', content: [text('a'), PNG_PART] }]],
    [
      'an image by address',
      [user({ type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } })],
      [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }] }],
    ],
    [
      'a document, as a file or as text',
      [
        user(
          { type: 'document', title: 'a.pdf', source: { type: 'base64', media_type: 'application/pdf', data: 'AA==' } },
          { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'b' } },
        ),
      ],
      [
        {
          role: 'user',
          content: [
            { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' } },
            text('b'),
          ],
        },
      ],
    ],
    [
      'thinking is dropped, calls and their results are kept',
      [
        USER,
        assistant(
          { type: 'thinking', thinking: 'hm', signature: 's' },
          text('Let '),
          text('me'),
          use('t1'),
          use('t2', LONG, {}),
        ),
        user(text('and?'), result('t2', 'two'), result('t1', [text('one'), PNG], { is_error: true })),
      ],
      [
        USER,
        { role: 'assistant', content: 'Let me', tool_calls: [call('t1'), call('t2', chatName(LONG), '{}')] },
        { role: 'tool', tool_call_id: 't2', content: 'two' },
        { role: 'tool', tool_call_id: 't1', content: `one\n${ATTACHED}`, is_error: true },
        { role: 'user', content: [PNG_PART, text('and?')] },
      ],
    ],
    [
      'a result alone has no message of the user behind it',
      [USER, assistant(use('t1')), user(result('t1'))],
      [
        USER,
        { role: 'assistant', content: null, tool_calls: [call('t1')] },
        { role: 'tool', tool_call_id: 't1', content: '' },
      ],
    ],
    [
      'a system message stays in its place',
      [USER, { role: 'system', content: [text('s')] }],
      [USER, { role: 'system', content: 's' }],
    ],
  ]
  for (const [what, given, expected] of table) test(what, () => assert.deepEqual(messagesOf(...given), expected))

  test('an id that chat does not take is shortened in the same way at both ends', () => {
    const id = 'x'.repeat(50)
    const [, called, answered] = messagesOf(USER, assistant(use(id)), user(result(id, 'a'))) as [
      unknown,
      { tool_calls: [{ id: string }] },
      { tool_call_id: string },
    ]
    assert.match(called.tool_calls[0].id, /^call_[0-9a-f]{24}$/)
    assert.equal(answered.tool_call_id, called.tool_calls[0].id)
  })
})

describe('fields', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false }
  const loose = { type: 'object', properties: { a: { type: 'string' } } }
  const format = (given: JsonObject, strict: boolean) => ({
    response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: given, strict } },
  })
  const tool = { name: 'f', description: 'd', input_schema: loose }
  const asFunction = { type: 'function', function: { name: 'f', description: 'd', parameters: loose } }
  const table: [what: string, given: JsonObject, expected: JsonObject][] = [
    [
      'sampling and stream',
      { temperature: 0.5, top_p: 0.9, stream: true },
      { temperature: 0.5, top_p: 0.9, stream: true },
    ],
    ['stop words', { stop_sequences: ['a', 'b'] }, { stop: ['a', 'b'] }],
    ['the user', { metadata: { user_id: 'u' } }, { user: 'u' }],
    ['a small budget', { thinking: { type: 'enabled', budget_tokens: 3999 } }, { reasoning_effort: 'low' }],
    ['a middle one', { thinking: { type: 'enabled', budget_tokens: 4000 } }, { reasoning_effort: 'medium' }],
    ['a large one', { thinking: { type: 'enabled', budget_tokens: 16000 } }, { reasoning_effort: 'high' }],
    [
      'no thinking',
      { thinking: { type: 'disabled' }, output_config: { effort: 'high' } },
      { reasoning_effort: 'none' },
    ],
    ['adaptive thinking', { thinking: { type: 'adaptive' } }, {}],
    [
      'an effort',
      { thinking: { type: 'enabled', budget_tokens: 1 }, output_config: { effort: 'max' } },
      { reasoning_effort: 'xhigh' },
    ],
    ['a schema', { output_config: { format: { type: 'json_schema', schema } } }, format(schema, true)],
    [
      'a schema that chat cannot enforce',
      { output_format: { type: 'json_schema', schema: loose } },
      format(loose, false),
    ],
    ['tools', { tools: [tool], tool_choice: { type: 'auto' } }, { tools: [asFunction], tool_choice: 'auto' }],
    [
      'any tool, one at a time',
      { tools: [tool], tool_choice: { type: 'any', disable_parallel_tool_use: true } },
      { tools: [asFunction], tool_choice: 'required', parallel_tool_calls: false },
    ],
    [
      'this tool',
      { tools: [tool], tool_choice: { type: 'tool', name: 'f' } },
      { tools: [asFunction], tool_choice: { type: 'function', function: { name: 'f' } } },
    ],
    [
      'a strict tool',
      { tools: [{ ...tool, type: 'custom', strict: true }] },
      { tools: [{ type: 'function', function: { ...asFunction.function, strict: true } }] },
    ],
    ['a choice without tools', { tool_choice: { type: 'auto' } }, {}],
  ]
  for (const [what, given, expected] of table) test(what, () => assert.deepEqual(fieldsOf(given), expected))

  test('a long user id is hashed', () => {
    assert.match(String(fieldsOf({ metadata: { user_id: 'x'.repeat(65) } })['user']), /^[0-9a-f]{64}$/)
  })

  test('the system comes first, without the block that says whom to bill', () => {
    const system = [
      text('x-vendor-billing-header: cc=1'),
      text('a'),
      { ...text('b'), cache_control: { type: 'ephemeral' } },
    ]
    assert.deepEqual(chatOf({ system })['messages'], [{ role: 'system', content: 'a\nb' }, USER])
    assert.deepEqual(chatOf({ system: 's' })['messages'], [{ role: 'system', content: 's' }, USER])
  })
})

test('hints are dropped and named', () => {
  const bridged = toChat({
    top_k: 5,
    service_tier: 'standard_only',
    context_management: {},
    output_config: { task_budget: {} },
    system: [{ ...text('a'), cache_control: { type: 'ephemeral' } }],
    tools: [{ type: 'web_search_20250305', name: 'web_search' }],
    newer: 1,
  })
  assert.ok(bridged.kind === 'bridged')
  assert.deepEqual(
    new Set(bridged.ignored),
    new Set([
      'top_k',
      'service_tier',
      'context_management',
      'output_config.task_budget',
      'cache_control',
      'tools.web_search',
      'newer',
    ]),
  )
  assert.equal(bridged.request.tools, undefined)
})

describe('what chat cannot express is refused by name', () => {
  const here = 'is not supported by this provider'
  const table: [given: JsonObject, message: string][] = [
    [
      { tools: [{ type: 'bash_20250124', name: 'bash' }] },
      "tools[0].type: 'bash_20250124' tools are not supported by this provider",
    ],
    [
      { tools: [{ type: 'web_search_1', name: 'w' }], tool_choice: { type: 'tool', name: 'w' } },
      `tool_choice.name: 'w' ${here}`,
    ],
    [
      { tools: [{ type: 'web_search_1', name: 'w' }], tool_choice: { type: 'any' } },
      `tool_choice: the web search ${here}`,
    ],
    [{ stop_sequences: ['1', '2', '3', '4', '5'] }, 'stop_sequences: more than 4 are not supported by this provider'],
    [{ inference_geo: 'us' }, `inference_geo: 'us' ${here}`],
    [{ container: 'c' }, 'container: this field is not supported by this provider'],
    [{ mcp_servers: [{}] }, 'mcp_servers: this field is not supported by this provider'],
    [{ thread: { type: 'create' } }, 'thread: this provider does not hold conversations. Send the whole conversation.'],
    [
      { messages: [user({ type: 'image', source: { type: 'file', file_id: 'f' } })] },
      `messages[0].content[0].source.type: 'file' ${here}`,
    ],
    [{ messages: [user({ type: 'container_upload' })] }, `messages[0].content[0].type: 'container_upload' ${here}`],
    [
      { messages: [USER, assistant({ type: 'server_tool_use' }), USER] },
      `messages[1].content[0].type: 'server_tool_use' ${here}`,
    ],
    [
      { messages: [USER, { role: 'assistant', content: 'It' }] },
      'messages[1]: the beginning of an answer is not supported by this provider',
    ],
  ]
  for (const [given, message] of table) {
    test(message, () => {
      const refused = toChat(given)
      assert.ok(refused.kind === 'refused')
      assert.deepEqual([refused.code, refused.message.text], ['unsupported_parameter', message])
    })
  }
})

describe("the caller's mistakes are named", () => {
  const table: [given: JsonObject, message: string][] = [
    [
      { messages: [user(result('t1'))] },
      "messages[0]: a tool_result has the tool_use_id 't1', but no open tool_use before it has this id",
    ],
    [
      { messages: [USER, assistant(use('t1')), USER] },
      "messages[2]: expected a tool_result for each tool_use before it; 't1' has none",
    ],
    [
      { messages: [USER, assistant(use('t1'))] },
      "messages[1]: expected a tool_result for each tool_use before it; 't1' has none",
    ],
    [
      { messages: [USER, assistant(use('t1'), use('t1')), USER] },
      "messages[1].content[1].id: two calls have the id 't1'",
    ],
    [{ messages: [{ role: 'robot', content: 'a' }] }, "messages[0].role: 'robot' is not a role"],
    [{ tools: [{ name: 'f' }] }, 'tools[0].input_schema: expected a JSON schema'],
    [
      {
        tools: [
          { name: 'f', input_schema: {} },
          { name: 'f', input_schema: {} },
        ],
      },
      "tools[1].name: two tools have the name 'f'",
    ],
    [
      { tools: [{ name: 'f', input_schema: {} }], tool_choice: { type: 'tool', name: 'g' } },
      "tool_choice.name: no tool has the name 'g'",
    ],
    [{ output_config: { format: { type: 'json_schema' } } }, 'output_config.format.schema: expected an object'],
  ]
  for (const [given, message] of table) {
    test(message, () => {
      const invalid = toChat(given)
      assert.ok(invalid.kind === 'invalid')
      assert.equal(invalid.message.text, message)
    })
  }
})

test('an outline is enough to read the answer', () => {
  assert.deepEqual(bridge.answerShape({ model: 'fast' } as MessagesRequest), { model: 'fast', messages: [] })
})

test('names that chat takes stay, others are shortened, each to its own', () => {
  assert.equal(chatName('mcp__a-b'), 'mcp__a-b')
  for (const name of [LONG, 'a b', 'a.b', 'é']) assert.match(chatName(name), /^[a-zA-Z0-9_-]{1,64}$/)
  assert.notEqual(chatName(`${LONG}1`), chatName(`${LONG}2`))
  assert.notEqual(chatName('a b'), chatName('a.b'))
})

test('markers of what to cache stay where they mean something', () => {
  const marker = { cache_control: { type: 'ephemeral', ttl: '1h' } }
  const request = {
    model: 'fast',
    max_tokens: 9,
    system: [text('a'), { ...text('b'), ...marker }, text('c')],
    messages: [
      user(text('one'), { ...text('two'), ...marker }),
      assistant(text('I look.'), { ...use('t1'), ...marker }),
      user({ ...result('t1', 'found'), ...marker }),
      user({ ...text('alone'), ...marker }),
    ],
  } as unknown as MessagesRequest
  const kept = bridge.toHub(request, { model: 'x', takesMarkers: true })
  assert.ok(kept.kind === 'bridged')
  assert.deepEqual(kept.ignored, [])
  assert.deepEqual(kept.request.messages, [
    { role: 'system', content: [text('a'), { ...text('b'), ...marker }, text('c')] },
    { role: 'user', content: [text('one'), { ...text('two'), ...marker }] },
    { role: 'assistant', content: 'I look.', ...marker, tool_calls: [call('t1')] },
    { role: 'tool', tool_call_id: 't1', content: 'found', ...marker },
    { role: 'user', content: [{ ...text('alone'), ...marker }] },
  ])
  const dropped = bridge.toHub(request, { model: 'x' })
  assert.ok(dropped.kind === 'bridged')
  assert.deepEqual(dropped.ignored, ['cache_control'])
  assert.ok(!JSON.stringify(dropped.request).includes('cache_control'))
})
