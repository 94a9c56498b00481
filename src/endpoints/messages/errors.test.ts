import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ERRORS, type ErrorCode, GatewayError } from '../../domain/errors.ts'
import { errorFrame, messagesError } from './errors.ts'

function bodyOf(error: GatewayError) {
  const { body } = messagesError(error, 'msg_1')
  return body as { type: string; error: { type: string; message: string; code: string }; request_id: string }
}

describe('each error has its status and its type', () => {
  const table: [type: string, status: number, codes: ErrorCode[]][] = [
    [
      'invalid_request_error',
      400,
      ['invalid_request', 'unsupported_parameter', 'context_length_exceeded', 'content_filtered'],
    ],
    ['authentication_error', 401, ['unauthorized']],
    ['billing_error', 402, ['budget_exceeded', 'price_unknown', 'length_unknown']],
    ['permission_error', 403, ['forbidden']],
    ['not_found_error', 404, ['model_not_found', 'not_found']],
    ['request_too_large', 413, ['request_too_large']],
    ['rate_limit_error', 429, ['rate_limited', 'key_rate_limited']],
    ['api_error', 500, ['internal_error']],
    ['invalid_request_error', 501, ['not_implemented']],
    ['api_error', 502, ['upstream_error', 'provider_auth_error']],
    [
      'overloaded_error',
      503,
      ['overloaded', 'provider_overloaded', 'no_provider_available', 'log_full', 'buffer_full'],
    ],
    ['timeout_error', 504, ['upstream_timeout']],
  ]
  for (const [type, status, codes] of table) {
    for (const code of codes) {
      test(`${code} is ${status} ${type}`, () => {
        const error = new GatewayError(code)
        assert.equal(messagesError(error, 'msg_1').status, status)
        const body = bodyOf(error)
        assert.deepEqual([body.type, body.error.type, body.error.code, body.request_id], ['error', type, code, 'msg_1'])
        if (type === 'billing_error') assert.ok(error.isFinal, 'x-should-retry: false')
      })
    }
  }

  test('none has no type', () => {
    for (const code of Object.keys(ERRORS) as ErrorCode[]) assert.ok(bodyOf(new GatewayError(code)).error.type, code)
  })
})

test("the provider's own words pass unchanged", () => {
  const original = '{"type":"error","error":{"type":"invalid_request_error","message":"messages.1: signature"}}'
  const error = new GatewayError('invalid_request', 'x', { original })
  assert.equal(messagesError(error, 'msg_1').body, original)
})

describe('a prompt that is too long says so in the words that agents act on', () => {
  const table: [message: string, expected: string][] = [
    ['prompt is too long: 250000 tokens > 200000 maximum', 'prompt is too long: 250000 tokens > 200000 maximum'],
    [
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 140,123 tokens.",
      'prompt is too long: 140123 tokens > 128000 maximum',
    ],
    [ERRORS.context_length_exceeded.text, ERRORS.context_length_exceeded.text],
    ['Too many tokens.', 'prompt is too long: Too many tokens.'],
    [
      "This model's maximum context length is 8 tokens. You requested 5 tokens.",
      "prompt is too long: This model's maximum context length is 8 tokens. You requested 5 tokens.",
    ],
  ]
  for (const [message, expected] of table) {
    test(message, () => {
      assert.equal(bodyOf(new GatewayError('context_length_exceeded', message)).error.message, expected)
    })
  }
})

// Peer bug 23, litellm#41826: clients of this format ignore an error without the name of its event.
test('after the first content an error is an event of its own', () => {
  const frame = errorFrame(new GatewayError('upstream_error', 'cut\nhere'), 'msg_1')
  const [, data] = /^event: error\ndata: (.*)\n\n$/.exec(frame) ?? []
  assert.deepEqual(JSON.parse(data ?? ''), {
    type: 'error',
    error: { type: 'api_error', message: 'cut\nhere', code: 'upstream_error' },
    request_id: 'msg_1',
  })
})
