import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fc } from '../../../test/property.ts'
import { type Provider, UNKNOWN_TRAITS } from '../../domain/provider.ts'
import { type ChatRequest, readChatRequest } from '../../domain/request/chat.ts'
import { NO_BOUNDS } from '../../domain/request/output-limit.ts'
import { chat } from './chat/chat.ts'
import { openaiFamily } from './openai-family.ts'

/** Wire as of the openai package 7.53.0. */
const target = { model: 'gpt-upstream', traits: UNKNOWN_TRAITS, baseUrl: null, bounds: NO_BOUNDS }
const user = { role: 'user', content: 'hi' }

function wireOf(request: unknown): unknown {
  const translation = chat.toWire(request as ChatRequest, target)
  assert.equal(translation.kind, 'wire')
  return translation.kind === 'wire' ? translation.body : null
}

describe('a stream', () => {
  const streamed = (fields: object, more: object = {}) => {
    const request = { model: 'fast', messages: [user], stream: true, ...fields } as unknown as ChatRequest
    const translation = chat.toWire(request, { ...target, ...more })
    assert.ok(translation.kind === 'wire')
    const { stream, stream_options: options } = translation.body
    return { stream, options }
  }
  const table: [what: string, sent: unknown, options: object][] = [
    ['nothing', undefined, { include_usage: true }],
    ['null', null, { include_usage: true }],
    ['that it is not', { include_usage: false }, { include_usage: true }],
    ['other options', { include_obfuscation: false }, { include_obfuscation: false, include_usage: true }],
  ]
  for (const [what, sent, options] of table) {
    test(`is always asked for usage, where the caller says ${what}`, () => {
      assert.deepEqual(streamed({ stream_options: sent }), { stream: true, options })
    })
  }

  test('keeps the options of the caller who asks for usage', () => {
    const options = { include_usage: true }
    assert.equal(streamed({ stream_options: options }).options, options)
  })

  test('is not asked where the provider refuses to be', () => {
    const options = { include_usage: true, include_obfuscation: false }
    assert.deepEqual(streamed({ stream_options: options }, { omitsUsageField: true }), {
      stream: true,
      options: undefined,
    })
  })

  test('that nobody asked for keeps its options for the provider to judge', () => {
    const options = { include_usage: false }
    assert.deepEqual(streamed({ stream: false, stream_options: options }), { stream: undefined, options })
  })
})

describe('a limit that is set here', () => {
  const limited = (fields: object, bounds: object, baseUrl: string | null = null) => {
    const request = { model: 'fast', messages: [user], ...fields } as unknown as ChatRequest
    const all = { ...target, baseUrl, bounds: { ...NO_BOUNDS, ...bounds } }
    const translation = chat.toWire(request, all)
    assert.ok(translation.kind === 'wire')
    const { max_tokens: older, max_completion_tokens: newer } = translation.body
    return { older, newer, adjustments: translation.adjustments }
  }
  const said = (field: string, value: number, reason: string) => [{ field, value, reason }]

  test('has the vendor’s newer name at the vendor', () => {
    for (const url of [null, 'https://api.openai.com/v1/']) {
      assert.deepEqual(limited({}, { default: 9 }, url), {
        older: undefined,
        newer: 9,
        adjustments: said('max_completion_tokens', 9, 'default_limit'),
      })
    }
  })

  test('and the older one at compatible servers', () => {
    assert.deepEqual(limited({}, { default: 9 }, 'http://127.0.0.1:11434/v1'), {
      older: 9,
      newer: undefined,
      adjustments: said('max_tokens', 9, 'default_limit'),
    })
  })

  test("lowers the caller's own under its name, both where there are two", () => {
    assert.deepEqual(limited({ max_tokens: 20 }, { most: 9 }).older, 9)
    const both = limited({ max_tokens: 20, max_completion_tokens: 30 }, { most: 9 })
    assert.deepEqual([both.older, both.newer, both.adjustments.length], [9, 9, 2])
  })

  test("has the server's name where a bridge has chosen one", () => {
    const bridged = (baseUrl: string | null, isBridged: boolean) => {
      const request = { model: 'fast', messages: [user], max_completion_tokens: 30 } as unknown as ChatRequest
      const translation = chat.toWire(request, { ...target, baseUrl, isBridged, bounds: { default: null, most: 9 } })
      assert.ok(translation.kind === 'wire')
      const { model: _model, messages: _messages, ...rest } = translation.body
      return rest
    }
    assert.deepEqual(bridged('http://127.0.0.1:11434/v1', true), { max_tokens: 9 })
    assert.deepEqual(bridged(null, true), { max_completion_tokens: 9 })
    assert.deepEqual(bridged('http://127.0.0.1:11434/v1', false), { max_completion_tokens: 9 })
  })
})

