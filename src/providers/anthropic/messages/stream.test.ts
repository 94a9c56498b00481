import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { JsonObject } from '../../../domain/request/call-request.ts'
import type { StreamPart } from '../../../domain/request/stream.ts'
import { ServerSentEvents } from '../../../upstream/server-sent-events.ts'
import { partsOf } from './as-events.ts'
import { fromWire } from './response.ts'
import { NativeStream } from './stream.ts'

const start = { type: 'message_start', message: { id: 'm', model: 'x', usage: { input_tokens: 7, output_tokens: 1 } } }
const open = (index: number, block: JsonObject) => ({ type: 'content_block_start', index, content_block: block })
const delta = (index: number, value: JsonObject) => ({ type: 'content_block_delta', index, delta: value })
const close = (index: number) => ({ type: 'content_block_stop', index })
const stopping = (reason: string, usage: JsonObject = { output_tokens: 9 }) => ({
  type: 'message_delta',
  delta: { stop_reason: reason, stop_sequence: null },
  usage,
})
const STOP = { type: 'message_stop' }
const TEXT = { type: 'text', text: '' }
const HELLO = [start, open(0, TEXT), delta(0, { type: 'text_delta', text: 'Hé' }), close(0)]
const WHOLE = [...HELLO, stopping('end_turn'), STOP]

function bodyOf(events: readonly (JsonObject | string)[]): Buffer {
  const lines = events.map((event) => {
    return typeof event === 'string' ? `${event}\n\n` : `event: ${event['type']}\ndata: ${JSON.stringify(event)}\n\n`
  })
  return Buffer.from(lines.join(''))
}

function read(events: readonly (JsonObject | string)[], pieceBytes = 1e9) {
  const reader = new NativeStream()
  const body = new ServerSentEvents()
  const bytes = bodyOf(events)
  const parts: StreamPart[] = []
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    for (const event of body.read(bytes.subarray(at, at + pieceBytes))) parts.push(...reader.read(event))
  }
  for (const event of body.end()) parts.push(...reader.read(event))
  parts.push(...reader.end())
  return { parts, reader }
}

const chunksOf = (parts: readonly StreamPart[]) => parts.filter((part) => part.type === 'chunk')

describe("a provider's events", () => {
  test('pass as they are; pings are swallowed; the end is marked', () => {
    const { parts, reader } = read([
      ...HELLO.slice(0, 2),
      { type: 'ping' },
      ...HELLO.slice(2),
      stopping('end_turn'),
      STOP,
    ])
    assert.deepEqual(
      chunksOf(parts).map(({ value }) => value),
      WHOLE,
    )
    assert.deepEqual(
      chunksOf(parts).map(({ json }) => json),
      WHOLE.map((event) => JSON.stringify(event)),
    )
    assert.deepEqual(
      chunksOf(parts).map(({ isEnd }) => isEnd),
      [false, false, false, false, true, true],
    )
    assert.deepEqual(
      chunksOf(parts).map(({ contentBytes }) => contentBytes),
      [0, 0, 3, 0, 0, 0],
    )
    assert.deepEqual(parts.at(-1), { type: 'message-end', finishReason: 'stop', warning: null })
    const { tokens, isFinal } = reader.usage ?? {}
    assert.deepEqual([tokens?.input, tokens?.output, isFinal], [7, 9, true])
  })

  test('are the same byte by byte and in one piece', () => {
    for (const pieceBytes of [1, 7]) assert.deepEqual(read(WHOLE, pieceBytes).parts, read(WHOLE).parts)
  })

  const contents: [what: string, event: JsonObject, bytes: number][] = [
    ['thinking', delta(0, { type: 'thinking_delta', thinking: 'hmm' }), 3],
    ['input of a tool', delta(0, { type: 'input_json_delta', partial_json: '{"a"' }), 4],
    ['a call', open(0, { type: 'tool_use', id: 't', name: 'fn', input: {} }), 2],
    [
      "a call of the provider's own tool",
      open(0, { type: 'server_tool_use', id: 't', name: 'web', input: { q: 1 } }),
      10,
    ],
    ['its result', open(0, { type: 'web_search_tool_result', content: [{ title: 'long' }] }), 0],
    ['a signature', delta(0, { type: 'signature_delta', signature: 'abc' }), 0],
    ['a citation', delta(0, { type: 'citations_delta', citation: {} }), 0],
    ['a block without content', open(0, { type: 'thinking', thinking: '', signature: '' }), 0],
    ['an unknown event', { type: 'newer' }, 0],
  ]
  for (const [what, event, bytes] of contents) {
    test(`${what} counts ${bytes} bytes`, () => {
      const [chunk] = chunksOf(new NativeStream().read({ event: null, data: JSON.stringify(event) }))
      assert.equal(chunk?.contentBytes, what === 'its result' ? 1 : bytes)
    })
  }

  test('a call makes the reason', () => {
    const called = [start, open(0, { type: 'tool_use', id: 't', name: 'f' }), close(0), stopping('tool_use'), STOP]
    assert.deepEqual(read(called).parts.at(-1), { type: 'message-end', finishReason: 'tool_calls', warning: null })
  })

  test('what no price covers is noted', () => {
    const usage = { output_tokens: 9, server_tool_use: { web_search_requests: 2, new_requests: 3 } }
    const end = read([...HELLO, stopping('end_turn', usage), STOP]).parts.at(-1)
    assert.ok(end?.type === 'message-end')
    assert.equal(end.warning, 'not priced: 3 new_requests')
  })

  test('a summary of the conversation is billed beside the totals', () => {
    const iterations = [
      { type: 'compaction', input_tokens: 100, output_tokens: 20 },
      { type: 'message', input_tokens: 7, output_tokens: 9 },
    ]
    const { reader } = read([...HELLO, stopping('end_turn', { output_tokens: 9, iterations }), STOP])
    assert.deepEqual([reader.usage?.tokens.input, reader.usage?.tokens.output], [107, 29])
  })
})

