import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  messagesOf,
  mistakeOf,
  refusalOf,
  translate,
  USER,
  wireOf,
} from '../../../../test/fixtures/anthropic/translate.ts'
import type { JsonObject } from '../../../domain/request/call-request.ts'
import example from '../fixtures/worked-example.json' with { type: 'json' }

const text = (value: string) => ({ type: 'text', text: value })
const call = (id: string | null, name = 'wx', more: JsonObject = {}) => ({
  id,
  type: 'function',
  function: { name, arguments: '{}', ...more },
})
const calls = (...toolCalls: unknown[]) => ({ role: 'assistant', content: null, tool_calls: toolCalls })
const tool = (id: string, content: unknown = 'ok', more: JsonObject = {}) => ({
  role: 'tool',
  tool_call_id: id,
  content,
  ...more,
})
const use = (id: string, name = 'wx', input: unknown = {}) => ({ type: 'tool_use', id, name, input })
const result = (id: string, content: unknown = 'ok', more: JsonObject = {}) => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  ...more,
})
const turn = (role: string, ...content: unknown[]) => ({ role, content })

interface Block {
  type: string
  id: string
  tool_use_id: string
}

function turnsOf(...messages: JsonObject[]): { role: string; content: Block[] }[] {
  return messagesOf(...messages) as { role: string; content: Block[] }[]
}

test('a conversation with two parallel tool calls', () => {
  const translation = translate(example.request)
  assert.equal(translation.kind, 'wire')
  const body = translation.kind === 'wire' ? translation.body : {}
  const id = (body['messages'] as { content: Block[] }[])[1]?.content[1]?.id ?? ''
  assert.match(id, /^call_[a-zA-Z0-9_-]+$/)
  const expected = JSON.parse(JSON.stringify(example.body).replaceAll('call_5f1c', id))
  assert.deepEqual(body, expected)
})

describe('calls and results', () => {
  const cases: [string, JsonObject[], unknown[]][] = [
    [
      'a call becomes tool_use after the text, its result a user turn',
      [USER, { ...calls(call('a')), content: 'Let me see.' }, tool('a')],
      [USER, turn('assistant', text('Let me see.'), use('a')), turn('user', result('a'))],
    ],
    [
      'empty content beside calls leaves no text block',
      [USER, { ...calls(call('a')), content: [] }, tool('a')],
      [USER, turn('assistant', use('a')), turn('user', result('a'))],
    ],
    [
      'results stand in the order of the calls, before any text',
      [USER, calls(call('a'), call('b')), { role: 'user', content: 'hm' }, tool('b', '2'), tool('a', '1')],
      [USER, turn('assistant', use('a'), use('b')), turn('user', result('a', '1'), result('b', '2'), text('hm'))],
    ],
    [
      'calls of merged assistant messages are answered together',
      [USER, calls(call('a')), calls(call('b')), tool('a'), tool('b')],
      [USER, turn('assistant', use('a'), use('b')), turn('user', result('a'), result('b'))],
    ],
    [
      'parts of a result become blocks, blank ones dropped',
      [USER, calls(call('a')), tool('a', [text('x'), text(''), { type: 'image_url', image_url: 'https://a.b/c' }])],
      [
        USER,
        turn('assistant', use('a')),
        turn('user', result('a', [text('x'), { type: 'image', source: { type: 'url', url: 'https://a.b/c' } }])),
      ],
    ],
    [
      'an empty result stays empty',
      [USER, calls(call('a'), call('b'), call('c')), tool('a', ''), tool('b', []), tool('c', null)],
      [
        USER,
        turn('assistant', use('a'), use('b'), use('c')),
        turn('user', result('a', ''), result('b', []), result('c', '')),
      ],
    ],
    [
      'is_error and cache_control are kept',
      [USER, calls(call('a')), tool('a', 'boom', { is_error: true, cache_control: { type: 'ephemeral' } })],
      [
        USER,
        turn('assistant', use('a')),
        turn('user', result('a', 'boom', { is_error: true, cache_control: { type: 'ephemeral' } })),
      ],
    ],
    [
      'cache_control of a call is kept',
      [USER, calls({ ...call('a'), cache_control: { type: 'ephemeral' } }), tool('a')],
      [USER, turn('assistant', { ...use('a'), cache_control: { type: 'ephemeral' } }), turn('user', result('a'))],
    ],
    [
      'a legacy function call and its result share a synthetic id',
      [
        USER,
        { role: 'assistant', content: null, function_call: { name: 'wx', arguments: '{"a":1}' } },
        { role: 'function', name: 'wx', content: '4C' },
      ],
      [USER, turn('assistant', use('call_fn_1', 'wx', { a: 1 })), turn('user', result('call_fn_1', '4C'))],
    ],
    [
      'an empty user message is absorbed by results',
      [USER, calls(call('a')), { role: 'user', content: '' }, tool('a')],
      [USER, turn('assistant', use('a')), turn('user', result('a'))],
    ],
  ]
  for (const [title, messages, expected] of cases) {
    test(title, () => assert.deepEqual(messagesOf(...messages), expected))
  }
})

