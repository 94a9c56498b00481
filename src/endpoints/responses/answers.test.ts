import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  END,
  eventsOf,
  outputOf,
  REQUEST,
  responseOf,
  SEALING,
  STAMP,
  streamed,
  USAGE,
  written,
} from '../../../test/fixtures/responses/answers.ts'
import { GatewayError } from '../../domain/errors.ts'
import type { Answer, ReasoningBlock } from '../../domain/request/answer.ts'
import type { JsonObject } from '../../domain/request/call-request.ts'
import type { ResponsesRequest } from '../../domain/request/responses.ts'
import type { StreamPart } from '../../domain/request/stream.ts'
import { responses } from './responses.ts'
import { unsealReasoning } from './sealed-reasoning.ts'

const THOUGHT: ReasoningBlock = { type: 'thinking', thinking: 'hm', signature: 's' }
const REDACTED: ReasoningBlock = { type: 'redacted_thinking', data: 'd' }
/** Without what is sealed: it never looks the same twice. */
function plain(items: JsonObject[]): JsonObject[] {
  return items.map(({ encrypted_content: sealed, ...item }) =>
    sealed === undefined ? item : { ...item, isSealed: true },
  )
}

describe('an answer that was translated', () => {
  const said = (text: string, at: number, status = 'completed') => ({
    ...{ id: `msg_1_${at}`, type: 'message', status, role: 'assistant' },
    content: [{ type: 'output_text', annotations: [], logprobs: [], text }],
  })
  const called = (id: string, name: string, at: number, more: object = {}) => ({
    ...{ type: 'function_call', status: 'completed', id: `fc_1_${at}`, call_id: id, name },
    ...{ arguments: '{"a":1}', ...more },
  })
  const thought = (at: number, text: string) => ({
    ...{ id: `rs_1_${at}`, type: 'reasoning' },
    summary: text === '' ? [] : [{ type: 'summary_text', text }],
  })
  const call = (id: string, name: string, args = '{"a":1}') => ({
    ...{ id, type: 'function' },
    function: { name, arguments: args },
  })
  const start = (index: number, id: string, name: string): StreamPart => ({ type: 'tool-call-start', index, id, name })
  const input = (index: number, text: string): StreamPart => ({ type: 'tool-input-delta', index, text })
  const text = (...texts: string[]) => texts.map((each): StreamPart => ({ type: 'text-delta', text: each }))

  /** The same answer, whole and as parts, has the same items. */
  const table: [what: string, message: JsonObject, more: Partial<Answer>, parts: StreamPart[], items: JsonObject[]][] =
    [
      ['text', { content: 'one two' }, {}, text('one ', 'two'), [said('one two', 0)]],
      ['nothing', { content: null }, {}, [], [{ ...said('', 0), content: [] }]],
      [
        'a refusal',
        { content: null, refusal: 'no' },
        {},
        [{ type: 'refusal-delta', text: 'no' }],
        [{ ...said('', 0), content: [{ type: 'refusal', refusal: 'no' }] }],
      ],
      [
        'calls whose fragments are mixed',
        { content: 'Let me', tool_calls: [call('a', 'wx'), call('b', 'mcp__wx')] },
        {},
        [
          ...text('Let me'),
          start(0, 'a', 'wx'),
          start(1, 'b', 'mcp__wx'),
          input(0, '{"a"'),
          input(1, '{"a":'),
          input(0, ':1}'),
          input(1, '1}'),
        ],
        [said('Let me', 0), called('a', 'wx', 1), called('b', 'wx', 2, { namespace: 'mcp' })],
      ],
      [
        'a call without arguments',
        { content: null, tool_calls: [call('a', 'wx', '')] },
        {},
        [start(0, 'a', 'wx')],
        [called('a', 'wx', 0, { arguments: '{}' })],
      ],
      [
        'a custom tool',
        { content: null, tool_calls: [call('a', 'patch', '{"input":"*** \\"x\\""}')] },
        {},
        [start(0, 'a', 'patch'), input(0, '{"input":"*** '), input(0, '\\"x\\""}')],
        [
          {
            type: 'custom_tool_call',
            status: 'completed',
            id: 'ctc_1_0',
            call_id: 'a',
            name: 'patch',
            input: '*** "x"',
          },
        ],
      ],
      [
        'a custom tool whose wrapping the model forgot',
        { content: null, tool_calls: [call('a', 'patch', '*** x')] },
        {},
        [start(0, 'a', 'patch'), input(0, '*** x')],
        [{ type: 'custom_tool_call', status: 'completed', id: 'ctc_1_0', call_id: 'a', name: 'patch', input: '*** x' }],
      ],
      [
        'thoughts that come back',
        { content: 'so' },
        { reasoning: [THOUGHT, REDACTED] },
        [
          { type: 'reasoning-delta', text: 'hm' },
          { type: 'reasoning-end', block: THOUGHT },
          { type: 'reasoning-end', block: REDACTED },
          ...text('so'),
        ],
        [{ ...thought(0, 'hm'), isSealed: true }, { ...thought(1, ''), isSealed: true }, said('so', 2)],
      ],
      [
        'thoughts that are only shown',
        { content: 'so', reasoning_content: 'hm' },
        {},
        [{ type: 'reasoning-delta', text: 'h' }, { type: 'reasoning-delta', text: 'm' }, ...text('so')],
        [thought(0, 'hm'), said('so', 1)],
      ],
    ]
  for (const [what, message, more, parts, items] of table) {
    test(`${what}, whole`, () => {
      const response = written(message, more)
      assert.deepEqual(plain(outputOf(response)), items)
      assert.deepEqual([response['id'], response['model'], response['status']], ['resp_1', 'fast', 'completed'])
      assert.deepEqual(response['usage'], USAGE)
    })
    test(`${what}, streamed`, () => {
      const { events } = streamed([...parts, END])
      const last = events.at(-1) ?? assert.fail()
      assert.deepEqual(plain(outputOf(responseOf(last))), items)
      assert.deepEqual([last['type'], last['x_gateway']], ['response.completed', { cost_usd: '1' }])
      assert.deepEqual(responseOf(last)['usage'], USAGE)
      checkOrder(events)
    })
  }

  /** What strict clients check. */
  function checkOrder(events: JsonObject[]): void {
    assert.deepEqual(
      events.map((event) => event['sequence_number']),
      [...events.keys()],
    )
    assert.deepEqual(
      events.slice(0, 2).map(({ type }) => type),
      ['response.created', 'response.in_progress'],
    )
    const of = (type: string) => events.filter((event) => event['type'] === type)
    const added = of('response.output_item.added').map((event) => event['output_index'])
    assert.deepEqual(added, [...added.keys()])
    const done = of('response.output_item.done')
    const items = outputOf(responseOf(events.at(-1)))
    assert.deepEqual(done.map((event) => event['item']).sort(byId), items.toSorted(byId))
  }
  const byId = (a: unknown, b: unknown) =>
    ((a as JsonObject)['id'] as string).localeCompare(String((b as JsonObject)['id']))

  test('what is sealed opens again', () => {
    const [whole] = outputOf(written({ content: 'so' }, { reasoning: [THOUGHT] }))
    const { events } = streamed([{ type: 'reasoning-end', block: THOUGHT }, ...text('so'), END])
    const [piece] = outputOf(responseOf(events.at(-1)))
    for (const item of [whole, piece]) {
      assert.deepEqual(unsealReasoning(String(item?.['encrypted_content']), SEALING), THOUGHT)
      assert.deepEqual(item?.['summary'], [{ type: 'summary_text', text: 'hm' }])
    }
  })

  test('nothing is sealed for a caller who does not ask for it', () => {
    const request = { model: 'fast', input: 'hi' } as ResponsesRequest
    assert.deepEqual(outputOf(written({ content: 'so' }, { reasoning: [THOUGHT, REDACTED] }, request)), [
      thought(0, 'hm'),
      said('so', 1),
    ])
    const { events } = streamed([{ type: 'reasoning-end', block: REDACTED }, ...text('so'), END], request)
    assert.deepEqual(outputOf(responseOf(events.at(-1))), [said('so', 0)])
  })

  const ends: [finishReason: string, status: string, details: unknown][] = [
    ['tool_calls', 'completed', null],
    ['length', 'incomplete', { reason: 'max_output_tokens' }],
    ['content_filter', 'incomplete', { reason: 'content_filter' }],
  ]
  for (const [finishReason, status, details] of ends) {
    test(`that ended with ${finishReason} is ${status}`, () => {
      const whole = written({ content: 'x' }, { finishReason })
      const { events } = streamed([...text('x'), { type: 'message-end', finishReason, warning: null }])
      const last = events.at(-1) ?? assert.fail()
      assert.equal(last['type'], `response.${status}`)
      for (const response of [whole, responseOf(last)]) {
        assert.deepEqual([response['status'], response['incomplete_details']], [status, details])
        assert.deepEqual(outputOf(response), [said('x', 0, status)])
      }
    })
  }

  test('events of text are those that clients know', () => {
    const { events } = streamed([...text('a'), END])
    assert.deepEqual(
      events.map(({ type }) => String(type).replace('response.', '')),
      [
        ...['created', 'in_progress', 'output_item.added', 'content_part.added', 'output_text.delta'],
        ...['output_text.done', 'content_part.done', 'output_item.done', 'completed'],
      ],
    )
  })

  test('nothing is said before the first content, and the end waits', () => {
    const writer = responses.stream?.open(REQUEST, STAMP) ?? assert.fail()
    assert.equal(writer.write({ type: 'text-delta', text: '' }), '')
    assert.match(writer.write({ type: 'text-delta', text: 'a' }), /^event: response.created\n/)
    assert.equal(writer.write(END), '')
  })

  test('settings are repeated, from an outline too', () => {
    const settings = {
      ...{ temperature: 0.5, top_p: 0.9, max_output_tokens: 7, parallel_tool_calls: false, metadata: { a: 'b' } },
      ...{ tool_choice: { type: 'function', name: 'wx' }, reasoning: { effort: 'low', summary: 'auto' }, user: 'u' },
    }
    const format = { type: 'json_schema', name: 'n', schema: { type: 'object' } }
    const request = { ...REQUEST, ...settings, instructions: 'long', text: { format } } as ResponsesRequest
    const outlined = { ...request, ...responses.outline?.(request), input: '' } as ResponsesRequest
    for (const response of [written({ content: 'x' }, {}, request), written({ content: 'x' }, {}, outlined)]) {
      const { instructions, tools, text: echoed, ...rest } = response
      assert.deepEqual([instructions, tools, echoed], [null, [], { format: { type: 'json_schema', name: 'n' } }])
      for (const [name, value] of Object.entries(settings)) assert.deepEqual(rest[name], value, name)
    }
  })

  test('tools are known by their outline', () => {
    const input = [{ type: 'additional_tools', tools: [{ type: 'custom', name: 'late', description: 'x'.repeat(9) }] }]
    const request = { ...REQUEST, input } as unknown as ResponsesRequest
    const once = { model: 'fast', ...responses.outline?.(request) } as ResponsesRequest
    assert.doesNotMatch(JSON.stringify(once), /xxx/)
    const twice = { model: 'fast', ...responses.outline?.(once) } as ResponsesRequest
    const message = { tool_calls: [call('a', 'late', '{"input":"x"}'), call('b', 'mcp__wx')] }
    for (const known of [request, once, twice]) {
      const [first, second] = outputOf(written(message, {}, known))
      assert.deepEqual([first?.['input'], second?.['namespace']], ['x', 'mcp'])
    }
  })

  test('a failure after content has the id of the stream', () => {
    const writer = responses.stream?.open(REQUEST, STAMP) ?? assert.fail()
    const begun = eventsOf(writer.write({ type: 'text-delta', text: 'a' }))
    const error = new GatewayError('rate_limited', 'Slow down.', { retryAfterSeconds: 7 })
    const [failed] = eventsOf(writer.fail?.(error) ?? '')
    const { id, status, error: reported } = responseOf(failed)
    assert.deepEqual(
      [failed?.['type'], failed?.['sequence_number'], id, status],
      ['response.failed', begun.length, 'resp_1', 'failed'],
    )
    assert.deepEqual(reported, { code: 'rate_limit_exceeded', message: 'Slow down. Please try again in 7s.' })
  })

  test('a failure before anything was said is a failed response too', () => {
    const [failed] = eventsOf(responses.stream?.error(new GatewayError('upstream_error'), 'resp_9') ?? '')
    assert.deepEqual([failed?.['type'], responseOf(failed)['id']], ['response.failed', 'resp_9'])
  })
})
