import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fc } from '../../test/property.ts'
import type { JsonObject } from '../domain/request/call-request.ts'
import type { ChatRequest } from '../domain/request/chat.ts'
import { wireBody, wireBytes } from './wire-body.ts'

/** As a family that only renames the model would translate it. */
function renamed(request: JsonObject, model: string): JsonObject {
  const { stream, ...others } = request
  return { ...others, model }
}

function sent(source: string, model = 'gpt-real'): string {
  const request = JSON.parse(source) as ChatRequest
  return written(renamed(request, model), request, source)
}

/** As text and as bytes: the two must be the same, but for names that only a text can be searched for. */
function written(wire: JsonObject, request: ChatRequest, source: string): string {
  const body = wireBody(wire, request, source)
  const bytes = wireBytes(wire, request, Buffer.from(source))
  assert.equal(bytes.toString(), /^[ -~]*$/.test(request.model) ? body : JSON.stringify(wire))
  return body
}

const LIMITED: Record<string, [source: string, sent: string]> = {
  'a field that was not there': ['{"model":"alias","n":1.0}', '{"max_tokens":50,"model":"gpt-real","n":1.0}'],
  'blanks before and behind the brace': [' \n{ "model":"alias" } ', ' \n{"max_tokens":50, "model":"gpt-real" } '],
  'a number': ['{"model":"alias","max_tokens" : 900 ,"n":1}', '{"model":"gpt-real","max_tokens" : 50 ,"n":1}'],
  'a number as few write it': ['{"model":"alias","max_tokens":1.2E+3}', '{"model":"gpt-real","max_tokens":50}'],
  null: ['{"max_tokens":null,"model":"alias"}', '{"max_tokens":50,"model":"gpt-real"}'],
  'a number beside another with its name': [
    '{"metadata":{"max_tokens":7},"model":"alias","max_tokens":900}',
    '{"metadata":{"max_tokens":7},"model":"gpt-real","max_tokens":50}',
  ],
  'stream goes too': ['{"stream":false,"model":"alias"}', '{"max_tokens":50,"model":"gpt-real"}'],
}

describe('a limit that was set is spliced in, the rest is sent as received', () => {
  for (const [title, [source, expected]] of Object.entries(LIMITED)) {
    test(title, () => {
      const request = JSON.parse(source) as ChatRequest
      const body = written({ ...renamed(request, 'gpt-real'), max_tokens: 50 }, request, source)
      assert.equal(body, expected)
    })
  }

  for (const source of [
    '{"model":"alias","max\\u005ftokens":900,"metadata":{"max_tokens":7}}',
    '{"model":"alias","max_tokens":1,"max_tokens":900}',
    '{"model":"alias","max_tokens":"900"}',
  ]) {
    test(`${source} is serialised again`, () => {
      const request = JSON.parse(source) as ChatRequest
      const wire = { ...renamed(request, 'gpt-real'), max_tokens: 50 }
      assert.equal(written(wire, request, `${source} `), JSON.stringify(wire))
    })
  }
})

const SPLICED: Record<string, [source: string, sent: string]> = {
  'the model first': ['{"model":"alias","messages":[]}', '{"model":"gpt-real","messages":[]}'],
  'the model last': ['{"messages":[],"model":"alias"}', '{"messages":[],"model":"gpt-real"}'],
  'blanks and numbers stay as they were written': [
    '{ "messages" : [] ,\n "seed": 1.0, "model" :\t"alias" }',
    '{ "messages" : [] ,\n "seed": 1.0, "model" :\t"gpt-real" }',
  ],
  'the name inside of a text is escaped there': [
    '{"messages":[{"role":"user","content":"a \\"model\\" \\\\ b"}],"model":"alias"}',
    '{"messages":[{"role":"user","content":"a \\"model\\" \\\\ b"}],"model":"gpt-real"}',
  ],
  'stream in the middle': ['{"model":"alias","stream":false,"n":1}', '{"model":"gpt-real","n":1}'],
  'stream at the end': ['{"model":"alias" , "stream" : false }', '{"model":"gpt-real" }'],
  'stream first, and null': ['{"stream":null,\n"model":"alias"}', '{\n"model":"gpt-real"}'],
  'a tool has a property of that name': [
    '{"tools":[{"properties":{"model":{"a":[{}, "]}\\""]}}}] ,"seed":1.0,"model":"alias"}',
    '{"tools":[{"properties":{"model":{"a":[{}, "]}\\""]}}}] ,"seed":1.0,"model":"gpt-real"}',
  ],
  'a text that is the name': ['{"model":"alias","type":"model"}', '{"model":"gpt-real","type":"model"}'],
  'a text that ends like the name': ['{"x":"\\"model","model":"alias"}', '{"x":"\\"model","model":"gpt-real"}'],
  'a text with an escape': ['{"x":"\\u0070","model":"alias"}', '{"x":"\\u0070","model":"gpt-real"}'],
  'letters beyond ASCII': ['{"model":"größe","x":"ü"}', '{"model":"gpt-real","x":"ü"}'],
}

describe('only changes are written, the rest is sent as received', () => {
  test('a stream that is asked for usage', () => {
    const source = '{"model":"alias","stream":true,"seed":1.0}'
    const request = JSON.parse(source) as ChatRequest
    const wire = { ...request, model: 'gpt-real', stream_options: { include_usage: true } }
    const body = written(wire, request, source)
    const expected = '{"stream_options":{"include_usage":true},"model":"gpt-real","stream":true,"seed":1.0}'
    assert.equal(body, expected)
  })

  for (const [title, [source, expected]] of Object.entries(SPLICED)) {
    test(title, () => {
      const body = sent(source)
      assert.equal(body, expected)
    })
  }
})

