import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { JsonObject } from '../../domain/request/call-request.ts'
import type { ChatRequest } from '../../domain/request/chat.ts'
import type { StreamPart } from '../../domain/request/stream.ts'
import { ServerSentEvents } from '../../upstream/server-sent-events.ts'
import { DIRECT } from './endpoint.ts'
import { chat } from './gemini-family.ts'
import { ContentStream } from './stream.ts'

const USAGE = { promptTokenCount: 7, candidatesTokenCount: 2, thoughtsTokenCount: 1, totalTokenCount: 10 }
const event = (parts: JsonObject[], more: JsonObject = {}, candidate: JsonObject = {}) => ({
  candidates: [{ content: { role: 'model', parts }, ...candidate }],
  responseId: 'r1',
  modelVersion: 'gemini-3.5-flash',
  ...more,
})
const END = { finishReason: 'STOP' }
const HELLO = [
  event([{ text: 'Hé' }], { usageMetadata: { promptTokenCount: 0, candidatesTokenCount: 0, totalTokenCount: 0 } }),
  event([{ text: 'llo' }], { usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 1 } }),
  event([], { usageMetadata: USAGE }, END),
]

/** As the vendor writes it: CRLF, no terminal event. Texts are sent as they are. */
function bytesOf(events: readonly (JsonObject | string)[]): Buffer {
  return Buffer.from(
    events.map((each) => (typeof each === 'string' ? each : `data: ${JSON.stringify(each)}\r\n\r\n`)).join(''),
  )
}

function read(events: readonly (JsonObject | string)[], request: JsonObject = {}, pieceBytes = 1e9) {
  const reader = new ContentStream({ model: 'm', messages: [], ...request } as ChatRequest, DIRECT)
  const body = new ServerSentEvents()
  const bytes = bytesOf(events)
  const parts: StreamPart[] = []
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    for (const each of body.read(bytes.subarray(at, at + pieceBytes))) parts.push(...reader.read(each))
  }
  for (const each of body.end()) parts.push(...reader.read(each))
  parts.push(...reader.end())
  return { parts, reader }
}
const deltasOf = (parts: readonly StreamPart[]) =>
  parts
    .filter((part) => part.type === 'chunk')
    .map(({ value, contentBytes, isEnd }) => {
      const [choice] = value['choices'] as JsonObject[]
      return { ...choice, contentBytes, isEnd }
    })
const failureOf = (events: readonly (JsonObject | string)[]) => {
  const last = read(events).parts.at(-1)
  return last?.type === 'failed' ? last.failure : null
}

describe('a stream', () => {
  test('is text, then the end with its usage; early zeros count nothing', () => {
    const { parts, reader } = read(HELLO)
    assert.deepEqual(parts, [
      { type: 'text-delta', text: 'Hé' },
      { type: 'text-delta', text: 'llo' },
      { type: 'message-end', finishReason: 'stop', warning: null },
    ])
    assert.partialDeepStrictEqual(reader.usage, { tokens: { input: 7, output: 3, reasoning: 1 }, isFinal: true })
    assert.deepEqual(reader.usage?.body, {
      prompt_tokens: 7,
      completion_tokens: 3,
      total_tokens: 10,
      completion_tokens_details: { reasoning_tokens: 1 },
    })
  })

  test('is the same byte by byte and in one piece', () => {
    for (const pieceBytes of [1, 7]) assert.deepEqual(read(HELLO, {}, pieceBytes).parts, read(HELLO).parts)
  })

  test('counts thoughts that it does not show', () => {
    const { parts, reader } = read([event([{ text: 'Hmm', thought: true }]), ...HELLO])
    assert.deepEqual([parts.length, reader.hiddenBytes], [3, 3])
  })

  test('has usage so far before its end, which is not final', () => {
    const { reader } = read(HELLO.slice(0, 2))
    assert.partialDeepStrictEqual(reader.usage, { tokens: { input: 7, output: 1 }, isFinal: false })
  })
})

