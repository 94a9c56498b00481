import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fc } from '../../../test/property.ts'
import { type Masked, Placeholders } from '../../domain/content/placeholders.ts'
import type { JsonObject } from '../../domain/request/call-request.ts'
import { Restoring } from './restoring.ts'

const MASKED: Masked = { '[E_1]': 'ann@x.example', '<P>': 'Zoë "Z"\n', '[E_1': 'SHORT' }
const WORDS = ['[E_1]', '<P>', '[E_1', '[', '[E', '<', 'a', ' ', '"', '\\', 'ü']

/** A stream of two texts, in these pieces: its frames, and what a client makes of them. */
interface Format {
  isJson: boolean
  frames(first: readonly string[], second: readonly string[]): JsonObject[]
  /** The texts that its pieces add up to. */
  read(events: readonly JsonObject[]): [string, string]
  end?: string
}

// biome-ignore lint/suspicious/noExplicitAny: a test looks into events of every shape.
type Any = any
const joined = (events: readonly JsonObject[], of: (event: Any) => unknown) => events.map((e) => of(e) ?? '').join('')
const frameOf = (event: JsonObject) =>
  `${typeof event['type'] === 'string' ? `event: ${event['type']}\n` : ''}data: ${JSON.stringify(event)}\n\n`

const chunk = (index: number, delta: object, finish_reason: string | null = null) => ({
  id: 'chatcmpl_[E_1]',
  choices: [{ index, delta, finish_reason }],
  usage: null,
})
const call = (text: string) => ({ tool_calls: [{ index: 0, function: { arguments: text } }] })
const numbered = (events: object[]) => events.map((event, sequence_number) => ({ ...event, sequence_number }))
const said = (pieces: readonly string[], output_index: number, name: string, field: string) => [
  ...pieces.map((delta) => ({ type: `response.${name}.delta`, output_index, content_index: 0, delta })),
  { type: `response.${name}.done`, output_index, content_index: 0, [field]: pieces.join('') },
]

