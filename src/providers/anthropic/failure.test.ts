import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Failure } from '../../domain/failure.ts'
import type { JsonObject } from '../../domain/request/call-request.ts'
import { failureFromWire } from './failure.ts'
import { fromWire } from './response.ts'

const body = (type: string, message: string, errorCode?: string): JsonObject => ({
  type: 'error',
  error: { type, message, ...(errorCode === undefined ? {} : { details: { error_code: errorCode } }) },
  request_id: 'req_1',
})
const bad = (message: string, errorCode?: string) => body('invalid_request_error', message, errorCode)

type Expected = [Failure['code'], Failure['next'], Failure['retry']]
const INVALID: Expected = ['invalid_request', 'none', 'no']
const UNSUPPORTED: Expected = ['unsupported_parameter', 'none', 'no']
const TOO_LONG: Expected = ['context_length_exceeded', 'larger-window', 'no']
const QUOTA: Expected = ['provider_quota_exceeded', 'any', 'never']
const AUTH: Expected = ['provider_auth_error', 'any', 'no']
/** Another token may help, where there is one. */
const UNKNOWN: Expected = ['provider_auth_error', 'any', 'new-token']
const ERROR: Expected = ['upstream_error', 'any', 'yes']
const LIMITED: Expected = ['rate_limited', 'any', 'short-wait']
const OVERLOADED: Expected = ['provider_overloaded', 'any', 'yes']

describe('failures by status, error_code and, for a 400, text', () => {
  const cases: [number, unknown, Expected][] = [
    [400, bad('messages: at least one message is required'), INVALID],
    [400, bad('prompt is too long: 209713 tokens > 200000 maximum'), TOO_LONG],
    [400, bad('input length and `max_tokens` exceed context limit: 1 + 2 > 3'), TOO_LONG],
    [400, bad('Your credit balance is too low to access the Anthropic API.'), QUOTA],
    [400, bad('You have reached your specified API usage limits.'), QUOTA],
    [400, bad('This would exceed the spend limit of the workspace.'), QUOTA],
    [400, bad('"thinking.type.disabled" is not supported for this model.'), UNSUPPORTED],
    [400, bad('tool_choice: type "tool" and "any" are not supported for this model.'), UNSUPPORTED],
    [400, bad('This model does not support assistant message prefill.'), UNSUPPORTED],
    [400, bad('Output blocked by content filtering policy'), ['content_filtered', 'none', 'no']],
    [400, bad('top_k: Extra inputs are not permitted'), UNSUPPORTED],
    [400, bad('`temperature` and `top_p` cannot both be specified for this model.'), UNSUPPORTED],
    [400, bad('`temperature` is deprecated for this model.'), UNSUPPORTED],
    [400, bad('x', 'organization_on_hold'), AUTH],
    [400, bad('x', 'cmek_key_unavailable'), AUTH],
    [400, bad('x', 'claude_code_only'), AUTH],
    [400, bad('x', 'something_else'), INVALID],
    [401, body('authentication_error', 'invalid x-api-key'), UNKNOWN],
    [403, body('permission_error', 'no'), AUTH],
    [402, body('billing_error', 'unpaid'), QUOTA],
    [404, body('not_found_error', 'model: claude-x'), ['model_not_found', 'any', 'no']],
    [409, body('conflict_error', 'conflict'), ERROR],
    [413, body('request_too_large', 'large'), ['request_too_large', 'none', 'no']],
    [429, body('rate_limit_error', 'slow down'), LIMITED],
    [429, body('rate_limit_error', 'slow down', 'ramp_limit_exceeded'), LIMITED],
    [429, body('rate_limit_error', 'spent', 'enforced_spend_limit_reached'), QUOTA],
    [500, body('api_error', 'oops'), ERROR],
    [502, '<html>Bad Gateway</html>', ERROR],
    [504, body('timeout_error', 'slow'), ['upstream_timeout', 'any', 'no']],
    [529, body('overloaded_error', 'Overloaded'), OVERLOADED],
    [503, body('overloaded_error', 'Overloaded'), OVERLOADED],
    [408, '', ERROR],
    [405, bad('Method Not Allowed'), INVALID],
    [422, null, INVALID],
    [418, 'teapot', INVALID],
    [307, '', ['upstream_error', 'any', 'no']],
  ]
  for (const [status, answer, [code, next, retry]] of cases) {
    test(`${status} ${JSON.stringify(answer)} is ${code}`, () => {
      const failure = failureFromWire(status, answer)
      assert.deepEqual([failure.code, failure.next, failure.retry], [code, next, retry])
      assert.equal(failure.status, status)
      assert.deepEqual([failure.retryAfterMs, failure.shouldRetry], [null, null])
    })
  }
})

describe('an error within a 2xx', () => {
  const cases: [string, unknown, Expected][] = [
    ['is mapped as if its status had come', body('overloaded_error', 'Overloaded'), OVERLOADED],
    ['also without type: error', { error: { type: 'rate_limit_error', message: 'x' } }, LIMITED],
    ['reads the text of a bad request', bad('prompt is too long: 1 > 0'), TOO_LONG],
    ['of an unknown type is an upstream error', body('surprise', 'x'), ['upstream_error', 'any', 'once']],
    ['without details is one too', { type: 'error' }, ['upstream_error', 'any', 'once']],
  ]
  for (const [title, answer, [code, next, retry]] of cases) {
    test(title, () => {
      const reading = fromWire(answer, { model: 'm', messages: [] })
      assert.partialDeepStrictEqual(reading, { kind: 'failure', failure: { code, next, retry, status: 200 } })
    })
  }
})

describe('the message', () => {
  test('is the provider’s, without keys', () => {
    const failure = failureFromWire(401, body('authentication_error', 'invalid key sk-ant-api03-abcdefgh'))
    assert.equal(failure.message, 'invalid key [redacted]')
  })

  test('is ours when the provider sent none', () => {
    assert.equal(failureFromWire(502, '<html>secret page</html>').message, 'The provider answered with status 502.')
    assert.equal(failureFromWire(500, { error: { message: 5 } }).message, 'The provider answered with status 500.')
  })
})
