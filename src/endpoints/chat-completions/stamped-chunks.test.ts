import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fc } from '../../../test/property.ts'
import type { JsonObject } from '../../domain/request/call-request.ts'
import { StampedChunks } from './stamped-chunks.ts'

const STAMP = { id: 'chatcmpl_ours', model: 'fast', created: 7 }

function written(isUsageWanted: boolean, ...chunks: string[]): string[] {
  const stamped = new StampedChunks(STAMP, isUsageWanted)
  return chunks.map((json) => stamped.write({ json, value: JSON.parse(json) as JsonObject }))
}

const HEAD = '{"id":"x","object":"chat.completion.chunk","created":1,"model":"m",'
const OURS = '{"id":"chatcmpl_ours","object":"chat.completion.chunk","created":1,"model":"fast",'
const delta = (text: string) =>
  `"choices":[{"index":0,"delta":{"content":${JSON.stringify(text)}},"finish_reason":null}]`

const PASSED: Record<string, [isUsageWanted: boolean, json: string, expected: string]> = {
  'no usage, and none is wanted': [false, `${HEAD}${delta('a')}}`, `${OURS}${delta('a')}}`],
  'a null usage is taken out': [false, `${HEAD}${delta('a')},"usage":null}`, `${OURS}${delta('a')}}`],
  'a null usage is taken out in the middle': [
    false,
    `${HEAD}${delta('a')},"usage":null,"obfuscation":"x1"}`,
    `${OURS}${delta('a')},"obfuscation":"x1"}`,
  ],
  'a null usage is wanted': [true, `${HEAD}${delta('a')},"usage":null}`, `${OURS}${delta('a')},"usage":null}`],
  'a null usage is added': [true, `${HEAD}${delta('a')}}`, `${OURS}${delta('a')},"usage":null}`],
  'a usage of its own is taken out': [false, `${HEAD}${delta('a')},"usage":{"n":1}}`, `${OURS}${delta('a')}}`],
  'a usage of its own becomes null': [
    true,
    `${HEAD}${delta('a')},"usage":{"n":1}}`,
    `${OURS}${delta('a')},"usage":null}`,
  ],
  'blanks and numbers stay as they were written': [
    false,
    '{ "model" : "m", "x": 1.0, "id" :"x", "created": 1, "logprob": -0.0, "choices": [ ] }',
    '{ "model" : "fast", "x": 1.0, "id" :"chatcmpl_ours", "created": 1, "logprob": -0.0, "choices": [ ] }',
  ],
  'names in a text stay': [
    false,
    `${HEAD}${delta('"model":"x","id":"y","usage":null}')},"usage":null}`,
    `${OURS}${delta('"model":"x","id":"y","usage":null}')}}`,
  ],
  'ids of calls stay': [
    false,
    `${HEAD}"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","model":"z"}]},"usage":null}]}`,
    `${OURS}"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","model":"z"}]},"usage":null}]}`,
  ],
}

describe('a chunk passes as received except for id, model and usage', () => {
  for (const [title, [isUsageWanted, json, expected]] of Object.entries(PASSED)) {
    test(title, () => assert.deepEqual(written(isUsageWanted, json, json), [expected, expected]))
  }

  test('an event of several lines becomes one line', () => {
    const [json = ''] = written(false, `${HEAD}\n${delta('a\nb')}\n}`)
    assert.deepEqual(JSON.parse(json), JSON.parse(`${OURS}${delta('a\nb')}}`))
    assert.equal(json.includes('\n'), false)
  })

  test('a time of ours only where there is none', () => {
    const [json = ''] = written(false, `{"id":"x","model":"m",${delta('a')}}`)
    assert.equal(JSON.parse(json).created, 7)
  })

  test('another id or model in the middle of a stream is replaced too', () => {
    const other = HEAD.replace('"x"', '"y"').replace('"m"', '"m-2026"')
    assert.deepEqual(written(false, `${HEAD}${delta('a')}}`, `${other}${delta('b')}}`, `${HEAD}${delta('c')}}`), [
      `${OURS}${delta('a')}}`,
      `${OURS}${delta('b')}}`,
      `${OURS}${delta('c')}}`,
    ])
  })
})

test('whatever chunks hold, their other fields stay equal', () => {
  const nasty = fc.constantFrom('"model":"x"', '","usage":null}', '\\', '"', ',"usage":null', '}', ']', '{"id":"a"')
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    nasty,
    fc.tuple(nasty, nasty).map((two) => two.join('')),
  )
  // No quotes or backslashes in names: a JSON round trip of Node 24 itself takes one such name for another.
  const name = fc.constantFrom('id', 'model', 'usage', 'created', 'choices', 'obfuscation', 'a b', '{', ',', ':', 'é')
  const usage = fc.oneof(fc.constant(null), fc.record({ prompt_tokens: fc.nat(), usage: fc.constant(null) }))
  const nested = fc.dictionary(name, fc.oneof(text, fc.constant(null), fc.nat()))
  const value = fc.oneof(
    { weight: 4, arbitrary: text },
    { weight: 1, arbitrary: nested },
    { weight: 1, arbitrary: fc.constant(null) },
  )
  const field = fc.oneof(
    fc.tuple(fc.constantFrom('id', 'model'), value),
    fc.tuple(fc.constant('created'), fc.oneof(fc.nat(), text)),
    fc.tuple(fc.constant('usage'), usage),
    fc.tuple(fc.constant('choices'), fc.array(nested)),
    fc.tuple(name, value),
  )
  const chunk = fc.array(field, { maxLength: 8 }).map((fields) => Object.fromEntries(fields) as JsonObject)
  const gap = fc.constantFrom(undefined, 1, '\t')
  fc.assert(
    fc.property(fc.array(fc.tuple(chunk, gap), { maxLength: 4 }), fc.boolean(), (chunks, isUsageWanted) => {
      const sources = chunks.flatMap(([each, space]) => Array(2).fill(JSON.stringify(each, null, space)) as string[])
      for (const [at, json] of written(isUsageWanted, ...sources).entries()) {
        const { id, model, created, usage: sent, object, ...others } = JSON.parse(json)
        const {
          id: _id,
          model: _model,
          created: time,
          usage: _usage,
          object: kind,
          ...received
        } = JSON.parse(sources[at] ?? '')
        const isDated = Number.isInteger(time) && time !== 0 && kind !== ''
        assert.deepEqual(others, received)
        assert.deepEqual([id, model, created], [STAMP.id, STAMP.model, isDated ? time : STAMP.created])
        assert.equal(sent, isUsageWanted ? null : undefined)
      }
    }),
    { numRuns: 500 },
  )
})
