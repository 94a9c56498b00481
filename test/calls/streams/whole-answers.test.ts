import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { familyNamed } from '../../../src/bodies/destination.ts'
import { NO_USAGE } from '../../../src/domain/pricing/usage.ts'
import type { JsonObject } from '../../../src/domain/request/call-request.ts'
import type { ChatRequest } from '../../../src/domain/request/chat.ts'
import { contentBytes } from '../../../src/domain/request/stream.ts'
import { chatCompletions } from '../../../src/endpoints/chat-completions/chat-completions.ts'
import { framesOf, GATEWAY, STAMP } from './translate-stream.ts'

const REQUEST = { model: 'fast', messages: [], stream: true } as unknown as ChatRequest

function framed(family: string, body: JsonObject) {
  const translator = familyNamed(family).translators.chat
  const reading = translator?.fromWire(body, REQUEST)
  assert.ok(reading?.kind === 'answer')
  const parts = translator?.stream?.partsOf(reading.answer, REQUEST) ?? []
  const writer = chatCompletions.stream?.open(REQUEST, STAMP)
  const live = parts.map((part) => writer?.write(part)).join('')
  return {
    parts,
    live: framesOf(live),
    end: framesOf(writer?.end({ usage: null, tokens: NO_USAGE, gateway: GATEWAY }) ?? ''),
  }
}

const frame = (created: number, choice: JsonObject, more: JsonObject = {}) => ({
  id: STAMP.id,
  object: 'chat.completion.chunk',
  created,
  model: STAMP.model,
  choices: [choice],
  ...more,
})
const finish = (index: number, reason: string) => ({ index, delta: {}, finish_reason: reason })

/** Peer bug 31, semantic-router#913: a substitute for a stream must be a valid one. */
describe('a server that ignores stream: its whole answer becomes a stream', () => {
  test('of the same format, with calls and two choices', () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'wx', arguments: '{}' } }
    const { parts, live, end } = framed('openai', {
      id: 'x',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [
        { index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' },
        { index: 1, message: { role: 'assistant', content: null, tool_calls: [call] }, finish_reason: 'tool_calls' },
      ],
      usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
    })
    assert.deepEqual(live, [
      frame(1, { index: 0, delta: { role: 'assistant', content: 'Hi' }, finish_reason: null }),
      frame(1, {
        index: 1,
        delta: { role: 'assistant', content: null, tool_calls: [{ index: 0, ...call }] },
        finish_reason: null,
      }),
    ])
    assert.deepEqual(end, [
      frame(1, finish(0, 'stop')),
      frame(1, finish(1, 'tool_calls'), { x_gateway: GATEWAY }),
      '[DONE]',
    ])
    assert.deepEqual(parts.map(contentBytes), [2, 4, 0, 0, 0])
  })

  test('of another', () => {
    const { live, end, parts } = framed('anthropic', {
      type: 'message',
      content: [{ type: 'text', text: 'Hi' }],
      stop_reason: 'max_tokens',
      usage: { input_tokens: 1, output_tokens: 2 },
    })
    const said = { index: 0, delta: { role: 'assistant', content: 'Hi' }, finish_reason: null }
    assert.deepEqual(live, [frame(STAMP.created, said)])
    assert.deepEqual(end, [frame(STAMP.created, finish(0, 'length'), { x_gateway: GATEWAY }), '[DONE]'])
    assert.deepEqual(parts.at(-1), { type: 'message-end', finishReason: 'length', warning: null })
  })
})
