import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { JsonObject } from '../../../src/domain/request/call-request.ts'
import { fc } from '../../property.ts'
import { bodyOf, framesOf, GATEWAY, STAMP, translateStream } from './translate-stream.ts'

const WANTED = { stream_options: { include_usage: true } }

const started = (usage: JsonObject = { input_tokens: 20, output_tokens: 1 }) => ({
  type: 'message_start',
  message: { id: 'msg_1', type: 'message', role: 'assistant', content: [], usage },
})
const open = (index: number, block: JsonObject) => ({ type: 'content_block_start', index, content_block: block })
const delta = (index: number, each: JsonObject) => ({ type: 'content_block_delta', index, delta: each })
const close = (index: number) => ({ type: 'content_block_stop', index })
const text = (index: number, words: string) => delta(index, { type: 'text_delta', text: words })
const input = (index: number, json: string) => delta(index, { type: 'input_json_delta', partial_json: json })
const stopping = (reason: string | null, usage: JsonObject | null = { output_tokens: 5 }, more: JsonObject = {}) => ({
  type: 'message_delta',
  delta: { stop_reason: reason, stop_sequence: null, ...more },
  usage,
})
const STOP = { type: 'message_stop' }
const CALL = { type: 'tool_use', id: 'toolu_1', name: 'wx', input: {} }
const TEXT_BLOCK = { type: 'text', text: '' }
const HELLO = [started(), open(0, TEXT_BLOCK), text(0, 'Hi'), close(0)]

function translated(events: (JsonObject | string)[], fields: JsonObject = {}) {
  return translateStream('anthropic', [bodyOf(...events)], fields)
}

const frame = (each: JsonObject, reason: string | null = null, more: JsonObject = {}) => ({
  id: STAMP.id,
  object: 'chat.completion.chunk',
  created: STAMP.created,
  model: STAMP.model,
  choices: [{ index: 0, delta: each, finish_reason: reason }],
  ...more,
})
const ROLE = { role: 'assistant', content: '' }

/** Only what was said, and why it ended. */
function deltasOf(events: (JsonObject | string)[], fields?: JsonObject): unknown[] {
  const { live, end } = translated(events, fields)
  return framesOf(live + end).flatMap((each) => {
    if (typeof each !== 'object') return []
    const [choice] = (each as { choices: { delta: JsonObject; finish_reason: string | null }[] }).choices
    if (choice === undefined) return []
    return [choice.finish_reason ?? choice.delta]
  })
}

function failureOf(events: (JsonObject | string)[]) {
  const { parts, end } = translated(events)
  const last = parts.at(-1)
  assert.equal(last?.type, 'failed', JSON.stringify(parts))
  assert.equal(end, '')
  return last.type === 'failed' ? last.failure : null
}

const called = (index: number, id: string, name: string) => ({
  tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }],
})
const fragment = (index: number, json: string) => ({ tool_calls: [{ index, function: { arguments: json } }] })

const WORKED = [
  started({ input_tokens: 20, cache_read_input_tokens: 100, output_tokens: 1 }),
  { type: 'ping' },
  open(0, { type: 'thinking', thinking: '', signature: '' }),
  delta(0, { type: 'thinking_delta', thinking: 'hm' }),
  delta(0, { type: 'signature_delta', signature: 's' }),
  close(0),
  open(1, TEXT_BLOCK),
  text(1, 'Let me'),
  close(1),
  open(2, CALL),
  input(2, ''),
  input(2, '{"city":'),
  input(2, ' "Oslo"}'),
  close(2),
  open(3, { type: 'tool_use', id: 'toolu_2', name: 'now', input: {} }),
  close(3),
  stopping('tool_use', { output_tokens: 57 }),
  STOP,
]

