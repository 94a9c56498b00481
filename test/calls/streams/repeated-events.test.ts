import assert from 'node:assert/strict'
import { describe, mock, test } from 'node:test'
import { ANTHROPIC_ODDITIES } from '../../../simulator/anthropic/oddities.ts'
import { OPENAI_ODDITIES } from '../../../simulator/openai/oddities.ts'
import { RESPONSES_ODDITIES } from '../../../simulator/openai/responses/oddities.ts'
import { startSimulator } from '../../../simulator/simulator.ts'
import { connect, type Format, HELLO } from '../../../simulator/test-client.ts'
import { familyNamed } from '../../../src/bodies/destination.ts'
import { GatewayError } from '../../../src/domain/errors.ts'
import { NO_USAGE } from '../../../src/domain/pricing/usage.ts'
import { contentBytes } from '../../../src/domain/request/stream.ts'
import { chatEvents } from '../../../src/endpoints/chat-completions/events.ts'
import { messageEvents } from '../../../src/endpoints/messages/events.ts'
import { responseEvents } from '../../../src/endpoints/responses/events.ts'
import { Repeats } from '../../../src/providers/repeats.ts'
import { ServerSentEvents } from '../../../src/upstream/server-sent-events.ts'
import { atLength } from '../../at-length.ts'
import { fc } from '../../property.ts'

const STAMP = { id: 'chatcmpl_ours', model: 'fast', created: 7 }
const FAILED = new GatewayError('overloaded')
const WIRES = {
  openai: { family: 'openai', operation: 'chat', format: chatEvents, oddities: OPENAI_ODDITIES },
  anthropic: { family: 'anthropic', operation: 'messages', format: messageEvents, oddities: ANTHROPIC_ODDITIES },
  responses: { family: 'openai', operation: 'responses', format: responseEvents, oddities: RESPONSES_ODDITIES },
} as const
const FORMATS = Object.keys(WIRES) as Format[]

/** Everything that a stream becomes: what the caller gets with each piece and at the end, and what is counted. */
function outcomeOf(wire: Format, pieces: readonly Buffer[], isUsageWanted: boolean) {
  const { family, operation, format } = WIRES[wire]
  const request = { model: 'm', stream: true, stream_options: { include_usage: isUsageWanted } } as never
  const reader = familyNamed(family).translators[operation]?.stream?.open(request, 'm')
  assert.ok(reader !== undefined)
  const writer = format.open(request, STAMP)
  const frames = new ServerSentEvents()
  const counted = { deltas: 0, bytes: 0, repeated: 0 }
  const written = [...pieces.map((piece) => frames.read(piece)), frames.end()].map((events) => {
    const parts = events.flatMap((event) => reader.read(event))
    for (const part of parts) {
      counted.bytes += contentBytes(part)
      if (contentBytes(part) > 0) counted.deltas += 1
      if (part.type === 'chunk' && part.like !== undefined) counted.repeated += 1
    }
    return parts.map((part) => writer.write(part) + (part.type === 'failed' ? JSON.stringify(part) : ''))
  })
  const last = reader.end()
  const end = { usage: reader.usage, tokens: reader.usage?.tokens ?? NO_USAGE, gateway: { cost_usd: '1' } }
  const { repeated, ...all } = counted
  const { usage, hiddenBytes, isFinished } = reader
  const ended = [last, writer.fail?.(FAILED), writer.end(end)]
  return { repeated, outcome: { written, ended, ...all, usage, hiddenBytes, isFinished } }
}

/** How many events were not parsed. */
function compare(wire: Format, pieces: readonly Buffer[], isUsageWanted = false): number {
  const { outcome, repeated } = outcomeOf(wire, pieces, isUsageWanted)
  const parsed = mock.method(Repeats.prototype, 'read', () => null)
  try {
    assert.deepEqual(outcome, outcomeOf(wire, pieces, isUsageWanted).outcome)
  } finally {
    parsed.mock.restore()
  }
  return repeated
}

