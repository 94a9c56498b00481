import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Answer } from '../../domain/request/answer.ts'
import type { JsonObject } from '../../domain/request/call-request.ts'
import type { ChatRequest } from '../../domain/request/chat.ts'
import { finishReason } from './finish-reason.ts'
import withTools from './fixtures/message-with-tools.json' with { type: 'json' }
import { fromWire } from './response.ts'

const PLAIN = { model: 'smart', messages: [] } as unknown as ChatRequest
const LEGACY = { ...PLAIN, functions: [{ name: 'wx' }] } as ChatRequest
const HI = { type: 'text', text: 'Hi' }
const CALL = { type: 'tool_use', id: 'toolu_1', name: 'wx', input: { a: 1 } }

const message = (content: unknown[], more: JsonObject = {}) => ({
  type: 'message',
  content,
  stop_reason: 'end_turn',
  usage: { input_tokens: 1, output_tokens: 2 },
  ...more,
})

function answerOf(body: unknown, request = PLAIN): Answer {
  const reading = fromWire(body, request)
  assert.equal(reading.kind, 'answer', JSON.stringify(reading))
  return (reading as { answer: Answer }).answer
}

function choiceOf(body: unknown, request = PLAIN): { message: JsonObject; finish_reason: string } {
  const [choice] = answerOf(body, request).body['choices'] as [{ message: JsonObject; finish_reason: string }]
  return choice
}

describe('a message becomes a completion', () => {
  test('plain text has no fields beyond docs/contract.md', () => {
    const answer = answerOf(message([HI]))
    assert.deepEqual(answer.body, {
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
    })
    assert.equal(answer.finishReason, 'stop')
    assert.equal(answer.warning, null)
  })

  test('texts are joined, calls are listed, thinking is kept aside, everything else is skipped', () => {
    assert.deepEqual(answerOf(withTools), {
      body: {
        object: 'chat.completion',
        choices: [
          {
            index: 0,
            message: {
              role: 'assistant',
              content: 'It is 4 °C.',
              tool_calls: [
                {
                  id: 'toolu_01A',
                  type: 'function',
                  function: { name: 'wx', arguments: '{"city":"Oslo","days":null}' },
                },
                { id: 'toolu_01B', type: 'function', function: { name: 'now', arguments: '{}' } },
              ],
            },
            finish_reason: 'tool_calls',
          },
        ],
        usage: {
          prompt_tokens: 180,
          completion_tokens: 40,
          total_tokens: 220,
          prompt_tokens_details: { cached_tokens: 50, cache_write_tokens: 30 },
          completion_tokens_details: { reasoning_tokens: 15 },
        },
      },
      usage: {
        input: 100,
        cachedInput: 50,
        cacheWrite5m: 10,
        cacheWrite30m: 0,
        cacheWrite1h: 20,
        audioInput: 0,
        imageInput: 0,
        audioOutput: 0,
        imageOutput: 0,
        output: 40,
        reasoning: 15,
        pricePercent: 100,
        uses: null,
        stated: null,
      },
      finishReason: 'tool_calls',
      warning: null,
      reasoning: [
        { type: 'thinking', thinking: '', signature: 'EqQBCg==' },
        { type: 'redacted_thinking', data: 'EmwKAh==' },
      ],
    })
  })

  test('thinking is kept for formats that send it back', () => {
    const redacted = { type: 'redacted_thinking', data: 'd' }
    const thought = { type: 'thinking', thinking: 'hm', signature: 's' }
    const unsigned = { type: 'thinking', thinking: 'hm' }
    const reading = fromWire(message([thought, unsigned, redacted, CALL]), PLAIN)
    assert.deepEqual(reading.kind === 'answer' && reading.answer.reasoning, [thought, redacted])
  })

  const contents: [string, unknown[], unknown][] = [
    ['no text beside a call is null', [CALL], null],
    ['no text and no call is empty', [{ type: 'thinking', thinking: 'hm', signature: 'x' }], ''],
    ['no block at all is empty', [], ''],
    ['a text of null is empty', [{ type: 'text', text: null }], ''],
  ]
  for (const [title, content, expected] of contents) {
    test(title, () => assert.equal(choiceOf(message(content)).message['content'], expected))
  }

  for (const [title, input, expected] of [
    ['a string is passed as it is', '{"a":', '{"a":'],
    ['none is {}', null, '{}'],
    ['absent is {}', undefined, '{}'],
  ] as const) {
    test(`input of a call: ${title}`, () => {
      // As it comes off the wire: what is undefined is not there.
      const block = JSON.parse(JSON.stringify({ ...CALL, input }))
      const [call] = choiceOf(message([block])).message['tool_calls'] as [{ function: JsonObject }]
      assert.equal(call.function['arguments'], expected)
    })
  }

  test('a refusal says why', () => {
    const stop = { stop_reason: 'refusal', stop_details: { type: 'refusal', explanation: 'Because.' } }
    assert.deepEqual(choiceOf(message([], stop)), {
      index: 0,
      message: { role: 'assistant', content: '', refusal: 'Because.' },
      finish_reason: 'content_filter',
    })
    const silent = choiceOf(message([HI], { stop_reason: 'refusal', stop_details: null }))
    assert.equal(silent.message['refusal'], "Request declined by the provider's safety system.")
    assert.equal(silent.message['content'], 'Hi')
    const other = choiceOf(message([HI], { stop_details: { explanation: 'x' } }))
    assert.equal('refusal' in other.message, false)
  })

  test('deprecated functions are answered in their own shape', () => {
    assert.deepEqual(choiceOf(message([CALL], { stop_reason: 'tool_use' }), LEGACY), {
      index: 0,
      message: { role: 'assistant', content: null, function_call: { name: 'wx', arguments: '{"a":1}' } },
      finish_reason: 'function_call',
    })
    assert.equal(answerOf(message([CALL]), LEGACY).finishReason, 'function_call')
    assert.equal(choiceOf(message([HI]), LEGACY).finish_reason, 'stop')
  })
})

