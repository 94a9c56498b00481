import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fc } from '../../../test/property.ts'
import { NO_USAGE } from '../../domain/pricing/usage.ts'
import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'
import { type MessagesRequest, UNSIGNED } from '../../domain/request/messages.ts'
import type { StreamPart } from '../../domain/request/stream.ts'
import { messageEvents } from './events.ts'
import { chatName } from './tool-names.ts'

const STAMP = { id: 'msg_1', model: 'fast', created: 7 }
const PLAIN = { model: 'fast', max_tokens: 5, messages: [], stream: true } as MessagesRequest
const THINKING = { ...PLAIN, thinking: { type: 'adaptive' } } as MessagesRequest
const END: StreamPart = { type: 'message-end', finishReason: 'stop', warning: null }
const TOKENS = { ...NO_USAGE, input: 5, cachedInput: 3, output: 4 }

/** The events before the end and at it; each must name its own type. */
function written(parts: StreamPart[], request = PLAIN) {
  const writer = messageEvents.open(request, STAMP)
  const live = parts.map((part) => writer.write(part)).join('')
  const end = writer.end({ usage: null, tokens: TOKENS, gateway: { cost_usd: '1' } })
  return { live: eventsOf(live), end: eventsOf(end), text: live + end }
}

function eventsOf(text: string): JsonObject[] {
  const frames = text.split('\n\n')
  assert.equal(frames.pop(), '')
  return frames.map((frame) => {
    const [, type, data] = /^event: (\w+)\ndata: (.*)$/.exec(frame) ?? []
    const event = JSON.parse(data ?? '')
    assert.equal(event.type, type)
    return event
  })
}

const usage = (input: number, cached: number, output: number) => ({
  input_tokens: input,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: cached,
  output_tokens: output,
})
const START = {
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'fast',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: usage(0, 0, 0),
  },
}
const open = (index: number, block: JsonObject) => ({ type: 'content_block_start', index, content_block: block })
const delta = (index: number, value: JsonObject) => ({ type: 'content_block_delta', index, delta: value })
const close = (index: number) => ({ type: 'content_block_stop', index })
const TEXT = { type: 'text', text: '' }
const tool = (id: string, name: string) => ({ type: 'tool_use', id, name, input: {} })
const json = (text: string) => ({ type: 'input_json_delta', partial_json: text })
const start = (index: number, name = 'f'): StreamPart => ({ type: 'tool-call-start', index, id: `c${index}`, name })
const input = (index: number, text: string): StreamPart => ({ type: 'tool-input-delta', index, text })
const say = (text: string): StreamPart => ({ type: 'text-delta', text })
const ended = (reason: string) => [
  { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage: usage(5, 3, 4) },
  { type: 'message_stop', x_gateway: { cost_usd: '1' } },
]

describe('parts become events', () => {
  test('text; the end waits', () => {
    const { live, end } = written([say('Hi'), say(' you'), END])
    assert.deepEqual(live, [
      START,
      open(0, TEXT),
      delta(0, { type: 'text_delta', text: 'Hi' }),
      delta(0, { type: 'text_delta', text: ' you' }),
      close(0),
    ])
    assert.deepEqual(end, ended('end_turn'))
  })

  test('an empty answer is a message', () => {
    const { live, end } = written([END])
    assert.deepEqual([...live, ...end], [START, ...ended('end_turn')])
  })

  test('text, then calls one after the other as soon as the earlier is complete', () => {
    const parts = [say('a'), start(0), input(0, '{"x":'), input(0, '1}'), start(1), input(1, '{}'), END]
    const { live, end } = written(parts)
    assert.deepEqual(live.slice(1), [
      open(0, TEXT),
      delta(0, { type: 'text_delta', text: 'a' }),
      close(0),
      open(1, tool('c0', 'f')),
      delta(1, json('{"x":')),
      delta(1, json('1}')),
      close(1),
      open(2, tool('c1', 'f')),
      delta(2, json('{}')),
      close(2),
    ])
    assert.deepEqual(end, ended('tool_use'))
  })

  test('interleaved calls: the later one waits', () => {
    const parts = [start(0), start(1), input(1, '{"b":'), input(0, '{"a":'), input(1, '2}'), input(0, '1}'), END]
    assert.deepEqual(written(parts).live.slice(1), [
      open(0, tool('c0', 'f')),
      delta(0, json('{"a":')),
      delta(0, json('1}')),
      close(0),
      open(1, tool('c1', 'f')),
      delta(1, json('{"b":2}')),
      close(1),
    ])
  })

  test('thinking only where it was asked for, with a signature', () => {
    const parts: StreamPart[] = [{ type: 'reasoning-delta', text: 'hm' }, say('a'), END]
    assert.deepEqual(written(parts).live[1], open(0, TEXT))
    assert.deepEqual(written(parts, THINKING).live.slice(1, 5), [
      open(0, { type: 'thinking', thinking: '', signature: '' }),
      delta(0, { type: 'thinking_delta', thinking: 'hm' }),
      delta(0, { type: 'signature_delta', signature: UNSIGNED }),
      close(0),
    ])
  })

  test("a provider's signature is kept, whether its text came before or not", () => {
    const block = { type: 'thinking' as const, thinking: 'hm', signature: 's' }
    const parts: StreamPart[] = [{ type: 'reasoning-delta', text: 'hm' }, { type: 'reasoning-end', block }, END]
    const expected = [
      open(0, { type: 'thinking', thinking: '', signature: '' }),
      delta(0, { type: 'thinking_delta', thinking: 'hm' }),
      delta(0, { type: 'signature_delta', signature: 's' }),
      close(0),
    ]
    assert.deepEqual(written(parts, THINKING).live.slice(1), expected)
    assert.deepEqual(written(parts.slice(1), THINKING).live.slice(1), expected)
    const redacted = { type: 'redacted_thinking' as const, data: 'd' }
    const events = written([{ type: 'reasoning-end', block: redacted }, say('a'), END], THINKING).live
    assert.deepEqual(events.slice(1, 4), [open(0, redacted), close(0), open(1, TEXT)])
  })

  test('a tool has the name that the caller gave it', () => {
    const name = 'a tool with blanks'
    const events = written([start(0, chatName(name)), END], { ...PLAIN, tools: [{ name }] } as MessagesRequest).live
    assert.deepEqual(events[1], open(0, tool('c0', name)))
  })
})