describe('message events become chunks', () => {
  test('text', () => {
    const { live, end } = translated([...HELLO, stopping('end_turn'), STOP])
    assert.deepEqual(framesOf(live), [frame(ROLE), frame({ content: 'Hi' })])
    assert.deepEqual(framesOf(end), [frame({}, 'stop', { x_gateway: GATEWAY }), '[DONE]'])
  })

  test('the role goes out together with the first content, not before', () => {
    const { parts } = translated([...HELLO, stopping('end_turn'), STOP])
    assert.deepEqual(parts, [
      { type: 'text-delta', text: 'Hi' },
      { type: 'message-end', finishReason: 'stop', warning: null },
    ])
  })

  test('thinking, text, two calls and usage', () => {
    const { live, end } = translated(WORKED, WANTED)
    const nothing = { usage: null }
    assert.deepEqual(framesOf(live), [
      frame(ROLE, null, nothing),
      frame({ content: 'Let me' }, null, nothing),
      frame(called(0, 'toolu_1', 'wx'), null, nothing),
      frame(fragment(0, '{"city":'), null, nothing),
      frame(fragment(0, ' "Oslo"}'), null, nothing),
      frame(called(1, 'toolu_2', 'now'), null, nothing),
      frame(fragment(1, '{}'), null, nothing),
    ])
    const counted = {
      prompt_tokens: 120,
      completion_tokens: 57,
      total_tokens: 177,
      prompt_tokens_details: { cached_tokens: 100, cache_write_tokens: 0 },
    }
    assert.deepEqual(framesOf(end), [
      frame({}, 'tool_calls', nothing),
      { ...frame({}), choices: [], usage: counted, x_gateway: GATEWAY },
      '[DONE]',
    ])
  })

  test('every cut of the body gives the same bytes', () => {
    const bytes = bodyOf(...WORKED)
    const whole = translateStream('anthropic', [bytes], WANTED)
    const cut = (pieces: Buffer[]) => assert.deepEqual(translateStream('anthropic', pieces, WANTED), whole)
    cut([...bytes].map((byte) => Buffer.of(byte)))
    fc.assert(fc.property(fc.nat({ max: bytes.length }), (at) => cut([bytes.subarray(0, at), bytes.subarray(at)])))
  })

  test('peer bug 10, bifrost#1961, #1829; dynamo#4723: calls count from 0, whatever their blocks are, and no {} comes before their input', () => {
    assert.deepEqual(
      deltasOf([
        started(),
        open(4, CALL),
        input(4, '{"a":1}'),
        close(4),
        open(9, { ...CALL, id: 'toolu_2' }),
        input(9, '{}'),
        close(9),
        stopping('tool_use'),
        STOP,
      ]),
      [
        { role: 'assistant', content: null },
        called(0, 'toolu_1', 'wx'),
        fragment(0, '{"a":1}'),
        called(1, 'toolu_2', 'wx'),
        fragment(1, '{}'),
        'tool_calls',
      ],
    )
  })

  test('a server that gives the whole input and text at once', () => {
    assert.deepEqual(
      deltasOf([
        started(),
        open(0, { type: 'text', text: 'Hi' }),
        close(0),
        open(1, { ...CALL, input: { a: 1 } }),
        close(1),
        stopping('tool_use'),
        STOP,
      ]),
      [ROLE, { content: 'Hi' }, called(0, 'toolu_1', 'wx'), fragment(0, '{"a":1}'), 'tool_calls'],
    )
  })

  test('what the API may add is skipped', () => {
    const more = [
      { type: 'new_event', error: null },
      open(1, { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }),
      input(1, '{"query":"x"}'),
      close(1),
      open(2, { type: 'new_block', text: 'no' }),
      delta(2, { type: 'text_delta', text: 'no' }),
      close(2),
      delta(7, { type: 'text_delta', text: 'no block' }),
      open(3, TEXT_BLOCK),
      delta(3, { type: 'citations_delta', citation: {} }),
      close(3),
    ]
    assert.deepEqual(deltasOf([...HELLO, ...more, stopping('end_turn'), STOP]), [ROLE, { content: 'Hi' }, 'stop'])
  })

  test('an empty answer is an answer', () => {
    assert.deepEqual(deltasOf([started(), stopping('end_turn'), STOP]), [ROLE, 'stop'])
  })

  test('thinking is not sent, but known', () => {
    const events = [
      started(),
      open(0, { type: 'thinking' }),
      delta(0, { type: 'thinking_delta', thinking: 'hmé' }),
      close(0),
      stopping('end_turn'),
      STOP,
    ]
    assert.deepEqual(deltasOf(events), [ROLE, 'stop'])
    assert.equal(translated(events).hiddenBytes, 4)
  })

  test('complete thinking is a part of its own, for formats that send it back', () => {
    const events = [
      started(),
      open(0, { type: 'thinking', thinking: '', signature: '' }),
      delta(0, { type: 'thinking_delta', thinking: 'h' }),
      delta(0, { type: 'thinking_delta', thinking: 'm' }),
      delta(0, { type: 'signature_delta', signature: 'sig' }),
      close(0),
      open(1, { type: 'redacted_thinking', data: 'x' }),
      close(1),
      // Without a signature no provider takes it back.
      open(2, { type: 'thinking', thinking: 'lost' }),
      close(2),
      stopping('end_turn'),
      STOP,
    ]
    assert.deepEqual(translated(events).parts.slice(0, -1), [
      { type: 'reasoning-end', block: { type: 'thinking', thinking: 'hm', signature: 'sig' } },
      { type: 'reasoning-end', block: { type: 'redacted_thinking', data: 'x' } },
    ])
  })

  for (const [reason, finish] of Object.entries({
    end_turn: 'stop',
    stop_sequence: 'stop',
    max_tokens: 'length',
    pause_turn: 'length',
    compaction: 'length',
  })) {
    test(`${reason} is ${finish}`, () => assert.equal(deltasOf([...HELLO, stopping(reason), STOP]).at(-1), finish))
  }

  test('a refusal is said, with the words of the provider or ours', () => {
    const details = { stop_details: { explanation: 'No.' } }
    assert.deepEqual(deltasOf([started(), stopping('refusal', null, details), STOP]), [
      ROLE,
      { refusal: 'No.' },
      'content_filter',
    ])
    assert.match(JSON.stringify(deltasOf([...HELLO, stopping('refusal'), STOP]).at(-2)), /safety system/)
  })

  test('a later message_delta without a reason does not clear it; an unknown one is reported', () => {
    assert.equal(deltasOf([...HELLO, stopping('max_tokens'), stopping(null), STOP]).at(-1), 'length')
    const { parts } = translated([...HELLO, stopping('new_reason'), STOP])
    assert.deepEqual(parts.at(-1), {
      type: 'message-end',
      finishReason: 'stop',
      warning: 'unknown stop_reason "new_reason"',
    })
  })

  test('functions of the older form: one call, without id and index', () => {
    const events = [
      started(),
      open(0, CALL),
      input(0, '{"a":1}'),
      close(0),
      open(1, CALL),
      input(1, '{}'),
      close(1),
      stopping('tool_use'),
      STOP,
    ]
    assert.deepEqual(deltasOf(events, { functions: [{ name: 'wx' }] }), [
      { role: 'assistant', content: null },
      { function_call: { name: 'wx', arguments: '' } },
      { function_call: { arguments: '{"a":1}' } },
      'function_call',
    ])
  })
})

