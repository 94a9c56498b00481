import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { bridged, CALL, call, chatOf, messagesOf, RESULT, user } from '../../../test/fixtures/responses/bridged.ts'
import type { JsonObject } from '../../domain/request/call-request.ts'

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
    const searches = [{ type: 'web_search' }, { type: 'tool_search', execution: 'client' }]
    const result = bridged({ tools: [fn('a'), ...searches], tool_choice: 'auto' })
    assert.ok(result.kind === 'bridged')
    assert.deepEqual([result.ignored, result.request.tools], [['tools.web_search', 'tools.tool_search'], [chatFn('a')]])
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
