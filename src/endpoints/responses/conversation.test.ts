import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  CALL,
  call,
  chatOf,
  ignoredOf,
  messagesOf,
  PNG,
  RESULT,
  sealed,
  THOUGHT,
  user,
} from '../../../test/fixtures/responses/bridged.ts'

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