describe('a request is sent nearly verbatim', () => {
  test('the model becomes the upstream id and stream is left out', () => {
    assert.deepEqual(wireOf({ model: 'fast', messages: [user], stream: false }), {
      model: 'gpt-upstream',
      messages: [user],
    })
  })

  test('known, unknown, null and deprecated fields are forwarded unchanged', () => {
    const fields = {
      temperature: 0.2,
      top_p: 0.9,
      max_tokens: 5,
      max_completion_tokens: 6,
      stop: ['a', ''],
      seed: null,
      n: 2,
      logit_bias: { '50256': -100 },
      reasoning_effort: 'minimal',
      functions: [{ name: 'f' }],
      store: true,
      web_search_options: {},
      some_new_field: { deep: [1, null, 'x'] },
    }
    assert.deepEqual(wireOf({ model: 'm', messages: [user], ...fields }), {
      model: 'gpt-upstream',
      messages: [user],
      ...fields,
    })
  })

  test('key order stays as the caller sent it', () => {
    const text = '{"zeta":1,"messages":[{"role":"user","content":"hi"}],"model":"m","alpha":2}'
    assert.equal(JSON.stringify(wireOf(JSON.parse(text))), text.replace('"m"', '"gpt-upstream"'))
  })

  test('what other vendors put beside calls goes to compatible servers, and not to the vendor', () => {
    const call = { id: 'a', type: 'function', function: { name: 'x', arguments: '{}' } }
    const extra = { extra_content: { maker: { signature: 's' } } }
    const said = { role: 'assistant', content: null, tool_calls: [{ ...call, ...extra }, call], ...extra }
    const sentTo = (baseUrl: string | null) => {
      const messages = [user, said] as unknown as ChatRequest['messages']
      const translation = chat.toWire({ model: 'fast', messages }, { ...target, baseUrl })
      return translation.kind === 'wire' ? (translation.body['messages'] as object[])[1] : null
    }
    assert.deepEqual(sentTo(null), { role: 'assistant', content: null, tool_calls: [call, call] })
    assert.equal(sentTo('https://compatible.example/v1'), said)
  })

  test('our extensions are removed from messages, parts and calls, nothing else is', () => {
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }
    const messages = [
      { role: 'system', content: 'a', cache_control: { type: 'ephemeral' } },
      { role: 'user', content: [{ type: 'text', text: 'b', cache_control: { type: 'ephemeral' }, other: 1 }] },
      { role: 'assistant', tool_calls: [{ ...call, cache_control: { type: 'ephemeral' } }] },
      { role: 'tool', tool_call_id: 'c', content: 'd', is_error: true },
      { role: 'assistant', content: 'e', thinking_blocks: [{ type: 'redacted_thinking', data: 'x' }] },
    ]
    assert.deepEqual((wireOf({ model: 'm', messages }) as { messages: unknown }).messages, [
      { role: 'system', content: 'a' },
      { role: 'user', content: [{ type: 'text', text: 'b', other: 1 }] },
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c', content: 'd' },
      { role: 'assistant', content: 'e' },
    ])
  })

  test("the caller's request is never touched", () => {
    const request = deepFreeze({
      model: 'm',
      stream: false,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }] }],
    })
    assert.doesNotThrow(() => wireOf(request))
  })

  test('a key called __proto__ is data like any other', () => {
    const request = readChatRequest(
      JSON.parse('{"model":"m","messages":[{"role":"user","content":"x"}],"__proto__":{"a":1}}'),
    )
    assert.match(JSON.stringify(wireOf(request)), /"__proto__":\{"a":1\}/)
  })
})