const FORMATS: Record<string, Format & { endpoint: string }> = {
  'choices of chat, interleaved': {
    endpoint: 'chat',
    isJson: false,
    frames: (first, second) => [
      ...Array.from({ length: Math.max(first.length, second.length) }, (_, at) => [
        chunk(0, { content: first[at] ?? '' }),
        chunk(1, { content: second[at] ?? '' }),
      ]).flat(),
      chunk(0, {}, 'stop'),
      chunk(1, {}, 'stop'),
      { choices: [], usage: { total_tokens: 5 } },
    ],
    read(events) {
      const pieceOf = ({ choices: [choice] }: Any) => (choice?.delta.content ? choice.index : null)
      assertInOrder(events, pieceOf, ({ choices: [choice] }) => choice?.finish_reason === 'stop' && choice.index)
      const textOf = (at: number) =>
        joined(events, (event) => (pieceOf(event) === at ? event.choices[0].delta.content : ''))
      return [textOf(0), textOf(1)]
    },
    end: 'data: [DONE]\n\n',
  },
  'text and a tool of chat': {
    endpoint: 'chat',
    isJson: true,
    frames: (first, second) => [
      ...first.map((text) => chunk(0, { content: text })),
      ...second.map((text) => chunk(0, call(text))),
      chunk(0, {}, 'tool_calls'),
    ],
    read: (events) => [
      joined(events, ({ choices: [{ delta }] }) => delta.content),
      joined(events, ({ choices: [{ delta }] }) => delta.tool_calls?.[0].function.arguments),
    ],
  },
  'completions that just end': {
    endpoint: 'completions',
    isJson: false,
    frames: (first, second) => [
      ...first.map((text) => ({ choices: [{ index: 0, text, finish_reason: null }] })),
      ...second.map((text) => ({ choices: [{ index: 1, text, finish_reason: null }] })),
    ],
    read: (events) =>
      [0, 1].map((index) => joined(events, ({ choices: [choice] }) => (choice.index === index ? choice.text : ''))) as [
        string,
        string,
      ],
  },
  'blocks of messages': {
    endpoint: 'messages',
    isJson: true,
    frames: (first, second) => [
      { type: 'message_start', message: { id: 'msg_[E_1]', content: [] } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      ...first.flatMap((text) => [
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
        { type: 'ping' },
      ]),
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 't', input: {} } },
      ...second.map((text) => ({
        type: 'content_block_delta',
        index: 1,
        delta: { type: 'input_json_delta', partial_json: text },
      })),
      { type: 'content_block_stop', index: 1 },
      { type: 'message_stop' },
    ],
    read(events) {
      assertInOrder(
        events,
        ({ type, index }) => type === 'content_block_delta' && index,
        ({ type, index }) => type === 'content_block_stop' && index,
      )
      return [joined(events, ({ delta }) => delta?.text), joined(events, ({ delta }) => delta?.partial_json)]
    },
  },
  'items of responses': {
    endpoint: 'responses',
    isJson: true,
    frames: (first, second) =>
      numbered([
        { type: 'response.created', response: { id: 'resp_[E_1]', output: [] } },
        ...said(first, 0, 'output_text', 'text'),
        ...said(second, 1, 'function_call_arguments', 'arguments'),
        {
          type: 'response.completed',
          response: {
            output: [
              { type: 'message', content: [{ type: 'output_text', text: first.join('') }] },
              { type: 'function_call', arguments: second.join('') },
            ],
          },
        },
      ]),
    read(events) {
      assertInOrder(
        events,
        ({ delta, output_index: index }) => delta !== undefined && index,
        ({ type, output_index: index }) => type.endsWith('.done') && index,
      )
      const of = (name: string) => joined(events, ({ type, delta }) => (type === `response.${name}.delta` ? delta : ''))
      const all = events as Any[]
      const [text, json] = [of('output_text'), of('function_call_arguments')]
      assert.equal(all.find(({ type }) => type === 'response.output_text.done').text, text)
      assert.equal(all.at(-1).response.output[0].content[0].text, text)
      assert.equal(all.at(-1).response.output[1].arguments, json)
      assert.deepEqual(
        all.map(({ sequence_number: number }) => number),
        [...all.keys()],
      )
      return [text, json]
    },
  },
  'parts of generateContent': {
    endpoint: 'generate_content',
    isJson: false,
    frames: (first, second) => [
      ...first.map((text) => ({ candidates: [{ content: { parts: [{ text }] }, index: 0 }] })),
      {
        candidates: [
          { content: { parts: [{ functionCall: { name: 'f', args: { of: [second.join('')] } } }] }, index: 0 },
        ],
      },
      { candidates: [{ content: { parts: [{ text: '' }] }, finishReason: 'STOP', index: 0 }], usageMetadata: {} },
    ],
    read: (events) => [
      joined(events, ({ candidates: [{ content }] }) => content.parts[0].text),
      joined(events, ({ candidates: [{ content }] }) => content.parts[0].functionCall?.args.of[0]),
    ],
  },
}

const eventsOf = (frames: string): JsonObject[] =>
  frames
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)))

/** No piece of a text comes after its end. */
function assertInOrder(events: readonly Any[], pieceOf: (event: Any) => unknown, endOf: (event: Any) => unknown): void {
  const ended = new Set<unknown>()
  for (const event of events) {
    const piece = pieceOf(event)
    assert.ok(typeof piece !== 'number' || !ended.has(piece), JSON.stringify(event))
    ended.add(endOf(event))
  }
}

/** A text in pieces, cut anywhere. */
const pieces = (isJson: boolean) =>
  fc
    .tuple(fc.array(fc.constantFrom(...WORDS), { maxLength: 8 }), fc.array(fc.nat({ max: 40 }), { maxLength: 6 }))
    .map(([words, cuts]) => {
      const text = isJson ? JSON.stringify({ to: words.join('') }) : words.join('')
      const places = [0, ...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b), text.length]
      return places.slice(1).map((to, at) => text.slice(places[at], to))
    })

describe('a stream says what its whole texts say', () => {
  for (const [name, { endpoint, isJson, frames, read, end = '' }] of Object.entries(FORMATS)) {
    test(name, () => {
      fc.assert(
        fc.property(pieces(false), pieces(isJson), fc.nat(), (first, second, part) => {
          const restoring = Restoring.of(MASKED, endpoint)
          assert.ok(restoring)
          const sent = frames(first, second).map(frameOf)
          const at = part % (sent.length + 1)
          const got =
            restoring.live.write(sent.slice(0, at).join('')) + restoring.live.end(sent.slice(at).join('') + end)
          const [text, other] = read(eventsOf(got))
          assert.equal(text, new Placeholders(MASKED).restore(first.join('')).text)
          assert.equal(other, new Placeholders(MASKED, isJson).restore(second.join('')).text)
          assert.ok(got.endsWith(end))
          for (const id of ['chatcmpl_[E_1]', 'msg_[E_1]', 'resp_[E_1]'])
            assert.equal(got.includes(id), sent.join('').includes(id))
          // One that joins later gets the same.
          const later = restoring.open()
          assert.equal(sent.map((frame) => later.write(frame)).join('') + later.end(end), got)
        }),
        { numRuns: 400 },
      )
    })
  }
})