function cut(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size))
}

const TEXT = 'Wagons "roll" down the hump,\nC:\\track — größer, 😀 and 線路, each to its\ttrack. '.repeat(3)

describe('streams of the simulator become the same whether repeated events are parsed or not', async () => {
  const simulator = await startSimulator()
  const client = connect(simulator)
  const tool = { type: 'object', properties: { city: { type: 'string' } } }
  const bodies: Record<Format, object> = {
    openai: { messages: HELLO, tools: [{ type: 'function', function: { name: 'weather', parameters: tool } }] },
    anthropic: { messages: HELLO, max_tokens: 500, tools: [{ name: 'weather', input_schema: tool }] },
    responses: { input: 'hello', tools: [{ type: 'function', name: 'weather', parameters: tool, strict: false }] },
  }
  const recorded = await Promise.all(
    FORMATS.flatMap((wire) =>
      [[], ...Object.keys(WIRES[wire].oddities).map((name) => [name])].map(async (odd) => {
        const model = `${wire === 'anthropic' ? 'claude' : 'gpt'}-recorded-${wire}-${odd}`
        simulator.script(model, [{ tweak: { text: TEXT, thinking: TEXT, toolCalls: 2 }, stream: { odd } }])
        const response = await client.open(wire, { model, stream: true, ...bodies[wire] })
        return { wire, odd, bytes: Buffer.from(await response.arrayBuffer()) }
      }),
    ),
  )
  await simulator.close()

  for (const { wire, odd, bytes } of recorded) {
    test(`${wire} ${odd}`, () => {
      for (const size of [1, 1000, bytes.length])
        for (const isUsageWanted of [false, true]) compare(wire, cut(bytes, size), isUsageWanted)
      if (odd.length === 0) assert.ok(compare(wire, [bytes]) > 50)
    })
  }
})

