import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../domain/request/call-request.ts'
import type { StreamPart } from '../domain/request/stream.ts'
import { Unchunked } from './unchunked.ts'

function chunk(delta: JsonObject, index = 0): StreamPart {
  const value = { choices: [{ index, delta, finish_reason: null }] }
  return { type: 'chunk', json: JSON.stringify(value), value, contentBytes: 1, isEnd: false }
}

const call = (index: number, more: JsonObject) => chunk({ tool_calls: [{ index, ...more }] })
const END: StreamPart = { type: 'message-end', finishReason: 'stop', warning: null }

const cases: [title: string, chunks: StreamPart[], parts: StreamPart[]][] = [
  ['text', [chunk({ role: 'assistant', content: 'a' })], [{ type: 'text-delta', text: 'a' }]],
  ['nothing for a role alone', [chunk({ role: 'assistant', content: '' })], []],
  ['a refusal', [chunk({ refusal: 'no' })], [{ type: 'refusal-delta', text: 'no' }]],
  [
    'reasoning, under both names',
    [chunk({ reasoning_content: 'a' }), chunk({ reasoning: 'b' })],
    [
      { type: 'reasoning-delta', text: 'a' },
      { type: 'reasoning-delta', text: 'b' },
    ],
  ],
  [
    'reasoning before the text of the same chunk',
    [chunk({ content: 'b', reasoning_content: 'a' })],
    [
      { type: 'reasoning-delta', text: 'a' },
      { type: 'text-delta', text: 'b' },
    ],
  ],
  [
    'tool calls, each started once',
    [
      call(0, { id: 'x', function: { name: 'f', arguments: '' } }),
      call(0, { function: { arguments: '{' } }),
      call(1, { id: 'y', function: { name: 'g', arguments: '{}' } }),
      call(0, { function: { arguments: '}' } }),
    ],
    [
      { type: 'tool-call-start', index: 0, id: 'x', name: 'f' },
      { type: 'tool-input-delta', index: 0, text: '{' },
      { type: 'tool-call-start', index: 1, id: 'y', name: 'g' },
      { type: 'tool-input-delta', index: 1, text: '{}' },
      { type: 'tool-input-delta', index: 0, text: '}' },
    ],
  ],
  [
    'custom calls',
    [call(0, { id: 'x', type: 'custom', custom: { name: 'f', input: 'raw' } })],
    [
      { type: 'tool-call-start', index: 0, id: 'x', name: 'f' },
      { type: 'tool-input-delta', index: 0, text: 'raw' },
    ],
  ],
  ['no other choice than the first', [chunk({ content: 'b' }, 1)], []],
  ['what is no chunk stays', [END], [END]],
]

for (const [title, chunks, parts] of cases) {
  test(title, () => assert.deepEqual(new Unchunked().parts(chunks), parts))
}
