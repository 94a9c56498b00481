import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { turnsOf } from './turns.ts'

describe('a body as a conversation', () => {
  test('of chat, with tools', () => {
    const call = { id: 'c', type: 'function', function: { name: 'look', arguments: '{"q":1}' } }
    const messages = [
      { role: 'system', content: 'Be short.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What?' },
          { type: 'image_url', image_url: { url: 'x' } },
        ],
      },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c', content: 'found' },
    ]
    assert.deepEqual(turnsOf({ model: 'm', messages }), [
      { who: 'system', text: 'Be short.' },
      { who: 'user', text: 'What?\n\n(image url)' },
      { who: 'assistant', text: '→ look({"q":1})' },
      { who: 'tool', text: 'found' },
    ])
    const choices = [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }]
    assert.deepEqual(turnsOf({ choices }), [{ who: 'assistant', text: 'Hello' }])
  })

  test('of messages', () => {
    const result = { type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'found' }] }
    assert.deepEqual(turnsOf({ system: 'Be kind.', messages: [{ role: 'user', content: [result] }] }), [
      { who: 'system', text: 'Be kind.' },
      { who: 'user', text: 'found' },
    ])
    const content = [
      { type: 'thinking', thinking: 'Hm.' },
      { type: 'text', text: 'Yes' },
      { type: 'tool_use', id: 't', name: 'look', input: { q: 1 } },
    ]
    assert.deepEqual(turnsOf({ role: 'assistant', content }), [
      { who: 'assistant', text: 'Hm.\n\nYes\n\n→ look({"q":1})' },
    ])
  })

  test('of responses', () => {
    assert.deepEqual(turnsOf({ instructions: 'Be brief.', input: 'hi' }), [
      { who: 'system', text: 'Be brief.' },
      { who: 'user', text: 'hi' },
    ])
    const output = [
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello' }] },
      { type: 'function_call', name: 'look', arguments: '{}' },
    ]
    assert.deepEqual(turnsOf({ output }), [
      { who: 'assistant', text: 'Hello' },
      { who: 'assistant', text: '→ look({})' },
    ])
  })

  test('of embeddings the input; of anything else nothing', () => {
    assert.deepEqual(turnsOf({ input: ['one', 'two'] }), [
      { who: 'user', text: 'one' },
      { who: 'user', text: 'two' },
    ])
    for (const other of [null, 5, 'text', {}, { messages: 'x' }, { choices: [null] }])
      assert.deepEqual(turnsOf(other), [])
  })
})
