import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Destination, familyNamed } from '../../../src/bodies/destination.ts'
import { NO_USAGE } from '../../../src/domain/pricing/usage.ts'
import { UNKNOWN_TRAITS } from '../../../src/domain/provider.ts'
import { isJsonObject } from '../../../src/domain/request/call-request.ts'
import type { ContentsRequest } from '../../../src/domain/request/contents.ts'
import { NO_BOUNDS } from '../../../src/domain/request/output-limit.ts'
import { generateContent } from '../../../src/endpoints/generate-content/generate-content.ts'
import { translatorFor } from '../../../src/providers/translator-for.ts'
import { wireBody } from '../../../src/providers/wire-body.ts'
import type { Json } from '../../harness.ts'
import { framesOf } from './world.ts'

const sealing = { keys: [new Uint8Array(32)], binding: 'p/up', workspace: 'w' }
const STAMP = { id: 'gen_1', model: 'm', created: 1, sealing }
const USER = { role: 'user', parts: [{ text: 'Weather?' }] }
const TOOLS = [{ functionDeclarations: [{ name: 'weather' }] }]
const asked = (contents: object[]): ContentsRequest => ({ model: 'm', contents: contents as never, tools: TOOLS })
const to = (family: string, model = 'up', more: Partial<Destination> = {}): Destination => ({
  ...{ position: 0, family, model, traits: UNKNOWN_TRAITS, baseUrl: null, bounds: NO_BOUNDS, sealing, ...more },
})
const SIGNATURE = 'EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrzkLoky3dl1pk='

/** A destination, the ids that its provider gives, its answer with them, and where they are in the next request. */
interface Way {
  to: Destination
  ids: [string, string]
  answer(ids: string[]): Json
  idsIn(wire: Json): unknown
}

const chatAnswer = (ids: string[]) => ({
  choices: [
    {
      ...{ index: 0, finish_reason: 'tool_calls' },
      message: {
        ...{ role: 'assistant', content: null },
        tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'weather', arguments: '{"a":1}' } })),
      },
    },
  ],
})
const chatIds = ({ messages }: Json) =>
  messages.flatMap(({ tool_calls: calls, tool_call_id: id }: Json) => calls?.map((call: Json) => call.id) ?? id ?? [])
const thinking = { type: 'thinking', thinking: 'so', signature: SIGNATURE }
const anthropicAnswer = (ids: string[]) => ({
  ...{ id: 'msg', type: 'message', role: 'assistant', model: 'up', stop_reason: 'tool_use' },
  content: [thinking, ...ids.map((id) => ({ type: 'tool_use', id, name: 'weather', input: { a: 1 } }))],
  usage: { input_tokens: 1, output_tokens: 1 },
})
const blockIds = ({ messages }: Json) =>
  messages.flatMap(({ content }: Json) =>
    Array.isArray(content) ? content.flatMap((block: Json) => block.tool_use_id ?? block.id ?? []) : [],
  )

const WAYS: Record<string, Way> = {
  'OpenAI’s ids': { to: to('openai'), ids: ['call_AbC123xyz', 'call_2'], answer: chatAnswer, idsIn: chatIds },
  'ids with other characters, of servers that number their calls': {
    ...{ to: to('openai', 'kimi', { baseUrl: 'http://127.0.0.1:1/v1' }), answer: chatAnswer, idsIn: chatIds },
    ids: ['functions.weather:0', 'functions.weather:1'],
  },
  'Anthropic’s ids': { to: to('anthropic'), ids: ['toolu_01A', 'toolu_01B'], answer: anthropicAnswer, idsIn: blockIds },
}

/** The parts that a caller gets: whole, and of a stream. */
const READINGS: Record<string, (way: Way) => Json[]> = {
  whole({ to: target, ids, answer }) {
    const reading = translatorOf(target).fromWire(answer(ids), asked([USER]))
    assert.ok(reading.kind === 'answer')
    return JSON.parse(generateContent.write(reading.answer, STAMP, asked([USER]))).candidates[0].content.parts
  },
  streamed({ to: target, ids, answer }) {
    const translator = translatorOf(target)
    const reading = translator.fromWire(answer(ids), asked([USER]))
    assert.ok(reading.kind === 'answer' && translator.stream !== undefined && generateContent.stream !== undefined)
    const writer = generateContent.stream.open(asked([USER]), STAMP)
    const parts = translator.stream.partsOf(reading.answer, asked([USER]))
    const written = parts.map((part) => writer.write(part)).join('')
    const frames = framesOf(written + writer.end({ usage: null, tokens: NO_USAGE, gateway: {} }))
    return frames.flatMap(({ candidates }) => candidates[0].content.parts)
  },
}