describe('calls', () => {
  const first = { functionCall: { id: 'f1', name: 'wx', args: { a: 1 } }, thoughtSignature: 'sig' }
  const second = { functionCall: { id: 'f2', name: 'wx', args: {} } }

  test('come whole, each in its place, with the signature', () => {
    const { parts } = read([event([first]), event([second], { usageMetadata: USAGE }, END)])
    assert.deepEqual(deltasOf(parts), [
      {
        index: 0,
        delta: {
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              index: 0,
              id: 'f1',
              type: 'function',
              function: { name: 'wx', arguments: '{"a":1}' },
              extra_content: { google: { thought_signature: 'sig', made_by: 'gemini/gemini-3.5-flash' } },
            },
          ],
        },
        finish_reason: null,
        contentBytes: 9,
        isEnd: false,
      },
      {
        index: 0,
        delta: { tool_calls: [{ index: 1, id: 'f2', type: 'function', function: { name: 'wx', arguments: '{}' } }] },
        finish_reason: null,
        contentBytes: 4,
        isEnd: false,
      },
    ])
    assert.deepEqual(parts.at(-1), { type: 'message-end', finishReason: 'tool_calls', warning: null })
  })

  test('have the ids of the whole answer', () => {
    const wire = event([{ functionCall: { name: 'wx' } }, { functionCall: { name: 'wx' } }], {}, END)
    const reading = chat.fromWire(wire, { model: 'm', messages: [] })
    const [choice] = (reading.kind === 'answer' ? reading.answer.body['choices'] : []) as {
      message: { tool_calls: JsonObject[] }
    }[]
    const streamed = deltasOf(read([wire]).parts).flatMap(
      (each) => ((each as JsonObject)['delta'] as JsonObject)['tool_calls'] as JsonObject[],
    )
    assert.deepEqual(
      streamed.map(({ id }) => id),
      choice?.message.tool_calls.map(({ id }) => id),
    )
  })

  test('of functions are one call without an id', () => {
    const { parts } = read([event([first, second], {}, END)], { functions: [{ name: 'wx' }] })
    assert.deepEqual(
      deltasOf(parts).map((each) => (each as JsonObject)['delta']),
      [{ role: 'assistant', content: null, function_call: { name: 'wx', arguments: '{"a":1}' } }],
    )
    assert.partialDeepStrictEqual(parts.at(-1), { finishReason: 'function_call' })
  })

  test('a signature in a last, empty text is passed on and commits nothing', () => {
    const { parts } = read([event([{ text: 'A' }]), event([{ text: '', thoughtSignature: 'sig' }], {}, END)])
    assert.deepEqual(deltasOf(parts), [
      {
        index: 0,
        delta: { extra_content: { google: { thought_signature: 'sig', made_by: 'gemini/gemini-3.5-flash' } } },
        finish_reason: null,
        contentBytes: 0,
        isEnd: false,
      },
    ])
  })
})

test('several answers are chunks of several choices', () => {
  const both = [
    event([{ text: 'A' }], {}, { index: 0 }),
    event([{ text: 'B' }], {}, { index: 1, finishReason: 'MAX_TOKENS' }),
    event([], { usageMetadata: USAGE }, { index: 0, ...END }),
  ]
  const { parts, reader } = read(both, { n: 2 })
  assert.deepEqual(
    deltasOf(parts).map(({ contentBytes: _bytes, ...rest }) => rest),
    [
      { index: 0, delta: { role: 'assistant', content: 'A' }, finish_reason: null, isEnd: false },
      { index: 1, delta: { role: 'assistant', content: 'B' }, finish_reason: null, isEnd: false },
      { index: 0, delta: {}, finish_reason: 'stop', isEnd: true },
      { index: 1, delta: {}, finish_reason: 'length', isEnd: true },
    ],
  )
  assert.equal(reader.isFinished, true)
})

describe('what goes wrong', () => {
  const error = { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } }
  const cases: [what: string, events: (JsonObject | string)[], expected: JsonObject][] = [
    [
      'an error as an event',
      [error],
      { code: 'provider_overloaded', message: 'The model is overloaded.', status: 503 },
    ],
    ['an error as a bare body', [JSON.stringify(error)], { code: 'provider_overloaded' }],
    ['an error as a bare body of many lines', [JSON.stringify(error, null, 2)], { code: 'provider_overloaded' }],
    ['an error after content', [...HELLO.slice(0, 1), error], { code: 'provider_overloaded' }],
    ['a body that ends without a reason', HELLO.slice(0, 2), { code: 'upstream_error', retry: 'no' }],
    ['no event at all', [], { code: 'upstream_error', retry: 'no' }],
    ['usage alone', [{ usageMetadata: USAGE }], { code: 'upstream_error', retry: 'once' }],
    ['an event that is no JSON', ['data: {oops\r\n\r\n'], { code: 'upstream_error', retry: 'once' }],
    ['a blocked prompt', [{ promptFeedback: { blockReason: 'SAFETY' } }], { code: 'content_filtered', next: 'none' }],
    [
      'a malformed call',
      [event([], {}, { finishReason: 'MALFORMED_FUNCTION_CALL' })],
      { code: 'upstream_error', retry: 'once' },
    ],
  ]
  for (const [what, events, expected] of cases)
    test(what, () => assert.partialDeepStrictEqual(failureOf(events), expected))

  test('a malformed call after content ends with a warning', () => {
    const { parts } = read([HELLO[0] ?? {}, event([], {}, { finishReason: 'MALFORMED_FUNCTION_CALL' })])
    assert.deepEqual(parts.at(-1), {
      type: 'message-end',
      finishReason: 'stop',
      warning: 'finishReason MALFORMED_FUNCTION_CALL',
    })
  })

  test('after the end nothing spoils the answer', () => {
    for (const late of [error, 'data: {oops\r\n\r\n', { usageMetadata: USAGE }]) {
      assert.deepEqual(read([...HELLO, late]).parts, read(HELLO).parts)
    }
  })
})
