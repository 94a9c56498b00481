import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openaiFamily } from '../openai-family.ts'

/** As the vendors write them. */
const ERRORS: [who: string, status: number, body: unknown, code: string, next: string, retry: string][] = [
  [
    'mistral',
    422,
    { detail: [{ type: 'extra_forbidden', loc: ['body', 'foo'], msg: 'Extra inputs are not permitted' }] },
    'invalid_request',
    'none',
    'no',
  ],
  [
    'mistral',
    400,
    {
      object: 'error',
      message: 'Prompt contains 9 tokens, too large for model with 8 maximum context length',
      type: 'invalid_request_error',
      param: null,
      code: 3051,
    },
    'context_length_exceeded',
    'larger-window',
    'no',
  ],
  [
    'mistral',
    429,
    { object: 'error', message: 'Requests rate limit exceeded', type: 'rate_limited', param: null, code: '1300' },
    'rate_limited',
    'any',
    'short-wait',
  ],
  [
    'groq',
    400,
    {
      error: {
        message: 'Failed to call a function.',
        type: 'invalid_request_error',
        code: 'tool_use_failed',
        failed_generation: 'x',
      },
    },
    'upstream_error',
    'any',
    'once',
  ],
  [
    'groq',
    498,
    { error: { message: 'capacity exceeded', type: 'capacity_exceeded' } },
    'provider_overloaded',
    'any',
    'yes',
  ],
  [
    'groq',
    413,
    { error: { message: 'Request too large for model', type: 'tokens', code: 'rate_limit_exceeded' } },
    'rate_limited',
    'any',
    'no',
  ],
  [
    'together',
    422,
    {
      error: {
        message: 'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193.',
        type: 'invalid_request_error',
      },
    },
    'context_length_exceeded',
    'larger-window',
    'no',
  ],
  [
    'deepseek',
    402,
    { error: { message: 'Insufficient Balance', type: 'unknown_error', code: 'invalid_request_error' } },
    'provider_quota_exceeded',
    'any',
    'never',
  ],
  ['deepseek', 503, { error: { message: 'overloaded' } }, 'provider_overloaded', 'any', 'yes'],
  [
    'xai',
    403,
    { code: 'The caller does not have permission', error: "Your newly created team doesn't have any credits yet." },
    'provider_quota_exceeded',
    'any',
    'never',
  ],
  [
    'xai',
    400,
    {
      code: 'Client specified an invalid argument',
      error: "This model's maximum prompt length is 131072 but the request contains 200000 tokens.",
    },
    'context_length_exceeded',
    'larger-window',
    'no',
  ],
  [
    'openrouter',
    402,
    { error: { code: 402, message: 'Insufficient credits' } },
    'provider_quota_exceeded',
    'any',
    'never',
  ],
  [
    'openrouter',
    403,
    { error: { code: 403, message: 'requires moderation', metadata: { reasons: ['x'], flagged_input: 'y' } } },
    'content_filtered',
    'none',
    'no',
  ],
  ['openrouter', 408, { error: { code: 408, message: 'timed out' } }, 'upstream_error', 'any', 'yes'],
  ['cohere', 422, { message: 'invalid field', id: 'x' }, 'invalid_request', 'none', 'no'],
  [
    'ollama',
    404,
    { error: { message: "model 'x' not found", type: 'not_found_error', param: null, code: null } },
    'model_not_found',
    'any',
    'no',
  ],
  [
    'vllm',
    400,
    {
      object: 'error',
      message: "This model's maximum context length is 10 tokens.",
      type: 'BadRequestError',
      code: 400,
    },
    'context_length_exceeded',
    'larger-window',
    'no',
  ],
  [
    'vllm',
    400,
    {
      error: {
        message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
        type: 'BadRequestError',
        code: 400,
      },
    },
    'unsupported_parameter',
    'none',
    'no',
  ],
  ['lmstudio', 400, { error: 'Model is unloaded.' }, 'invalid_request', 'none', 'no'],
]
describe('an error of', () => {
  for (const [who, status, body, code, next, retry] of ERRORS) {
    test(`${who}: ${status} ${JSON.stringify(body).slice(0, 70)}`, () => {
      const failed = openaiFamily.failureFromWire(status, body)
      assert.deepEqual([failed.code, failed.next, failed.retry], [code, next, retry])
      assert.doesNotMatch(failed.message, /\(HTTP/, 'it has words')
    })
  }
})
