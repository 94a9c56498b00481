import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { translatorOf } from '../../src/bodies/destination.ts'
import { outlineFor } from '../../src/bodies/outline.ts'
import { GatewayError } from '../../src/domain/errors.ts'
import { NO_USAGE } from '../../src/domain/pricing/usage.ts'
import { UNKNOWN_TRAITS } from '../../src/domain/provider.ts'
import type { CallRequest } from '../../src/domain/request/call-request.ts'
import { NO_BOUNDS } from '../../src/domain/request/output-limit.ts'
import { countTokens } from '../../src/endpoints/count-tokens/count-tokens.ts'
import type { Endpoint } from '../../src/endpoints/endpoint.ts'
import { messages } from '../../src/endpoints/messages/messages.ts'
import { readValue } from '../../src/endpoints/read-body.ts'

/** A million before a release; as many as a suite can afford otherwise. */
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 2_000)

const odd = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(null, '', 0, -1, 1e300, [], {}, [[]], 'auto', true))
const orOdd = <T>(usual: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 12, arbitrary: usual as fc.Arbitrary<unknown> }, { weight: 1, arbitrary: odd })
const text = orOdd(fc.constantFrom('', ' ', 'a', 'hello', '日本', 'x-vendor-billing-header: a'))
const id = orOdd(fc.constantFrom('t1', 't2', 'x'.repeat(60)))
const name = orOdd(fc.constantFrom('f', 'g', 'with blanks', `mcp__${'a'.repeat(90)}`, 'web_search'))
const marker = fc.constantFrom(undefined, null, { type: 'ephemeral' })

const source = orOdd(
  fc.record({
    type: fc.constantFrom('base64', 'url', 'file', 'text', 'content', 'newer'),
    media_type: orOdd(fc.constantFrom('image/png', 'application/pdf')),
    data: text,
    url: text,
    content: orOdd(fc.constant([{ type: 'text', text: 'a' }])),
  }),
)
const TYPES = [
  'text',
  'image',
  'document',
  'tool_use',
  'tool_result',
  'thinking',
  'redacted_thinking',
  'server_tool_use',
  'container_upload',
]
const plainBlock = fc.record(
  {
    type: orOdd(fc.constantFrom(...TYPES)),
    text,
    source,
    id,
    name,
    input: odd,
    tool_use_id: id,
    thinking: text,
    signature: text,
    data: text,
    is_error: odd,
    cache_control: marker,
  },
  { requiredKeys: ['type'] },
)
const block = fc.record({
  ...{ type: fc.constant('tool_result') },
  tool_use_id: id,
  content: orOdd(fc.array(plainBlock, { maxLength: 2 })),
})
const content = fc.oneof(text, fc.array(fc.oneof(plainBlock, block, odd), { maxLength: 4 }))
const message = fc.record({ role: orOdd(fc.constantFrom('user', 'assistant', 'system')), content })
const tool = fc.record(
  {
    type: orOdd(fc.constantFrom('custom', 'web_search_20250305', 'bash_20250124')),
    name,
    description: text,
    input_schema: orOdd(fc.constant({ type: 'object' })),
    strict: odd,
    cache_control: marker,
  },
  { requiredKeys: ['name', 'input_schema'] },
)
const body = fc.record(
  {
    model: orOdd(fc.constant('fast')),
    max_tokens: orOdd(fc.integer({ min: 1, max: 9000 })),
    messages: orOdd(fc.array(message, { maxLength: 5 })),
    system: content,
    stream: orOdd(fc.boolean()),
    temperature: orOdd(fc.double()),
    stop_sequences: orOdd(fc.array(text, { maxLength: 6 })),
    tools: orOdd(fc.array(tool, { maxLength: 3 })),
    tool_choice: orOdd(
      fc.record({ type: fc.constantFrom('auto', 'any', 'tool', 'none', 'x'), name, disable_parallel_tool_use: odd }),
    ),
    thinking: orOdd(
      fc.record({ type: fc.constantFrom('enabled', 'adaptive', 'disabled'), budget_tokens: orOdd(fc.nat(20_000)) }),
    ),
    output_config: orOdd(
      fc.record({
        effort: orOdd(fc.constantFrom('low', 'max')),
        format: orOdd(fc.record({ type: fc.constant('json_schema'), schema: odd })),
      }),
    ),
    metadata: orOdd(fc.record({ user_id: text })),
    thread: odd,
    context_management: odd,
    newer: odd,
  },
  { requiredKeys: ['model', 'max_tokens', 'messages'] },
)

/** Everything that a request meets before and after the provider, at one entry. */
function go(value: unknown, endpoint: Endpoint, family: string, isStrict: boolean): void {
  let request: CallRequest
  try {
    request = readValue(value, endpoint, true)
  } catch (error) {
    assert.ok(error instanceof GatewayError, String(error))
    endpoint.error(error, 'msg_1')
    return
  }
  endpoint.promptTokens(request, null)
  const to = {
    family,
    baseUrl: null,
    model: 'gpt-5.4',
    traits: UNKNOWN_TRAITS,
    bounds: { ...NO_BOUNDS, most: isStrict ? 1500 : null },
    isStrict,
  }
  const translation = translatorOf(to, endpoint).toWire(request, to)
  if (translation.kind === 'wire') JSON.stringify(translation.body)
  else assert.equal(typeof translation.message, 'string')
  const outline = outlineFor(endpoint, request)
  const stamp = { id: 'msg_1', model: 'fast', created: 1 }
  const answer = {
    body: { choices: [{ message: { content: 'a' } }] },
    usage: null,
    finishReason: 'stop',
    warning: null,
  }
  endpoint.write(answer, stamp, outline)
  const writer = endpoint.stream?.open(outline, stamp)
  writer?.write({ type: 'tool-call-start', index: 0, id: 'c', name: 'f' })
  writer?.end({ usage: null, tokens: NO_USAGE, gateway: {} })
}

test(`${RUNS} random Messages bodies: whatever is wrong with one is the caller's error`, () => {
  fc.assert(
    fc.property(body, fc.boolean(), (value, isStrict) => {
      const parsed: unknown = JSON.parse(JSON.stringify(value))
      for (const family of ['openai', 'anthropic']) go(parsed, messages as unknown as Endpoint, family, isStrict)
      go(parsed, countTokens as unknown as Endpoint, 'anthropic', isStrict)
    }),
    { numRuns: RUNS },
  )
})
