import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Failure } from '../../domain/failure.ts'
import type { JsonObject } from '../../domain/request/call-request.ts'
import { failureFromWire } from './failure.ts'

const body = (code: number, status: string, message: string, details?: JsonObject[]) => ({
  error: { code, message, status, ...(details === undefined ? {} : { details }) },
})
const bad = (message: string, details?: JsonObject[]) => body(400, 'INVALID_ARGUMENT', message, details)
const reason = (text: string) => ({
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  reason: text,
  domain: 'googleapis.com',
})
const retryIn = (retryDelay: string) => ({ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay })
const quota = (quotaId: string) => ({
  '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
  violations: [{ quotaId }],
})
const limited = (...details: JsonObject[]) =>
  body(429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota.', details)

type Verdict = [Failure['code'], Failure['next'], Failure['retry']]
type Expected = [...Verdict, waitMs?: number]
const INVALID: Verdict = ['invalid_request', 'none', 'no']
const UNSUPPORTED: Verdict = ['unsupported_parameter', 'none', 'no']
const TOO_LONG: Verdict = ['context_length_exceeded', 'larger-window', 'no']
const QUOTA: Verdict = ['provider_quota_exceeded', 'any', 'never']
const AUTH: Verdict = ['provider_auth_error', 'any', 'no']
/** Another token may help, where there is one. */
const UNKNOWN: Verdict = ['provider_auth_error', 'any', 'new-token']
const ERROR: Verdict = ['upstream_error', 'any', 'yes']
const LIMITED: Verdict = ['rate_limited', 'any', 'short-wait']

describe('failures, with what may follow and how long to wait', () => {
  const cases: [number, unknown, Expected][] = [
    [400, bad('Please use a valid role: user, model.'), INVALID],
    [400, bad('Function call is missing a thought_signature in functionCall parts.'), INVALID],
    [400, bad('The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).'), TOO_LONG],
    [400, bad('API key not valid. Please pass a valid API key.', [reason('API_KEY_INVALID')]), AUTH],
    [400, bad('API key not valid. Please pass a valid API key.'), AUTH],
    [400, bad('x', [reason('API_KEY_INVALID')]), AUTH],
    [400, bad('Thinking level is not supported for this model.'), UNSUPPORTED],
    [
      400,
      bad('Invalid JSON payload received. Unknown name "topK2" at \'generation_config\': Cannot find field.'),
      UNSUPPORTED,
    ],
    [400, body(400, 'FAILED_PRECONDITION', 'User location is not supported for the API use.'), AUTH],
    [400, body(400, 'FAILED_PRECONDITION', 'Please enable billing on project 1.'), AUTH],
    [401, body(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.'), UNKNOWN],
    [403, body(403, 'PERMISSION_DENIED', 'Generative Language API has not been used in project 1.'), AUTH],
    [403, body(403, 'PERMISSION_DENIED', 'CachedContent not found (or permission denied)'), INVALID],
    [402, body(402, 'RESOURCE_EXHAUSTED', 'Your prepaid credit is used up.'), QUOTA],
    [404, body(404, 'NOT_FOUND', 'models/x is not found for API version v1beta.'), ['model_not_found', 'any', 'no']],
    [413, '', ['request_too_large', 'none', 'no']],
    [429, limited(), LIMITED],
    [429, limited(retryIn('37s')), [...LIMITED, 37_000]],
    [429, limited(retryIn('0.2505s')), [...LIMITED, 251]],
    [429, limited(retryIn('soon')), LIMITED],
    [429, limited(quota('GenerateRequestsPerMinutePerProjectPerModel'), retryIn('5s')), [...LIMITED, 5_000]],
    [429, limited(quota('GenerateRequestsPerDayPerProjectPerModel-FreeTier'), retryIn('5s')), [...QUOTA, 5_000]],
    [499, body(499, 'CANCELLED', 'The operation was cancelled.'), ['upstream_error', 'any', 'no']],
    [500, body(500, 'INTERNAL', 'An internal error has occurred.'), ERROR],
    [500, body(500, 'UNKNOWN', 'x'), ERROR],
    [503, body(503, 'UNAVAILABLE', 'The model is overloaded.'), ['provider_overloaded', 'any', 'yes']],
    [504, body(504, 'DEADLINE_EXCEEDED', 'Deadline expired.'), ['upstream_timeout', 'any', 'no']],
    [502, '<html>Bad Gateway</html>', ERROR],
    [418, 'teapot', INVALID],
    [307, '', ['upstream_error', 'any', 'no']],
    [429, [limited(retryIn('37s'))], [...LIMITED, 37_000]],
  ]
  for (const [status, answer, [code, next, retry, waitMs = null]] of cases) {
    test(`${status} ${JSON.stringify(answer)} is ${code}`, () => {
      const failure = failureFromWire(status, answer)
      assert.deepEqual([failure.code, failure.next, failure.retry, failure.retryAfterMs], [code, next, retry, waitMs])
      assert.equal(failure.status, status)
    })
  }
})

test('the message is the provider’s, without keys, or ours', () => {
  assert.equal(failureFromWire(401, body(401, '', 'bad Bearer ya29.abcdef')).message, 'bad [redacted]')
  assert.equal(failureFromWire(502, '<html>secret</html>').message, 'The provider answered with status 502.')
})
