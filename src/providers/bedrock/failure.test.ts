import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { nextStep } from '../../calls/chain/fallback.ts'
import type { Failure } from '../../domain/failure.ts'
import { failureFromWire } from './failure.ts'
import { EXCEPTION } from './framing/event-stream.ts'
import { failureOfEvent } from './stream-failure.ts'

type Expected = [Failure['code'], Failure['next'], Failure['retry']]
const INVALID: Expected = ['invalid_request', 'none', 'no']
const TOO_LONG: Expected = ['context_length_exceeded', 'larger-window', 'no']
const NO_MODEL: Expected = ['model_not_found', 'any', 'no']
const AUTH: Expected = ['provider_auth_error', 'any', 'no']
const RENEWED: Expected = ['provider_auth_error', 'any', 'new-token']
const TIMEOUT: Expected = ['upstream_timeout', 'any', 'no']
const LIMITED: Expected = ['rate_limited', 'any', 'short-wait']
const ERROR: Expected = ['upstream_error', 'any', 'yes']
const OVERLOADED: Expected = ['provider_overloaded', 'any', 'yes']

/** Every exception that the service documents. `null`: not retried here. */
const ROWS: [name: string, status: number, body: object, Expected, waitMs: number | null][] = [
  ['ValidationException', 400, { message: 'messages: expected' }, INVALID, null],
  ['ValidationException', 400, { message: 'Input is too long for requested model.' }, TOO_LONG, null],
  ['ValidationException', 400, { message: 'Too many input tokens. Max 1, got 2' }, TOO_LONG, null],
  ['ValidationException', 400, { message: 'Model x with on-demand throughput isn’t supported.' }, NO_MODEL, null],
  ['ValidationException', 400, { message: 'The provided model identifier is invalid.' }, NO_MODEL, null],
  ['AccessDeniedException', 403, { message: "You don't have access" }, AUTH, null],
  ['UnrecognizedClientException', 403, { message: 'The security token … is invalid.' }, RENEWED, null],
  ['InvalidSignatureException', 403, { message: 'does not match' }, RENEWED, null],
  ['ExpiredTokenException', 403, { message: 'The security token … is expired' }, RENEWED, null],
  ['ResourceNotFoundException', 404, { message: 'no such model' }, NO_MODEL, null],
  ['ModelTimeoutException', 408, { message: 'timed out' }, TIMEOUT, null],
  ['ModelErrorException', 424, { message: 'x' }, ERROR, 500],
  ['ModelErrorException', 424, { message: 'x', originalStatusCode: 429 }, LIMITED, 500],
  ['ModelErrorException', 424, { message: 'x', originalStatusCode: 503 }, OVERLOADED, 500],
  ['ModelErrorException', 424, { message: 'x', originalStatusCode: 504 }, TIMEOUT, null],
  ['ModelErrorException', 424, { message: 'x', originalStatusCode: 400 }, ERROR, 500],
  ['ModelStreamErrorException', 424, { originalMessage: 'x', originalStatusCode: 500 }, ERROR, 500],
  ['ThrottlingException', 429, { message: 'Too many requests' }, LIMITED, 500],
  ['ThrottlingException', 429, { message: 'Too many tokens, please wait' }, LIMITED, 500],
  ['ModelNotReadyException', 429, { message: 'not ready' }, ['provider_overloaded', 'any', 'short-wait'], 500],
  ['ServiceQuotaExceededException', 400, { message: 'quota' }, ['provider_quota_exceeded', 'any', 'never'], null],
  ['ConflictException', 400, { message: 'conflict' }, ERROR, 500],
  ['InternalServerException', 500, { message: 'oops' }, ERROR, 500],
  ['ServiceUnavailableException', 503, { message: 'busy' }, OVERLOADED, 500],
]