const CHAT = '{"id":"x","object":"chat.completion.chunk","created":1,"model":"m",'
const NULL = '"finish_reason":null}]'
/** What may come before and after a text. */
const HEADS: Record<Format, string[]> = {
  openai: [
    `${CHAT}"choices":[{"index":0,"delta":{"content":"`,
    `${CHAT}"choices":[{"index":1,"delta":{"content":"`,
    `${CHAT}"choices":[{"index":0,"delta":{"role":"assistant","content":"`,
    `${CHAT}"choices":[{"index":0,"delta":{"content":"","reasoning_content":"`,
    `${CHAT}"choices":[{"index":0,"delta":{"reasoning_content":"","reasoning":"`,
    `${CHAT}"content":"meta","choices":[{"index":0,"delta":{"content":"`,
    `${CHAT}"choices":[{"index":0,"delta":{"c\\u006fntent":"abc","text":"`,
    `${CHAT}"choices":[{"index":0,"delta":{"audio":{"transcript":"ab"},"text":"`,
    `${CHAT}"choices":[{"index":0,"delta":{"content":[{"type":"text","text":"`,
    `${CHAT}"usage":{"prompt_tokens":1},"choices":[{"index":0,"delta":{"content":"`,
    `${CHAT}"error":{"message":"no"},"choices":[{"index":0,"delta":{"content":"`,
    `{"error":null, "model": "m", "id": "x", "created": 2, "choices": [{"index": 0, "delta": {"content": "`,
    `${CHAT}"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"`,
    `${CHAT}"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"`,
    `${CHAT}"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"b","function":{"name":"g","arguments":"`,
    `{"id":"x","model":"m","choices":[{"index":0,"delta":{"content":"`,
  ],
  anthropic: [
    '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"',
    '{"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "',
    '{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"',
    '{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"',
    '{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"',
    '{"type":"message_delta","usage":{"output_tokens":3},"delta":{"stop_reason":"',
    '{"type":"message_start","message":{"model":"m","usage":{"input_tokens":3},"content":[],"text":"',
    '{"type":"unknown","text":"',
  ],
  responses: [
    '{"type":"response.output_text.delta","sequence_number":7,"output_index":0,"delta":"',
    '{"type":"response.output_text.delta","sequence_number":08,"output_index":0,"delta":"',
    '{"type":"response.output_text.delta","sequence_number":"8","output_index":0,"delta":"',
    '{"type":"response.output_text.delta","sequence_number": 12, "output_index":0,"delta":"',
    '{"type":"response.function_call_arguments.delta","output_index":1,"delta":"',
    '{"type":"response.output_item.done","output_index":2,"item":{"type":"message","content":[{"text":"',
    '{"type":"response.created","response":{"id":"r","model":"m"},"delta":"',
    '{"output_index":0,"delta":"',
    '{"type":"response.output_text.delta","response":{"model":"m"},"delta":"',
  ],
}
const TAILS: Record<Format, string[]> = {
  openai: [
    `"},${NULL}}`,
    `"},${NULL},"usage":null}`,
    `"},${NULL},"usage":null,"obfuscation":"a1"}`,
    `"},${NULL},"usage":null,"obfuscation":"b23"}`,
    `"},${NULL},"usage":null,"obfuscation":""}`,
    `"},${NULL},"service_tier":"flex"}`,
    `"},${NULL},"x_groq":{"usage":{"prompt_tokens":1,"completion_tokens":2}}}`,
    `"}}]},${NULL}}`,
    `"}]},${NULL}}`,
    '"},"finish_reason":"stop"}]}',
    '"}}]}',
    '","content":"twice"},"finish_reason":null}]}',
    `"},${NULL}`,
  ],
  anthropic: ['"}}', '"}  }', '"}\t }', '"} }', '","text":"more"}}', '"},"error":{"message":"no"}}', '"}'],
  responses: [
    '"}',
    '","logprobs":[]}',
    '","obfuscation":"xyz"}',
    '","error":{"code":"no"}}',
    '"}]}}',
    '","delta":2}',
    '"',
  ],
}
const PIECES = [
  'a',
  'word ',
  'ä',
  '😀',
  '\\n',
  '\\"',
  '\\\\',
  '\\u00e4',
  '\\ud83d',
  '\\ude00',
  '"',
  '\t',
  '\\x',
  '{',
  '',
]
const NAMES = ['', 'event: x\n', 'event: error\n']

/** A stream ends with its first broken event, so the first ones, which are whole, come more often. */
function mostly(choices: readonly string[], usual: number): fc.Arbitrary<string> {
  const rare = { weight: 1, arbitrary: fc.constantFrom(...choices) }
  return fc.oneof(rare, { weight: 5, arbitrary: fc.constantFrom(...choices.slice(0, usual)) })
}

describe('generated streams become the same whether repeated events are parsed or not', () => {
  for (const wire of FORMATS) {
    test(wire, () => {
      const frame = fc.record({
        name: mostly(NAMES, 1),
        head: mostly(HEADS[wire], 1),
        tail: mostly(TAILS[wire], 4),
        texts: fc.array(fc.array(mostly(PIECES, 10), { maxLength: 4 }), { minLength: 1, maxLength: 8 }),
      })
      const streams = fc.record({ frames: fc.array(frame, { maxLength: 5 }), size: fc.integer({ min: 1, max: 400 }) })
      let repeated = 0
      fc.assert(
        fc.property(streams, fc.boolean(), ({ frames, size }, isUsageWanted) => {
          const text = frames
            .flatMap(({ name, head, tail, texts }) =>
              texts.map((each) => `${name}data: ${head}${each.join('')}${tail}\n\n`),
            )
            .join('')
          repeated += compare(wire, cut(Buffer.from(text), size), isUsageWanted)
        }),
        { numRuns: atLength(500, 2_000) },
      )
      assert.ok(repeated > atLength(250, 1_000), `${repeated} events`)
    })
  }
})