describe('stop reasons', () => {
  for (const [wire, hasToolCalls, expected] of [
    ['end_turn', false, 'stop'],
    ['end_turn', true, 'tool_calls'],
    ['stop_sequence', false, 'stop'],
    ['tool_use', true, 'tool_calls'],
    ['tool_use', false, 'stop'],
    ['max_tokens', false, 'length'],
    ['max_tokens', true, 'length'],
    ['model_context_window_exceeded', false, 'length'],
    ['refusal', false, 'content_filter'],
    ['pause_turn', false, 'length'],
    ['compaction', false, 'length'],
  ] as const) {
    test(`${wire} ${hasToolCalls ? 'with' : 'without'} tool calls becomes ${expected}`, () => {
      assert.deepEqual(finishReason(wire, hasToolCalls), { reason: expected, isKnown: true })
    })
  }

  for (const [wire, warning] of [
    ['from_the_future', 'unknown stop_reason "from_the_future"'],
    [null, 'unknown stop_reason null'],
    [undefined, 'unknown stop_reason null'],
    ['constructor', 'unknown stop_reason "constructor"'],
  ] as const) {
    test(`${wire} becomes stop, with a warning`, () => {
      const answer = answerOf(message([HI], { stop_reason: wire }))
      assert.equal(answer.finishReason, 'stop')
      assert.equal(answer.warning, warning)
    })
  }

  test('thinking that used up max_tokens is an empty answer, not an error', () => {
    const choice = choiceOf(message([{ type: 'thinking', thinking: '' }], { stop_reason: 'max_tokens' }))
    assert.equal(choice.message['content'], '')
    assert.equal(choice.finish_reason, 'length')
  })
})

describe('a 2xx that is not a message is a failure', () => {
  for (const [title, body] of [
    ['null', null],
    ['text', 'hello'],
    ['a list', []],
    ['an empty object', {}],
    ['content that is text', message([], { content: 'hi' })],
    ['a block without type', message([{ text: 'hi' }])],
    ['a call without name', message([{ ...CALL, name: null }])],
    ['a call without id', message([{ ...CALL, id: '' }])],
    ['an answer of the other family', { choices: [] }],
  ] as const) {
    test(title, () => {
      const reading = fromWire(body, PLAIN)
      assert.equal(reading.kind, 'failure')
      assert.partialDeepStrictEqual(reading, {
        failure: { code: 'upstream_error', status: 200, next: 'any', retry: 'once' },
      })
    })
  }

  test('a call nested too deeply to be written', () => {
    const input = JSON.parse(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`)
    assert.equal(fromWire(message([{ ...CALL, input }]), PLAIN).kind, 'failure')
  })
})
