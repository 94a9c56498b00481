import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { JsonObject } from '../../domain/request/call-request.ts'
import { markAutomatically, markBlocks } from './mark-prompt.ts'

const M = { cache_control: { type: 'ephemeral' } }
const USER = { role: 'user', content: 'Hi' }

describe('a prompt that marks nothing', () => {
  const table: [what: string, body: JsonObject, marked: JsonObject | null][] = [
    ['a text', { messages: [USER] }, { messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi', ...M }] }] }],
    [
      'system and tools, too',
      { system: 'S', tools: [{ name: 'a' }, { name: 'b' }], messages: [] },
      { system: [{ type: 'text', text: 'S', ...M }], tools: [{ name: 'a' }, { name: 'b', ...M }], messages: [] },
    ],
    [
      'a tool that is loaded later may have none',
      { tools: [{ name: 'a' }, { name: 'b', defer_loading: true }] },
      {
        tools: [
          { name: 'a', ...M },
          { name: 'b', defer_loading: true },
        ],
      },
    ],
    [
      'the last turn of the user, not a prefilled answer',
      { messages: [USER, { role: 'assistant', content: 'So' }] },
      {
        messages: [
          { role: 'user', content: [{ type: 'text', text: 'Hi', ...M }] },
          { role: 'assistant', content: 'So' },
        ],
      },
    ],
    [
      'a result of a tool',
      { messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'x' }] }] },
      { messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'x', ...M }] }] },
    ],
    ['an empty text may have none', { messages: [{ role: 'user', content: '' }], system: '' }, null],
    ['nothing to mark', { messages: 1, tools: null, system: 7 }, null],
  ]
  for (const [what, body, marked] of table) {
    test(what, () => assert.deepEqual(markBlocks(body)?.body ?? null, marked))
  }

  test('at the vendor itself one field stands for all', () => {
    assert.deepEqual(markAutomatically({ messages: [USER] })?.body, { messages: [USER], ...M })
  })
})

describe('a prompt with a marker anywhere is left alone', () => {
  const bodies: JsonObject[] = [
    { ...M, messages: [USER] },
    { system: [{ type: 'text', text: 'S', ...M }], messages: [USER] },
    { tools: [{ name: 'a', ...M }, { name: 'b' }], messages: [USER] },
    { messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi', ...M }] }, USER] },
    {
      messages: [
        { role: 'user', content: [{ type: 'tool_result', content: [{ type: 'text', text: 'x', ...M }] }] },
        USER,
      ],
    },
  ]
  for (const body of bodies) {
    test(JSON.stringify(body), () => {
      assert.equal(markBlocks(body), null)
      assert.equal(markAutomatically(body), null)
    })
  }
})