describe('an answer comes back as received', () => {
  const full = {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_790_000_000,
    model: 'gpt-x-2026',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'hello', refusal: null, annotations: [], audio: null },
        logprobs: { content: [] },
        finish_reason: 'stop',
      },
      { index: 1, message: { role: 'assistant', content: 'hi' }, finish_reason: 'length' },
    ],
    usage: {
      prompt_tokens: 100,
      completion_tokens: 20,
      total_tokens: 120,
      prompt_tokens_details: { cached_tokens: 30, cache_write_tokens: 10, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 8 },
    },
    system_fingerprint: 'fp_1',
    service_tier: 'default',
    unknown_key: { kept: true },
  }

  test('everything is kept, and the usage classes do not overlap', () => {
    const reading = chat.fromWire(full, {} as ChatRequest)
    assert.equal(reading.kind, 'answer')
    if (reading.kind !== 'answer') return
    assert.deepEqual(reading.answer.body, full)
    assert.equal(reading.answer.finishReason, 'stop')
    assert.deepEqual(reading.answer.usage, {
      input: 60,
      cachedInput: 30,
      cacheWrite5m: 0,
      cacheWrite30m: 10,
      cacheWrite1h: 0,
      audioInput: 0,
      imageInput: 0,
      audioOutput: 0,
      imageOutput: 0,
      output: 20,
      reasoning: 8,
      pricePercent: 100,
      uses: null,
      stated: null,
    })
  })

  test('audio has a price of its own, but never more tokens than there are', () => {
    const reported = (audio: number) => {
      const usage = { prompt_tokens: 100, prompt_tokens_details: { cached_tokens: 30, audio_tokens: audio } }
      const reading = chat.fromWire({ ...full, usage }, {} as ChatRequest)
      return reading.kind === 'answer' ? [reading.answer.usage?.input, reading.answer.usage?.audioInput] : []
    }
    assert.deepEqual(
      [reported(50), reported(90)],
      [
        [20, 50],
        [0, 70],
      ],
    )
  })

  for (const [tier, percent] of [
    ['flex', 50],
    ['priority', 200],
    ['fast', 200],
    ['default', 100],
    ['scale', 100],
    [null, 100],
    ['constructor', 100],
  ] as const) {
    test(`service tier ${tier} is billed at ${percent} %`, () => {
      const reading = chat.fromWire({ ...full, service_tier: tier }, {} as ChatRequest)
      assert.equal(reading.kind === 'answer' && reading.answer.usage?.pricePercent, percent)
    })
  }

  test('what a compatible server left out is filled in', () => {
    const reading = chat.fromWire({ choices: [{ message: { content: 'x' } }] }, {} as ChatRequest)
    assert.deepEqual(reading.kind === 'answer' && reading.answer.body, {
      choices: [{ message: { content: 'x' } }],
      object: 'chat.completion',
      usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
    })
  })

  for (const body of [null, 'text', [], 7, {}, { choices: null }, { choices: {} }]) {
    test(`${JSON.stringify(body)} is not an answer and may be retried once`, () => {
      const reading = chat.fromWire(body, {} as ChatRequest)
      assert.equal(reading.kind, 'failure')
      if (reading.kind !== 'failure') return
      assert.deepEqual([reading.failure.code, reading.failure.retry], ['upstream_error', 'once'])
    })
  }

  for (const [error, code] of [
    [{ type: 'insufficient_quota', message: 'x' }, 'provider_quota_exceeded'],
    [{ code: 'rate_limit_exceeded', message: 'x' }, 'rate_limited'],
    [{ code: 'server_is_overloaded', message: 'x' }, 'provider_overloaded'],
    [{ code: 'invalid_api_key', message: 'x' }, 'provider_auth_error'],
    [{ code: 'model_not_found', message: 'x' }, 'model_not_found'],
    [{ code: 'context_length_exceeded', message: 'x' }, 'context_length_exceeded'],
    [{ type: 'invalid_request_error', message: 'x' }, 'invalid_request'],
    [{ code: 503, message: 'x' }, 'provider_overloaded'],
    [{ message: 'who knows' }, 'upstream_error'],
    ['plain text', 'upstream_error'],
  ] as const) {
    test(`200 with the error ${JSON.stringify(error)} means ${code}`, () => {
      const reading = chat.fromWire({ error }, {} as ChatRequest)
      assert.equal(reading.kind === 'failure' && reading.failure.code, code)
    })
  }
})