describe("a provider's own events", () => {
  const chunk = (value: JsonObject, isEnd = false, written = JSON.stringify(value)): StreamPart => {
    return { type: 'chunk', json: written, value, contentBytes: 0, isEnd }
  }
  const first = '{"type":"message_start","message":{"id":"m","model":"claude-x","usage":{"input_tokens":3, "x":1.0}}}'

  test('pass byte for byte but for the model, and the end waits', () => {
    const odd = '{"type":"content_block_delta", "index":0,"delta":{"type":"text_delta","text":"\\u00e9"}}'
    const stop = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } }
    const parts = [
      chunk(JSON.parse(first), false, first),
      chunk(JSON.parse(odd), false, odd),
      chunk(stop, true),
      chunk({ type: 'message_stop', more: 1 }, true),
      END,
    ]
    const { live, end, text } = written(parts)
    assert.ok(text.startsWith(`event: message_start\ndata: ${first.replace('claude-x', 'fast')}\n\n`), text)
    assert.ok(text.includes(`event: content_block_delta\ndata: ${odd}\n\n`))
    assert.equal(live.length, 2)
    assert.deepEqual(end, [stop, { type: 'message_stop', more: 1, x_gateway: { cost_usd: '1' } }])
  })

  test('begin with our name of the model where they name none', () => {
    const { live } = written([chunk({ type: 'message_start', message: { id: 'm' } }), END])
    assert.deepEqual(live, [{ type: 'message_start', message: { id: 'm', model: 'fast' } }])
  })

  test('end properly where the last one is missing', () => {
    const stop = { type: 'message_delta', delta: { stop_reason: 'end_turn' } }
    const { end } = written([chunk(JSON.parse(first), false, first), chunk(stop, true), END])
    assert.deepEqual(
      end.map(({ type }) => type),
      ['message_delta', 'message_stop'],
    )
  })

  test('of several lines become one line', () => {
    const value = { type: 'content_block_stop', index: 0 }
    assert.ok(
      written([chunk(value, false, '{"type":"content_block_stop",\n"index":0}')]).text.includes(JSON.stringify(value)),
    )
  })
})

// Peer bug 24, new-api#5482, litellm#33224, #27442, axonhub#1677.
test('whatever comes in whatever order: blocks follow each other without gaps, and nothing is lost', () => {
  const part = fc.oneof(
    fc.record({ type: fc.constant('text' as const), text: fc.string({ minLength: 1 }) }),
    fc.record({
      type: fc.constant('input' as const),
      index: fc.nat(3),
      text: fc.constantFrom('{"a":', '1', '}', '{}', ' '),
    }),
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), (wanted) => {
      const started = new Set<number>()
      const complete = new Set<number>()
      const sent = new Map<number, string>()
      const parts = wanted.flatMap((each): StreamPart[] => {
        if (each.type === 'text') return [say(each.text)]
        const before = sent.get(each.index) ?? ''
        // Behind a complete object nothing counts.
        if (isComplete(before)) complete.add(each.index)
        if (complete.has(each.index)) return []
        sent.set(each.index, before + each.text)
        const begin = started.has(each.index) ? [] : [start(each.index)]
        started.add(each.index)
        return [...begin, input(each.index, each.text)]
      })
      const { live } = written([...parts, END])
      let at = -1
      let isOpen = false
      const texts: string[] = []
      for (const event of live.slice(1)) {
        if (event['type'] === 'content_block_start') {
          assert.ok(!isOpen)
          isOpen = true
          at += 1
          texts.push('')
        }
        assert.ok(isOpen)
        assert.equal(event['index'], at)
        if (event['type'] === 'content_block_stop') isOpen = false
        const change = isJsonObject(event['delta']) ? event['delta'] : {}
        texts[at] += String(change['text'] ?? change['partial_json'] ?? '')
      }
      assert.ok(!isOpen)
      const said = wanted.map((each) => (each.type === 'text' ? each.text : '')).join('')
      const inputs = [...sent.values()]
      assert.equal([...texts.join('')].sort().join(''), [...said, ...inputs.join('')].sort().join(''))
    }),
    { numRuns: 500 },
  )
})

function isComplete(text: string): boolean {
  try {
    return isJsonObject(JSON.parse(text))
  } catch {
    return false
  }
}
