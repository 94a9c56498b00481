import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { JsonObject } from '../../../domain/request/call-request.ts'
import type { StreamPart } from '../../../domain/request/stream.ts'
import { ServerSentEvents } from '../../../upstream/server-sent-events.ts'
import { stream } from './stream.ts'

const REQUEST = { model: 'm', input: 'x' }
const open = () => stream.open(REQUEST)
const event = (value: JsonObject) => ({ event: String(value['type']), data: JSON.stringify(value) })

function readAll(values: JsonObject[]): StreamPart[] {
  const reader = open()
  return [...values.flatMap((value) => reader.read(event(value))), ...reader.end()]
}

const bytesOf = (value: JsonObject) => {
  const [part] = open().read(event(value))
  return part?.type === 'chunk' ? part.contentBytes : part
}
const CREATED = { type: 'response.created', response: { id: 'r', status: 'in_progress', output: [] } }
const DELTA = { type: 'response.output_text.delta', output_index: 0, delta: 'é' }
const USAGE = { input_tokens: 3, output_tokens: 2, total_tokens: 5 }
const COMPLETED = { type: 'response.completed', response: { id: 'r', status: 'completed', output: [], usage: USAGE } }

describe('events of a stream', () => {
  const item = (type: string, more: object = {}) => ({ output_index: 0, item: { type, ...more } })
  const table: [value: JsonObject, bytes: number][] = [
    [CREATED, 0],
    [{ type: 'response.in_progress', response: {} }, 0],
    [{ type: 'response.output_item.added', ...item('message') }, 0],
    [{ type: 'response.output_item.added', ...item('reasoning') }, 0],
    [{ type: 'response.content_part.added', part: { type: 'output_text', text: '' } }, 0],
    [DELTA, 2],
    [{ type: 'response.reasoning_summary_text.delta', delta: 'abc' }, 3],
    [{ type: 'response.function_call_arguments.delta', delta: '{' }, 1],
    [{ type: 'response.custom_tool_call_input.delta', delta: '**' }, 2],
    [{ type: 'response.output_item.added', ...item('function_call', { name: 'wx' }) }, 2],
    [{ type: 'response.output_item.added', ...item('web_search_call') }, 1],
    [
      { type: 'response.output_item.done', ...item('message', { content: [{ type: 'output_text', text: 'abcd' }] }) },
      4,
    ],
    [{ type: 'response.new_thing', x: 1 }, 0],
  ]
  for (const [value, bytes] of table) test(JSON.stringify(value), () => assert.equal(bytesOf(value), bytes))

  test('what deltas have said is not counted again', () => {
    const done = { type: 'response.output_item.done', ...item('message', { content: [{ text: 'é' }] }) }
    const bytes = readAll([DELTA, done, COMPLETED]).map((part) =>
      part.type === 'chunk' ? part.contentBytes : part.type,
    )
    assert.deepEqual(bytes, [2, 0, 0, 'message-end'])
  })

  test('reasoning that only the provider can read is billed all the same', () => {
    const reader = open()
    reader.read(
      event({ type: 'response.output_item.done', ...item('reasoning', { encrypted_content: 'x'.repeat(9) }) }),
    )
    assert.equal(reader.hiddenBytes, 9)
  })

  test('the last one is held back, and counts', () => {
    const reader = open()
    const [chunk, end] = reader.read(event(COMPLETED))
    assert.deepEqual([chunk?.type === 'chunk' && chunk.isEnd, end?.type], [true, 'message-end'])
    assert.deepEqual([reader.isFinished, reader.usage?.isFinal, reader.usage?.tokens.output], [true, true, 2])
    assert.deepEqual([reader.read(event(DELTA)), reader.end()], [[], []])
  })

  // Peer bug 22, litellm#29223, #31786: errors passed as data and counted as success.
  const failures: [values: JsonObject[], code: string][] = [
    [[{ type: 'response.failed', response: { error: { code: 'server_error', message: 'm' } } }], 'upstream_error'],
    [[{ type: 'response.failed', response: { error: { code: 'rate_limit_exceeded', message: 'm' } } }], 'rate_limited'],
    [[{ type: 'response.failed', response: {} }], 'upstream_error'],
    [[{ type: 'error', code: 'rate_limit_exceeded', message: 'm', param: null }], 'rate_limited'],
    [[{ type: 'error', error: { type: 'overloaded_error', message: 'm' } }], 'provider_overloaded'],
    [[{ type: 'error', code: 'context_length_exceeded', message: 'm' }], 'context_length_exceeded'],
    [[CREATED, DELTA], 'upstream_error'],
    [[], 'upstream_error'],
  ]
  for (const [values, code] of failures) {
    test(`${JSON.stringify(values)} fails`, () => {
      const last = readAll(values).at(-1)
      assert.equal(last?.type === 'failed' && last.failure.code, code)
    })
  }

  test('an end as in chat is a cut, unless the answer was complete', () => {
    const done = { event: null, data: '[DONE]' }
    const cut = open()
    assert.equal(cut.read(done).at(-1)?.type, 'failed')
    const whole = open()
    whole.read(event(COMPLETED))
    assert.deepEqual(whole.read(done), [])
  })

  test('what is no JSON fails', () => assert.equal(open().read({ event: 'x', data: '<html>' })[0]?.type, 'failed'))

  test('read byte by byte they are the same as in one piece', () => {
    const text = [CREATED, DELTA, { ...DELTA, delta: '東京 👩‍👩‍👧' }, COMPLETED]
      .map((value) => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`)
      .join('')
    const bytes = Buffer.from(text)
    const partsOf = (pieces: Buffer[]) => {
      const events = new ServerSentEvents()
      const reader = open()
      return [...pieces.flatMap((piece) => events.read(piece).flatMap((each) => reader.read(each))), ...reader.end()]
    }
    assert.deepEqual(partsOf(Array.from(bytes, (byte) => Buffer.from([byte]))), partsOf([bytes]))
  })
})

test('a whole answer becomes the events of a stream', () => {
  const message = { id: 'msg_1', type: 'message', content: [{ type: 'output_text', text: 'hi', annotations: [] }] }
  const call = { id: 'fc_1', type: 'function_call', name: 'wx', arguments: '{}' }
  const body = { id: 'r', status: 'completed', output: [message, call], usage: USAGE }
  const parts = stream.partsOf({ body, usage: null, finishReason: 'tool_calls', warning: null }, REQUEST)
  const chunks = parts.filter((part) => part.type === 'chunk')
  assert.deepEqual(
    chunks.map(({ value }) => String(value['type']).replace('response.', '')),
    [
      ...['created', 'in_progress', 'output_item.added', 'content_part.added', 'output_text.delta', 'output_text.done'],
      ...['content_part.done', 'output_item.done', 'output_item.added', 'output_item.done', 'completed'],
    ],
  )
  assert.deepEqual(
    chunks.map(({ value }) => value['sequence_number']),
    [...chunks.keys()],
  )
  assert.ok(chunks.some(({ contentBytes }) => contentBytes > 0))
  assert.deepEqual(parts.at(-1), { type: 'message-end', finishReason: 'tool_calls', warning: null })
})