describe('a failure is read by meaning', () => {
  const table: [number, unknown, string, string, string][] = [
    [400, { message: 'bad' }, 'invalid_request', 'none', 'no'],
    [422, { message: 'bad' }, 'invalid_request', 'none', 'no'],
    [400, { code: 'context_length_exceeded' }, 'context_length_exceeded', 'larger-window', 'no'],
    [400, { message: "This model's maximum context length is 10" }, 'context_length_exceeded', 'larger-window', 'no'],
    [400, { message: 'Your input exceeds the context window' }, 'context_length_exceeded', 'larger-window', 'no'],
    [400, { code: 'unsupported_parameter' }, 'unsupported_parameter', 'none', 'no'],
    [400, { code: 'unsupported_value' }, 'unsupported_parameter', 'none', 'no'],
    [400, { code: 'invalid_parameter_combination' }, 'unsupported_parameter', 'none', 'no'],
    [400, { message: 'Function tools with reasoning_effort are not supported' }, 'unsupported_parameter', 'none', 'no'],
    [400, { code: 'content_policy_violation' }, 'content_filtered', 'none', 'no'],
    [400, { code: 'content_filter' }, 'content_filtered', 'none', 'no'],
    [400, { code: 'invalid_prompt' }, 'content_filtered', 'none', 'no'],
    [401, { code: 'invalid_api_key' }, 'provider_auth_error', 'any', 'new-token'],
    [402, { message: 'insufficient credits' }, 'provider_quota_exceeded', 'any', 'never'],
    [403, { message: 'country' }, 'provider_auth_error', 'any', 'no'],
    [404, { code: 'model_not_found' }, 'model_not_found', 'any', 'no'],
    [408, {}, 'upstream_error', 'any', 'yes'],
    [409, {}, 'upstream_error', 'any', 'yes'],
    [413, {}, 'request_too_large', 'none', 'no'],
    [429, { code: 'rate_limit_exceeded' }, 'rate_limited', 'any', 'short-wait'],
    [429, { code: 'slow_down' }, 'rate_limited', 'any', 'short-wait'],
    [429, { code: null }, 'rate_limited', 'any', 'short-wait'],
    [429, { message: 'Request too large for gpt-x on tokens per min (TPM)' }, 'rate_limited', 'any', 'no'],
    [429, { type: 'insufficient_quota' }, 'provider_quota_exceeded', 'any', 'never'],
    [429, { code: 'insufficient_quota' }, 'provider_quota_exceeded', 'any', 'never'],
    [429, { code: 'credit_balance_exhausted' }, 'provider_quota_exceeded', 'any', 'never'],
    [429, { code: 'organization_spend_limit_exceeded' }, 'provider_quota_exceeded', 'any', 'never'],
    [429, { code: 'project_spend_limit_exceeded' }, 'provider_quota_exceeded', 'any', 'never'],
    [429, { code: 'organization_usage_limit_exceeded' }, 'provider_quota_exceeded', 'any', 'never'],
    [429, { code: 'billing_hard_limit_reached' }, 'provider_quota_exceeded', 'any', 'never'],
    [429, { code: 'billing_not_active' }, 'provider_quota_exceeded', 'any', 'never'],
    [500, {}, 'upstream_error', 'any', 'yes'],
    [502, {}, 'upstream_error', 'any', 'yes'],
    [504, {}, 'upstream_timeout', 'any', 'yes'],
    [503, { code: 'server_is_overloaded' }, 'provider_overloaded', 'any', 'yes'],
    [418, {}, 'invalid_request', 'none', 'no'],
    [307, {}, 'upstream_error', 'any', 'no'],
  ]
  for (const [status, error, code, next, retry] of table) {
    test(`${status} ${JSON.stringify(error)} → ${code}`, () => {
      const failed = openaiFamily.failureFromWire(status, { error })
      assert.deepEqual([failed.code, failed.next, failed.retry, failed.status], [code, next, retry, status])
    })
  }

  test('a body that is not JSON gives a message with the status', () => {
    assert.match(openaiFamily.failureFromWire(502, '<html>Bad gateway</html>').message, /HTTP 502/)
  })

  test('what looks like a key is removed from the message', () => {
    const failed = openaiFamily.failureFromWire(401, {
      error: { message: 'Incorrect API key provided: sk-proj-abc***xyz.' },
    })
    assert.equal(failed.message, 'Incorrect API key provided: [redacted].')
  })
})