test('frames without anything to restore pass byte for byte', () => {
  const restoring = Restoring.of(MASKED, 'chat')
  const frames =
    ': keep-alive\ndata: {"choices": [ {"index":0,"delta":{"content":"x"}} ], "n": 1.0}\n\ndata: {broken\n\n'
  assert.equal(restoring?.live.write(frames), frames)
})

test('a text that is cut by an error keeps its end, before the error', () => {
  const restoring = Restoring.of(MASKED, 'chat')
  const got = restoring?.live.write(frameOf(chunk(0, { content: 'a [E' })))
  const rest = restoring?.live.end('data: {"error":{"code":"upstream_error"}}\n\n')
  const [first, second, third] = eventsOf(`${got}${rest}`) as Any[]
  assert.deepEqual([first.choices[0].delta.content, second.choices[0].delta.content], ['a ', '[E'])
  assert.equal(third.error.code, 'upstream_error')
})

test('a whole answer: texts and the input of tools, nothing else', () => {
  const answers: [string, JsonObject, unknown][] = [
    [
      'chat',
      { id: '[E_1]', choices: [{ message: { content: '[E_1]', reasoning_content: '[E_1]', ...call('{"a":"<P>"}') } }] },
      {
        id: '[E_1]',
        choices: [
          { message: { content: 'ann@x.example', reasoning_content: '[E_1]', ...call('{"a":"Zoë \\"Z\\"\\n"}') } },
        ],
      },
    ],
    [
      'messages',
      {
        content: [
          { type: 'thinking', thinking: '<P>', signature: '<P>' },
          { type: 'text', text: '<P>' },
          { type: 'tool_use', id: '<P>', input: { a: ['<P>', 1] } },
        ],
      },
      {
        content: [
          { type: 'thinking', thinking: '<P>', signature: '<P>' },
          { type: 'text', text: 'Zoë "Z"\n' },
          { type: 'tool_use', id: '<P>', input: { a: ['Zoë "Z"\n', 1] } },
        ],
      },
    ],
    [
      'responses',
      {
        instructions: '[E_1]',
        output: [
          { type: 'reasoning', summary: [{ text: '[E_1]' }] },
          {
            type: 'message',
            content: [
              { type: 'output_text', text: '[E_1]' },
              { type: 'refusal', refusal: '[E_1]' },
            ],
          },
          { type: 'custom_tool_call', input: '<P>' },
        ],
      },
      {
        instructions: '[E_1]',
        output: [
          { type: 'reasoning', summary: [{ text: '[E_1]' }] },
          {
            type: 'message',
            content: [
              { type: 'output_text', text: 'ann@x.example' },
              { type: 'refusal', refusal: 'ann@x.example' },
            ],
          },
          { type: 'custom_tool_call', input: 'Zoë "Z"\n' },
        ],
      },
    ],
    [
      'generate_content',
      {
        responseId: '<P>',
        candidates: [
          {
            content: {
              parts: [{ text: '<P>', thought: true }, { text: '<P>' }, { functionCall: { args: { a: { b: '<P>' } } } }],
            },
          },
        ],
      },
      {
        responseId: '<P>',
        candidates: [
          {
            content: {
              parts: [
                { text: '<P>', thought: true },
                { text: 'Zoë "Z"\n' },
                { functionCall: { args: { a: { b: 'Zoë "Z"\n' } } } },
              ],
            },
          },
        ],
      },
    ],
    ['completions', { choices: [{ text: '[E_1]' }] }, { choices: [{ text: 'ann@x.example' }] }],
  ]
  for (const [endpoint, answer, expected] of answers) {
    const headers = { 'content-type': 'application/json; charset=utf-8' }
    const reply = { status: 200, headers, body: JSON.stringify(answer) }
    const shown = Restoring.of(MASKED, endpoint)?.reply(reply) as typeof reply
    assert.deepEqual(JSON.parse(shown.body), expected)
    const refusal = { ...reply, status: 400 }
    assert.equal(Restoring.of(MASKED, endpoint)?.reply(refusal), refusal)
  }
  assert.equal(Restoring.of(MASKED, 'embeddings'), null)
})