const WRITTEN_ANEW: Record<string, string> = {
  'the name is written with an escape': '{"mod\\u0065l":"alias","n":1}',
  'with an escape, and another field has it without': '{"mod\\u0065l":"alias","metadata":{"model":"alias"}}',
  'the same for stream': '{"model":"alias","\\u0073tream":false,"metadata":{"stream":false}}',
  'the same field twice: the last counts': '{"model":"first","model":"alias"}',
  'the value is written with an escape': '{"model":"al\\u0069as"}',
  'the same field twice, once with an escape': '{"mod\\u0065l":"first","model":"alias"}',
}

describe('when in doubt, the JSON is serialised again', () => {
  for (const [title, source] of Object.entries(WRITTEN_ANEW)) {
    test(title, () => {
      // With a blank in it, so that an edited text would differ.
      assert.equal(sent(`${source} `), JSON.stringify(renamed(JSON.parse(source), 'gpt-real')))
    })
  }
  test('a translation that changed more', () => {
    const request = { model: 'alias', messages: [], n: 1 } as unknown as ChatRequest
    const source = `${JSON.stringify(request)} `
    for (const wire of [
      { ...request, n: true },
      { model: 'm', messages: request.messages },
      { ...request, extra: [] },
      { model: 'm', messages: request.messages, extra: 2 },
    ]) {
      assert.equal(written(wire, request, source), JSON.stringify(wire))
    }
  })
})

describe('a renamed or added field', () => {
  const cases: [string, string, JsonObject, string | null][] = [
    [
      'a rename keeps all other bytes',
      '{ "max_tokens" : 1.0, "model":"alias"}',
      { max_completion_tokens: 1, model: 'm' },
      '{ "max_completion_tokens" : 1.0, "model":"m"}',
    ],
    [
      'an addition stands at the beginning',
      ' {"model":"alias","n":1}',
      { model: 'm', n: 1, tier: 'x' },
      ' {"tier":"x","model":"m","n":1}',
    ],
    [
      'all at once',
      '{"stream":false,"max_tokens":1,"model":"alias"}',
      { most: 1, model: 'm', tier: 'x' },
      '{"tier":"x","most":1,"model":"m"}',
    ],
    [
      'a name that stands twice',
      '{"model":"alias","max_tokens":1,"x":"max_tokens"}',
      { model: 'm', most: 1, x: 'max_tokens' },
      '{"model":"m","most":1,"x":"max_tokens"}',
    ],
    ['a name with an escape', '{"model":"alias","max\\u005Ftokens":1}', { model: 'm', most: 1 }, null],
  ]
  for (const [title, source, wire, expected] of cases) {
    test(title, () => {
      const body = written(wire, JSON.parse(source) as ChatRequest, `${source} `)
      assert.equal(body, expected === null ? JSON.stringify(wire) : `${expected} `)
    })
  }
})

test('whatever the request, what is sent has the same meaning', () => {
  const names = fc.constantFrom('messages', 'stream', 'n', 'model ', 'x', 'stream_options', 'max_tokens')
  const values = fc.oneof(fc.jsonValue(), fc.constantFrom('"model"', '\\"model', 'model', 'stream', false, null))
  const nested = fc.dictionary(fc.constantFrom('model', 'stream', 'n', 'max_tokens'), values)
  const objects = fc.tuple(
    fc.dictionary(names, fc.oneof(values, nested, fc.array(nested))),
    fc.string({ minLength: 1, unit: 'grapheme' }),
    fc.boolean(),
  )
  fc.assert(
    fc.property(objects, fc.constantFrom(undefined, 1, '\t'), ([others, model, first], indent) => {
      const source = JSON.stringify({ ...(first ? { model } : {}), ...others, model }, null, indent)
      const request = JSON.parse(source) as ChatRequest
      for (const more of [{}, { n: 50 }, { max_tokens: 50 }, { n: 7, max_tokens: 50 }]) {
        const wire = { ...renamed(request, 'to "it"'), ...more }
        const body = written(wire, request, source)
        assert.deepEqual(JSON.parse(body), JSON.parse(JSON.stringify(wire)))
      }
    }),
    { numRuns: Number(process.env['FUZZ_RUNS'] ?? 500) },
  )
})

describe('what the gateway wrote last, because the path says it, is cut again', () => {
  const table: [source: string, sent: string][] = [
    ['{"a":1 ,"model":"m/x:1","stream":false}', '{"a":1 }'],
    ['{"a":[{"role":"model"}],"model":"m","stream":true}\n ', '{"a":[{"role":"model"}]}\n '],
    ['{"a":{"b":1,"model":"m","stream":true},"model":"m","stream":true}', '{"a":{"b":1,"model":"m","stream":true}}'],
    ['{"model":"m","stream":true,"a":{"b":1,"model":"m","stream":true}}', '{"a":{"b":1,"model":"m","stream":true}}'],
    ['{"a":"\\",\\"model\\":\\"m\\"","model":"m","stream":true}', '{"a":"\\",\\"model\\":\\"m\\""}'],
    ['{"a":1.0,"model":"a\\"b","stream":true}', '{"a":1.0}'],
  ]
  for (const [source, expected] of table) {
    test(source, () => {
      const request = JSON.parse(source) as ChatRequest
      const { model: _model, stream: _stream, ...wire } = request
      assert.equal(written(wire, request, source), expected)
    })
  }

  test('a stream that stays is not cut', () => {
    const source = '{"a":1.0,"model":"m","stream":true}'
    const { model: _model, ...wire } = JSON.parse(source) as ChatRequest
    assert.equal(written(wire, JSON.parse(source), source), '{"a":1.0,"stream":true}')
  })
})
