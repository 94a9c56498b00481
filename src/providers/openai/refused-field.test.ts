import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openaiFamily } from './openai-family.ts'

describe('a 400 that names a refused field', () => {
  const wants =
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
  const cases: [number, object, unknown][] = [
    [
      400,
      { message: wants, param: 'max_tokens', code: 'unsupported_parameter' },
      { name: 'max_tokens', instead: 'max_completion_tokens', isUnknown: true },
    ],
    [400, { message: wants }, { name: 'max_tokens', instead: 'max_completion_tokens', isUnknown: true }],
    [422, { message: wants }, { name: 'max_tokens', instead: 'max_completion_tokens', isUnknown: true }],
    [
      400,
      { message: "Unknown parameter: 'x'.", param: 'x', code: 'unknown_parameter' },
      { name: 'x', instead: null, isUnknown: true },
    ],
    [400, { message: 'Unrecognized request argument supplied: x_y' }, { name: 'x_y', instead: null, isUnknown: true }],
    [
      400,
      { message: "Unknown parameter: 'input[0].x'.", param: 'input[0].x', code: 'unknown_parameter' },
      { name: 'input[0].x', instead: null, isUnknown: true },
    ],
    [
      400,
      { message: "Unknown parameter: 'text.verbosity'." },
      { name: 'text.verbosity', instead: null, isUnknown: true },
    ],
    [
      400,
      { message: 'Encrypted content is not supported with this model.', param: 'include' },
      { name: 'include', instead: null, values: ['reasoning.encrypted_content'] },
    ],
    [400, { message: 'max_tokens is too large', param: 'max_tokens', code: 'invalid_value' }, null],
    [400, { message: "Unsupported value: 'stop'", param: 'stop', code: 'unsupported_value' }, null],
    [400, { message: "Say 'max_tokens'. Use 'model' instead." }, null],
    [500, { message: wants, param: 'max_tokens', code: 'unsupported_parameter' }, null],
    [400, { message: wants, param: 7, code: 'unsupported_parameter' }, null],
  ]
  for (const [status, error, expected] of cases) {
    test(`${status} ${JSON.stringify(error)}`, () => {
      assert.deepEqual(openaiFamily.failureFromWire(status, { error }).refusedField, expected)
    })
  }
})

describe('a list of what is wrong with the body', () => {
  const problem = (...loc: (string | number)[]) => ({
    type: 'extra_forbidden',
    loc,
    msg: 'Extra inputs are not permitted',
  })
  const detail = [problem('body', 'stream_options'), problem('body', 'seed')]

  for (const body of [{ detail }, { object: 'error', message: { detail }, type: 'invalid_request_error' }]) {
    test(`names the first field that is refused: ${JSON.stringify(body).slice(0, 30)}`, () => {
      const { code, message, refusedField } = openaiFamily.failureFromWire(422, body)
      assert.deepEqual([code, message], ['invalid_request', 'stream_options: Extra inputs are not permitted'])
      assert.deepEqual(refusedField, { name: 'stream_options', instead: null, isUnknown: true })
    })
  }

  test('a field inside of another is named with its place, and a bad value is not refused as unknown', () => {
    const inner = openaiFamily.failureFromWire(422, { detail: [problem('body', 'messages', 0, 'name')] })
    assert.deepEqual(inner.refusedField, { name: 'messages.0.name', instead: null, isUnknown: true })
    const value = { ...problem('body', 'temperature'), type: 'less_than_equal', msg: 'Input should be at most 1' }
    const bad = openaiFamily.failureFromWire(422, { detail: [value] })
    assert.deepEqual([bad.refusedField, bad.message], [null, 'temperature: Input should be at most 1'])
  })
})