describe('endpoints', () => {
  const provider: Provider = {
    name: 'p',
    family: 'openai',
    baseUrl: null,
    apiKey: 'sk-1',
    headers: {},
    onCallerLeft: 'abort',
  }
  test('the public address includes /v1', () => {
    assert.equal(chat.target(provider, 'm').url, 'https://api.openai.com/v1/chat/completions')
  })
  test('trailing slashes of a base address do not matter', () => {
    const target = openaiFamily.modelsTarget({ ...provider, baseUrl: 'http://127.0.0.1:1/v1//' }, null)
    assert.equal(target.url, 'http://127.0.0.1:1/v1/models')
  })
  test('the key goes out as a bearer token, with the extra headers; no key, no header', () => {
    const headers = { 'OpenAI-Organization': 'org' }
    assert.deepEqual(chat.target({ ...provider, headers }, 'm').headers, {
      'content-type': 'application/json',
      accept: 'application/json',
      authorization: 'Bearer sk-1',
      'OpenAI-Organization': 'org',
    })
    assert.equal('authorization' in chat.target({ ...provider, apiKey: null }, 'm').headers, false)
  })
  test('the model list is one page', () => {
    const page = openaiFamily.modelsFromWire({ object: 'list', data: [{ id: 'gpt-1', created: 5 }, { id: 'x' }] })
    assert.deepEqual(page, {
      models: [
        { id: 'gpt-1', created: 5, traits: UNKNOWN_TRAITS },
        { id: 'x', created: 0, traits: UNKNOWN_TRAITS },
      ],
      next: null,
    })
  })
})

test('fuzz: no JSON value makes the reader throw', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 300, max: 599 }), (body, status) => {
      chat.fromWire(body, {} as ChatRequest)
      chat.fromWire({ choices: body, usage: body }, {} as ChatRequest)
      chat.fromWire({ error: body }, {} as ChatRequest)
      openaiFamily.failureFromWire(status, body)
      openaiFamily.failureFromWire(status, { error: body })
    }),
    { numRuns: 500 },
  )
})

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const item of Object.values(value)) deepFreeze(item)
    Object.freeze(value)
  }
  return value
}

describe('the bounds of an answer', () => {
  const table: [fields: object, outputTokens: number | null, answers: number][] = [
    [{ max_tokens: 10 }, 10, 1],
    [{ max_completion_tokens: 20 }, 20, 1],
    [{ max_tokens: 10, max_completion_tokens: 20 }, 20, 1],
    [{ max_tokens: 10, n: 3 }, 10, 3],
    [{}, null, 1],
    [{ n: null, max_tokens: null }, null, 1],
    [{ max_tokens: -5 }, null, 1],
    [{ max_tokens: 1.5, n: 0 }, null, 1],
  ]
  for (const [fields, outputTokens, answers] of table) {
    test(`of ${JSON.stringify(fields)}: ${answers} × ${outputTokens} tokens`, () => {
      const translation = chat.toWire({ model: 'm', messages: [user], ...fields } as ChatRequest, target)
      assert.ok(translation.kind === 'wire')
      assert.deepEqual([translation.bounds.outputTokens, translation.bounds.answers], [outputTokens, answers])
    })
  }
})