describe('JSON without a schema, which our own tool gives', () => {
  const JSON_CALL = { type: 'tool_use', id: 'toolu_1', name: 'gateway_json_answer', input: {} }
  const WANTS_JSON = { response_format: { type: 'json_object' } }

  test('streams as text, and other text is no part of it', () => {
    const events = [
      ...HELLO,
      open(1, JSON_CALL),
      input(1, '{"a"'),
      input(1, ':1}'),
      close(1),
      open(2, TEXT_BLOCK),
      text(2, 'Done.'),
      close(2),
      stopping('tool_use'),
      STOP,
    ]
    assert.deepEqual(deltasOf(events, WANTS_JSON), [ROLE, { content: '{"a"' }, { content: ':1}' }, 'stop'])
  })

  test('an empty object, once', () => {
    const events = [
      started(),
      open(0, JSON_CALL),
      close(0),
      open(1, JSON_CALL),
      input(1, '{"b":1}'),
      close(1),
      stopping('tool_use'),
      STOP,
    ]
    assert.deepEqual(deltasOf(events, WANTS_JSON), [ROLE, { content: '{}' }, 'stop'])
  })

  test('text alone comes when the model did not call it', () => {
    assert.deepEqual(deltasOf([...HELLO, stopping('max_tokens'), STOP], WANTS_JSON), [
      ROLE,
      { content: 'Hi' },
      'length',
    ])
  })
})

describe('the end of a stream of messages', () => {
  test('with a reason and no open block it is whole, with a warning', () => {
    const { parts, end } = translated([...HELLO, stopping('end_turn')])
    assert.deepEqual(parts.at(-1), {
      type: 'message-end',
      finishReason: 'stop',
      warning: 'the stream ended without message_stop',
    })
    assert.deepEqual(framesOf(end).at(-1), '[DONE]')
  })

  test('anywhere before, it is a failure', () => {
    const whole = [...HELLO, open(1, CALL), input(1, '{}'), close(1)]
    for (let length = 0; length <= whole.length; length++) {
      const failure = failureOf(whole.slice(0, length))
      assert.deepEqual([failure?.code, failure?.retry], ['upstream_error', 'no'])
    }
    assert.equal(failureOf([...HELLO, open(1, TEXT_BLOCK), stopping('end_turn')])?.code, 'upstream_error')
  })

  test('is not spoiled by what comes later', () => {
    const late = [{ type: 'error', error: { type: 'api_error', message: 'late' } }, 'garbage']
    for (const events of [[...late, STOP], [STOP, ...late], late]) {
      assert.deepEqual(deltasOf([...HELLO, stopping('end_turn'), ...events]), [ROLE, { content: 'Hi' }, 'stop'])
    }
  })
})

