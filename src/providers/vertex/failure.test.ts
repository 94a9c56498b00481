import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { vertexFamily } from './vertex-family.ts'

describe('failures', () => {
  const denied = (reason: string, message: string) => ({
    error: {
      code: 403,
      status: 'PERMISSION_DENIED',
      message,
      details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason }],
    },
  })
  const cases: [status: number, body: unknown, code: string, words: RegExp][] = [
    [
      403,
      denied('IAM_PERMISSION_DENIED', "Permission 'aiplatform.endpoints.predict' denied on resource x."),
      'provider_auth_error',
      /needs the role roles\/aiplatform\.user/,
    ],
    [
      403,
      denied('SERVICE_DISABLED', 'Vertex AI API has not been used in project 1.'),
      'provider_auth_error',
      /Enable the API/,
    ],
    [
      403,
      denied('CONSUMER_INVALID', 'Permission denied on resource project x.'),
      'provider_auth_error',
      /Is settings\.project the right one/,
    ],
    [403, denied('BILLING_DISABLED', 'This API method requires billing.'), 'provider_auth_error', /has no billing/],
    [
      401,
      { error: { code: 401, status: 'UNAUTHENTICATED', message: 'x', details: [{ reason: 'ACCESS_TOKEN_EXPIRED' }] } },
      'provider_auth_error',
      /has expired/,
    ],
    [
      400,
      {
        error: {
          code: 400,
          status: 'FAILED_PRECONDITION',
          message: 'Organization Policy constraint constraints/vertexai.allowedModels violated.',
        },
      },
      'provider_auth_error',
      /policy of the organization/,
    ],
    [
      429,
      [{ error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'Resource exhausted.' } }],
      'rate_limited',
      /^Resource exhausted\.$/,
    ],
    [
      404,
      { error: { code: 404, status: 'NOT_FOUND', message: 'Publisher Model x was not found.' } },
      'model_not_found',
      /was not found/,
    ],
    [
      400,
      { type: 'error', error: { type: 'invalid_request_error', message: 'prompt is too long: 2 > 1' } },
      'context_length_exceeded',
      /too long/,
    ],
    [
      529,
      { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
      'provider_overloaded',
      /Overloaded/,
    ],
    [
      400,
      {
        error: {
          message: 'maximum context length is 5',
          type: 'invalid_request_error',
          code: 'context_length_exceeded',
        },
      },
      'context_length_exceeded',
      /maximum/,
    ],
    [502, '<html>', 'upstream_error', /502/],
  ]
  for (const [status, body, code, words] of cases) {
    test(`${status} ${JSON.stringify(body)}`, () => {
      const failure = vertexFamily.failureFromWire(status, body)
      assert.equal(failure.code, code)
      assert.match(failure.message, words)
    })
  }
})