describe('ids', () => {
  test('an id with other characters is rewritten in call and result alike, always the same way', () => {
    const once = turnsOf(USER, calls(call('functions.wx:1')), tool('functions.wx:1'))
    const id = once[1]?.content[0]?.id ?? ''
    assert.match(id, /^call_[0-9a-f]{24}$/)
    assert.equal(once[2]?.content[0]?.tool_use_id, id)
    assert.deepEqual(turnsOf(USER, calls(call('functions.wx:1')), tool('functions.wx:1')), once)
  })

  test('empty and absent ids are distinguished by their position', () => {
    const [, assistant, user] = turnsOf(USER, calls(call(''), call(null)), tool('', '1'), tool('', '2'))
    const ids = assistant?.content.map((block) => block.id) ?? []
    assert.equal(new Set(ids).size, 2)
    assert.deepEqual(user?.content, [result(ids[0] ?? '', '1'), result(ids[1] ?? '', '2')])
  })

  test('an id that is repeated in a later turn is made unique, and stays so when the conversation grows', () => {
    const messages = [USER, calls(call('call_0')), tool('call_0', '1'), calls(call('call_0')), tool('call_0', '2')]
    const turns = turnsOf(...messages)
    assert.equal(turns[1]?.content[0]?.id, 'call_0')
    const second = turns[3]?.content[0]?.id ?? ''
    assert.notEqual(second, 'call_0')
    assert.deepEqual(turns[4]?.content, [result(second, '2')])
    assert.deepEqual(turnsOf(...messages, { role: 'assistant', content: 'done' }, USER).slice(0, 5), turns)
  })
})

describe('arguments', () => {
  const deep = `${'{"a":'.repeat(300)}1${'}'.repeat(300)}`
  const cases: [string, unknown, unknown][] = [
    ['an object is parsed', '{"a":{"b":[1,null]}}', { a: { b: [1, null] } }],
    ['the empty string is {}', '', {}],
    ['blank is {}', ' \n', {}],
    ['null is {}', null, {}],
    ['absent is {}', undefined, {}],
    ['a JSON string of an object is parsed once more', '"{\\"a\\":1}"', { a: 1 }],
    ['an object that was not encoded is taken', { a: 1 }, { a: 1 }],
    ['invalid JSON is wrapped', '{"a":', { raw_arguments: '{"a":' }],
    ['an array is wrapped', '[1]', { raw_arguments: '[1]' }],
    ['a number is wrapped', '5', { raw_arguments: '5' }],
    ['JSON null is wrapped', 'null', { raw_arguments: 'null' }],
    ['a JSON string of no object is wrapped', '"hi"', { raw_arguments: '"hi"' }],
    ['a value that is no string is wrapped', 5, { raw_arguments: '5' }],
    ['a number out of range is wrapped, for it would become null', '{"a":1e999}', { raw_arguments: '{"a":1e999}' }],
    ['nesting that could not be written again is wrapped', deep, { raw_arguments: deep }],
  ]
  for (const [title, written, expected] of cases) {
    test(title, () => {
      // As it comes off the wire: what is undefined is not there.
      const called = JSON.parse(JSON.stringify({ name: 'wx', arguments: written }))
      const [, assistant] = turnsOf(USER, calls({ id: 'a', type: 'function', function: called }), tool('a'))
      assert.deepEqual(assistant?.content, [use('a', 'wx', expected)])
    })
  }

  test('an own __proto__ key survives', () => {
    const [, assistant] = turnsOf(USER, calls(call('a', 'wx', { arguments: '{"__proto__":{"x":1}}' })), tool('a'))
    assert.match(JSON.stringify(assistant), /"input":\{"__proto__":\{"x":1\}\}/)
  })
})