describe('a stream fails', () => {
  const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
  const table: [what: string, events: (JsonObject | string)[], code: string][] = [
    ['with an error', [...HELLO, error], 'provider_overloaded'],
    ['when it is cut before it is known why it stopped', HELLO, 'upstream_error'],
    ['when it is cut within a block', [...HELLO.slice(0, 3), stopping('end_turn')], 'upstream_error'],
    ['with an event that cannot be read', [...HELLO, 'data: {"type":'], 'upstream_error'],
    ['without a message at its start', [{ type: 'message_start' }], 'upstream_error'],
    ['when nothing comes', [], 'upstream_error'],
  ]
  for (const [what, events, code] of table) {
    test(what, () => {
      const last = read(events).parts.at(-1)
      assert.ok(last?.type === 'failed')
      assert.equal(last.failure.code, code)
    })
  }

  test('but not any more when the answer is whole', () => {
    for (const more of [[], [error], ['data: {']]) {
      const { parts } = read([...HELLO, stopping('end_turn'), ...more])
      assert.deepEqual(parts.at(-1), {
        type: 'message-end',
        finishReason: 'stop',
        warning: 'the stream ended without message_stop',
      })
    }
  })
})

describe('a whole message', () => {
  const body = {
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'x',
    content: [
      { type: 'thinking', thinking: 'hm', signature: 's' },
      { type: 'text', text: 'Hi' },
      { type: 'tool_use', id: 't', name: 'f', input: { a: 1 } },
    ],
    stop_reason: 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: 3, cache_read_input_tokens: 2, output_tokens: 5 },
  }

  test('is left alone and counted', () => {
    const reading = fromWire(body)
    assert.ok(reading.kind === 'answer')
    assert.equal(reading.answer.body, body)
    assert.deepEqual([reading.answer.finishReason, reading.answer.warning], ['tool_calls', null])
    assert.deepEqual(
      [reading.answer.usage?.input, reading.answer.usage?.cachedInput, reading.answer.usage?.output],
      [3, 2, 5],
    )
  })

  test('without usage has none', () => {
    const reading = fromWire({ content: [], stop_reason: 'end_turn' })
    assert.ok(reading.kind === 'answer')
    assert.equal(reading.answer.usage, null)
  })

  for (const bad of [null, [], 'x', {}, { content: 'x' }, { type: 'error', error: { message: 'no' } }]) {
    test(`${JSON.stringify(bad)} is a failure`, () => assert.equal(fromWire(bad).kind, 'failure'))
  }

  test('becomes the events of a stream, which read as the same', () => {
    const reading = fromWire(body)
    assert.ok(reading.kind === 'answer')
    const parts = partsOf(reading.answer)
    const events = chunksOf(parts).map(({ value }) => value)
    const { parts: again, reader } = read(events)
    assert.deepEqual(again, parts)
    assert.deepEqual(reader.usage?.tokens, reading.answer.usage)
  })
})