function check(failed: Failure, [code, next, retry]: Expected, waitMs: number | null): void {
  assert.deepEqual([failed.code, failed.next, failed.retry, failed.retryAfterMs], [code, next, retry, null])
  const step = nextStep(failed, { retriesUsed: 0, retriesAllowed: 2, random: 0 })
  assert.equal(step.kind === 'retry' ? step.waitMs : null, waitMs)
}

describe('an exception is the same failure', () => {
  for (const [name, status, body, expected, waitMs] of ROWS) {
    test(`${name} ${JSON.stringify(body)}`, () => {
      const header = (asked: string) => (asked === 'x-amzn-errortype' ? `${name}:http://internal/` : undefined)
      check(failureFromWire(status, body, header), expected, waitMs)
      check(failureFromWire(status, { ...body, __type: `com.amazon.coral.service#${name}` }), expected, waitMs)
      const event = `${EXCEPTION}${name.slice(0, 1).toLowerCase()}${name.slice(1)}`
      const streamed = failureOfEvent({ event, data: JSON.stringify(body) })
      assert.ok(streamed !== null)
      check(streamed, expected, waitMs)
      assert.equal(streamed.status, 200)
    })
  }
})

test('without a known class the status decides', () => {
  const cases: [number, Expected][] = [
    [400, INVALID],
    [401, RENEWED],
    [403, AUTH],
    [404, NO_MODEL],
    [408, TIMEOUT],
    [413, ['request_too_large', 'none', 'no']],
    [429, LIMITED],
    [500, ERROR],
    [502, ERROR],
    [503, OVERLOADED],
    [504, TIMEOUT],
    [302, ['upstream_error', 'any', 'no']],
    [200, ['upstream_error', 'any', 'once']],
  ]
  for (const [status, [code, next, retry]] of cases) {
    for (const body of ['<html>', null, { message: 7 }]) {
      const failed = failureFromWire(status, body)
      assert.deepEqual([failed.code, failed.next, failed.retry, failed.status], [code, next, retry, status])
      assert.notEqual(failed.message, '')
    }
  }
})

describe('an operator is told what to do', () => {
  const cases: [name: string, message: string, words: RegExp][] = [
    ['InvalidSignatureException', 'Signature expired: 20260101T000000Z is now earlier than …', /clock .* set its time/],
    ['InvalidSignatureException', 'Signature not yet current: 20260101T000000Z is still later', /clock/],
    [
      'InvalidSignatureException',
      "Credential should be scoped to a valid region, not 'us-east-1'.",
      /settings\.region/,
    ],
    ['InvalidSignatureException', 'The request signature we calculated does not match', /secret_access_key/],
    ['ExpiredTokenException', 'The security token included in the request is expired', /has expired/],
    ['UnrecognizedClientException', 'The security token included in the request is invalid.', /access_key_id/],
    ['AccessDeniedException', 'User: x is not authorized to perform: bedrock:InvokeModel on resource: y', /permission/],
    [
      'AccessDeniedException',
      "You don't have access to the model with the specified model ID.",
      /no access to this model/,
    ],
    ['ValidationException', 'Invocation … with on-demand throughput isn’t supported', /inference profile/],
  ]
  for (const [name, message, words] of cases) {
    test(message, () => {
      const { message: said } = failureFromWire(403, { message }, () => name)
      assert.match(said, words)
      assert.ok(said.includes(message), 'the provider’s own words stay')
    })
  }

  test('and no token of a session, which the service repeats where a signature does not fit', () => {
    const said =
      "does not match.\n\nThe Canonical String for this request should have been\n'POST\nx-amz-security-token:IQoJ0123"
    const { message } = failureFromWire(403, { message: said }, () => 'InvalidSignatureException')
    assert.match(message, /does not match\.\)$/)
  })

  test('and no secret: a message is scrubbed', () => {
    const { message } = failureFromWire(400, { message: 'bad key sk-abcdefghijklmnopqrstuvwxyz123456' })
    assert.doesNotMatch(message, /abcdefghij/)
  })
})