describe('pairs that do not match are the caller’s mistake', () => {
  const legacy = { role: 'assistant', content: null, function_call: { name: 'wx', arguments: '' } }
  const cases: [string, JsonObject[], RegExp][] = [
    ['a result without a call', [USER, tool('a')], /^messages\[1\]\.tool_call_id: .*'a'/],
    ['a result of another call', [USER, calls(call('a')), tool('b')], /^messages\[2\]\.tool_call_id: .*'b'/],
    ['a second result', [USER, calls(call('a')), tool('a'), tool('a')], /^messages\[3\]\.tool_call_id: .*'a'/],
    [
      'a result that comes a turn too late',
      [USER, calls(call('a')), USER, { role: 'assistant', content: 'x' }, tool('a')],
      /'a'/,
    ],
    [
      'a call without result',
      [USER, calls(call('a'), call('b')), tool('a'), USER],
      /^messages\[1\]\.tool_calls\[1\]: .*'b'/,
    ],
    ['a call at the end', [USER, calls(call('a'))], /^messages\[1\]\.tool_calls\[0\]: .*'a'/],
    [
      'a function result without a call',
      [USER, { role: 'function', name: 'wx', content: 'x' }],
      /^messages\[1\]\.name: .*'wx'/,
    ],
    ['a function call without result', [USER, legacy, USER], /^messages\[1\]\.function_call: .*'wx'/],
  ]
  for (const [title, messages, pattern] of cases) {
    test(title, () => assert.match(mistakeOf({ messages }), pattern))
  }
})

describe('odd calls are named by their path', () => {
  for (const [messages, path] of [
    [[USER, calls('x')], 'messages[1].tool_calls[0]:'],
    [[USER, calls({ id: 'a', type: 'function' })], 'messages[1].tool_calls[0].function:'],
    [[USER, calls({ id: 'a', function: {} })], 'messages[1].tool_calls[0].function.name:'],
    [[USER, calls({ id: 5, function: { name: 'x' } })], 'messages[1].tool_calls[0].id:'],
    [[USER, { role: 'assistant', tool_calls: 'x' }], 'messages[1].tool_calls:'],
    [[USER, { role: 'assistant', function_call: 'x' }], 'messages[1].function_call:'],
    [[USER, calls(call('a')), { role: 'tool', content: 'x' }], 'messages[2].tool_call_id:'],
    [[USER, calls(call('a')), tool('a', 5)], 'messages[2].content:'],
    [[USER, { role: 'function', content: 'x' }], 'messages[1].name:'],
  ] as const) {
    test(path, () => assert.ok(mistakeOf({ messages }).startsWith(path), mistakeOf({ messages })))
  }

  test('a custom call is refused', () => {
    const custom = { id: 'a', type: 'custom', custom: { name: 'x', input: 'y' } }
    assert.match(refusalOf({ messages: [USER, calls(custom)] }), /^messages\[1\]\.tool_calls\[0\]\.type/)
  })
})

test('undeclared tools of the history are declared empty, and may not be called', () => {
  const messages = [
    USER,
    calls(call('a', 'wx'), call('b', 'constructor'), call('c', 'wx')),
    tool('a'),
    tool('b'),
    tool('c'),
  ]
  const body = wireOf({ messages, parallel_tool_calls: false })
  const input_schema = { type: 'object', properties: {} }
  assert.deepEqual(body['tools'], [
    { name: 'wx', input_schema },
    { name: 'constructor', input_schema },
  ])
  assert.deepEqual(body['tool_choice'], { type: 'none' })
})

describe('thinking that a turn brings back', () => {
  const thought = { type: 'thinking', thinking: 'hm', signature: 's' }
  const redacted = { type: 'redacted_thinking', data: 'd' }

  test('comes first in its message, as it was given', () => {
    const message = { ...calls(call('a')), content: 'Let me', thinking_blocks: [thought, redacted] }
    assert.deepEqual(messagesOf(USER, message, tool('a')), [
      USER,
      turn('assistant', thought, redacted, text('Let me'), use('a')),
      turn('user', result('a')),
    ])
  })

  test('takes no cache marker', () => {
    const message = { role: 'assistant', content: '', thinking_blocks: [thought], cache_control: { type: 'ephemeral' } }
    assert.deepEqual(messagesOf(USER, message, USER), [USER, turn('assistant', thought), USER])
  })

  const table: [unknown, string][] = [
    ['hm', 'messages[0].thinking_blocks: expected an array'],
    [['hm'], 'messages[0].thinking_blocks[0]: expected an object'],
    [[{ type: 'text' }], "messages[0].thinking_blocks[0].type: 'text' is not a kind of thinking"],
    [[{ type: 'thinking', thinking: 'x' }], 'messages[0].thinking_blocks[0].signature: expected a string'],
    [[{ type: 'redacted_thinking' }], 'messages[0].thinking_blocks[0].data: expected a string'],
  ]
  for (const [blocks, expected] of table) {
    test(expected, () => {
      const messages = [{ role: 'assistant', content: 'a', thinking_blocks: blocks }]
      assert.equal(mistakeOf({ messages }), expected)
    })
  }
})