describe('an error event counts as the status of its type', () => {
  const codes = {
    overloaded_error: 'provider_overloaded',
    api_error: 'upstream_error',
    rate_limit_error: 'rate_limited',
    timeout_error: 'upstream_timeout',
    invalid_request_error: 'invalid_request',
    authentication_error: 'provider_auth_error',
    new_error: 'upstream_error',
  }
  for (const [type, code] of Object.entries(codes)) {
    test(type, () => {
      for (const before of [[], [started()], HELLO]) {
        const failure = failureOf([...before, { type: 'error', error: { type, message: 'why' } }, STOP])
        assert.deepEqual([failure?.code, failure?.message], [code, 'why'])
      }
    })
  }

  test('unreadable events and calls without a name or id are failures', () => {
    for (const bad of ['{"type":', '7', open(1, { ...CALL, id: '' }), open(1, { type: 'tool_use', id: 'x' })]) {
      assert.equal(failureOf([...HELLO, bad, stopping('end_turn'), STOP])?.code, 'upstream_error')
    }
  })
})

describe('usage of a message is a state', () => {
  const SPLIT = {
    input_tokens: 10,
    output_tokens: 1,
    cache_creation_input_tokens: 30,
    cache_read_input_tokens: 50,
    cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
    inference_geo: 'us',
  }
  const table: [what: string, events: JsonObject[], tokens: JsonObject, isFinal: boolean][] = [
    ['the start alone', [started()], { input: 20, output: 1 }, false],
    [
      'peer bug 17, litellm#39893: the placeholder of a cut answer is not its count',
      HELLO,
      { input: 20, output: 1 },
      false,
    ],
    ['a count without a reason to stop', [...HELLO, stopping(null)], { input: 20, output: 5 }, false],
    ['the totals at the end', [...HELLO, stopping('end_turn')], { input: 20, output: 5 }, true],
    ['no total at the end', [...HELLO, stopping('end_turn', null), STOP], { input: 20, output: 1 }, false],
    [
      'an output of zero at the end is one',
      [started(), stopping('refusal', { output_tokens: 0 })],
      { input: 20, output: 0 },
      true,
    ],
    [
      'more input at the end',
      [...HELLO, stopping('end_turn', { input_tokens: 90, output_tokens: 5 })],
      { input: 90, output: 5 },
      true,
    ],
    [
      'zeros and nulls at the end hide nothing',
      [
        started(SPLIT),
        stopping('end_turn', {
          input_tokens: 0,
          cache_read_input_tokens: null,
          cache_creation_input_tokens: 0,
          cache_creation: null,
          output_tokens: 5,
        }),
      ],
      { input: 10, cachedInput: 50, cacheWrite5m: 10, cacheWrite1h: 20, output: 5, pricePercent: 110 },
      true,
    ],
    [
      'cache writes beyond the split have the shorter lifetime',
      [started(SPLIT), stopping('end_turn', { cache_creation_input_tokens: 45, output_tokens: 5 })],
      { cacheWrite5m: 25, cacheWrite1h: 20 },
      true,
    ],
    [
      'several totals are not added up',
      [...HELLO, stopping('end_turn'), stopping(null, { output_tokens: 9 })],
      { output: 9 },
      true,
    ],
    [
      'thinking',
      [...HELLO, stopping('end_turn', { output_tokens: 5, output_tokens_details: { thinking_tokens: 3 } })],
      { output: 5, reasoning: 3 },
      true,
    ],
  ]
  for (const [what, events, expected, isFinal] of table) {
    test(what, () => {
      const { usage } = translated(events)
      assert.partialDeepStrictEqual(usage?.tokens, expected)
      assert.equal(usage?.isFinal, isFinal)
    })
  }

  test('cache writes beyond the split are reported', () => {
    const { parts } = translated([
      started(SPLIT),
      stopping('end_turn', { cache_creation_input_tokens: 45, output_tokens: 5 }),
      STOP,
    ])
    assert.match(JSON.stringify(parts.at(-1)), /15 cache write tokens is unknown/)
  })

  test('nothing counted yet', () => assert.equal(translated([open(0, TEXT_BLOCK)]).usage, null))
})
