import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type LitellmBody, litellmBody } from './litellm-body.ts'

const PLAIN = { model: null, keepsMetadata: false }
const NOTHING = { ignored: [], cache: null, session: null, tags: null }

describe("LiteLLM's own fields leave the body, and every other byte stays", () => {
  const table: [from: string, to: string, said: Partial<LitellmBody>][] = [
    ['{"num_retries": 3, "model": "m"}', '{ "model": "m"}', { ignored: ['num_retries'] }],
    ['{"model": "m", "timeout": 5}', '{"model": "m"}', { ignored: ['timeout'] }],
    ['{"a": 1, "drop_params": true , "b": 1.0}', '{"a": 1, "b": 1.0}', { ignored: ['drop_params'] }],
    ['{"mock_response":"}","no-log":true}', '{}', { ignored: ['mock_response', 'no-log'] }],
    ['{"cache": {"no-cache": true}, "n": 12345678901234567890}', '{ "n": 12345678901234567890}', { cache: 'refresh' }],
    ['{"m":1,"cache":{"no-store":true}}', '{"m":1}', { cache: 'bypass' }],
    ['{"m":1,"cache":{"ttl":60}}', '{"m":1}', { ignored: ['cache'] }],
    ['{"m":1,"litellm_session_id":"s-1"}', '{"m":1}', { session: 's-1' }],
    ['{"m":1,"metadata":{"team":"a","n":1}}', '{"m":1}', { tags: { team: 'a', n: 1 } }],
    ['{"m":1,"metadata":{"tags":["x"]},"tags":["y"]}', '{"m":1}', { tags: { tag1: 'x', tag2: 'y' } }],
    ['{"m":1,"api_key":null}', '{"m":1}', {}],
    [
      '{"store":true,"metadata":{"a":"b"},"tags":["y"]}',
      '{"store":true,"metadata":{"a":"b"}}',
      { tags: { tag1: 'y' } },
    ],
  ]
  for (const [from, to, said] of table) {
    test(from, () => assert.deepEqual(litellmBody(from, PLAIN), { ...NOTHING, json: to, ...said }))
  }
})

describe('nothing changes', () => {
  const table = [
    '{"model":"m","messages":[{"role":"user","content":"\\"timeout\\": 1"}]}',
    '{"messages":[{"timeout":1}]}',
    '[{"timeout":1}]',
    '{"timeout":1,"timeout":2}',
    '"text"',
    '{"broken',
    '',
  ]
  for (const json of table) test(json, () => assert.equal(litellmBody(json, PLAIN), null))
  test('metadata of a format that has its own', () => {
    assert.equal(litellmBody('{"metadata":{"user_id":"u"}}', { model: null, keepsMetadata: true }), null)
  })
})

describe('the model of the path wins', () => {
  const table: [from: string, to: string][] = [
    ['{"model":"other","n":1}', '{"model":"m/1","n":1}'],
    ['{ "n":1}', '{"model":"m/1","n":1}'],
    ['{}', '{"model":"m/1"}'],
    ['{"timeout":1}', '{"model":"m/1"}'],
  ]
  for (const [from, to] of table) {
    test(from, () => assert.equal(litellmBody(from, { model: 'm/1', keepsMetadata: false })?.json, to))
  }
})

for (const name of ['api_key', 'api_base', 'base_url']) {
  test(`${name} is refused: it would send the call or a key elsewhere`, () => {
    assert.throws(() => litellmBody(`{"model":"m","${name}":"x"}`, PLAIN), { code: 'invalid_request' })
  })
}