function translatorOf(target: Destination) {
  const translator = translatorFor(familyNamed(target.family), generateContent, target, target.model)
  assert.ok(translator !== undefined)
  return translator
}

/** The next turn, with the parts exactly as they came. */
function nextTurn(target: Destination, parts: Json[]): Json {
  const results = parts
    .filter(({ functionCall }) => functionCall)
    .map(({ functionCall: { id, name } }) => ({ functionResponse: { id, name, response: { output: 'sunny' } } }))
  const contents = [USER, { role: 'model', parts }, { role: 'user', parts: results }]
  const translation = translatorOf(target).toWire(asked(contents), target)
  assert.ok(translation.kind === 'wire', JSON.stringify(translation))
  return translation.body
}

for (const [reading, partsOf] of Object.entries(READINGS)) {
  describe(`ids and signatures, ${reading}`, () => {
    for (const [what, way] of Object.entries(WAYS)) {
      test(`${what} reach the caller and come back as they were`, () => {
        const parts = partsOf(way)
        const calls = parts.filter(({ functionCall }) => functionCall)
        assert.deepEqual(
          calls.map(({ functionCall }) => functionCall.id),
          way.ids,
        )
        assert.deepEqual(way.idsIn(nextTurn(way.to, parts)), [...way.ids, ...way.ids])
      })
    }

    test('what a model signed comes back before its call, byte for byte', () => {
      const way = WAYS['Anthropic’s ids'] as Way
      const { messages } = nextTurn(way.to, partsOf(way))
      assert.deepEqual(messages[1].content[0], thinking)
    })

    test('what one entry signed does not reach another, or another family', () => {
      const way = WAYS['Anthropic’s ids'] as Way
      const parts = partsOf(way)
      const other = { ...sealing, binding: 'p/other' }
      for (const target of [to('anthropic', 'other', { sealing: other }), to('openai'), to('gemini', 'gemini-3-x')]) {
        const wire = JSON.stringify(nextTurn(target, parts))
        assert.ok(!wire.includes(SIGNATURE) && !wire.includes('"thinking"'), wire)
        for (const id of way.ids) assert.ok(wire.includes(id), wire)
      }
    })
  })
}

describe('to families of the format, bytes stay', () => {
  const bodies = [
    '{"contents":[{"role":"user","parts":[{"text":"a"}]},{"role":"model","parts":[{"functionCall":{"id":"x:1","name":"weather","args":{"n":1.0}},"thoughtSignature":"c2ln+/=="}]},{"role":"user","parts":[{"functionResponse":{"id":"x:1","name":"weather","response":{"output":1e2}}}]}],"model":"m","stream":false}',
    '{ "contents":[{"parts":[{"thought_signature":"QQ==","text":"\\u00e4"}]}] , "newer":{"a":[1]},"model":"m","stream":true}',
  ]
  for (const [family, model] of [
    ['gemini', 'gemini-3.5-flash'],
    ['vertex', 'gemini-3.5-flash'],
  ] as const) {
    for (const body of bodies) {
      test(`${family}: ${body.slice(0, 60)}`, () => {
        const request = JSON.parse(body)
        const translator = translatorOf(to(family, model))
        const translation = translator.toWire(request, to(family, model))
        assert.ok(translation.kind === 'wire' && translator.isVerbatim === true)
        const expected = body.replace(/,"model":"m","stream":(?:true|false)/, '')
        assert.equal(wireBody(translation.body, request, body), expected)
      })
    }

    test(`${family}: an answer is passed on as it came`, () => {
      const json =
        '{"candidates":[{"content":{"parts":[{"functionCall":{"id":"x:1","name":"f","args":{}},"thoughtSignature":"c2ln"}]},"finishReason":"STOP"}]}'
      const reading = translatorOf(to(family, model)).fromWire(JSON.parse(json), asked([USER]))
      assert.ok(reading.kind === 'answer' && isJsonObject(reading.answer.body))
      assert.equal(generateContent.write({ ...reading.answer, json }, STAMP, asked([USER])), json)
    })
  }
})
