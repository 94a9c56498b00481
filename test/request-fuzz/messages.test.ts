import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endpointNamed } from '../../src/endpoints/endpoints.ts'
import { fc } from '../property.ts'
import { DRAWS, goThrough } from './whole-request.ts'

/** A million before a release; as many as a suite can afford otherwise. */
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 2_000)

const odd = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(null, '', 0, -1, 1e300, [], {}, [[]], 'auto', true))
const orOdd = <T>(usual: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 60, arbitrary: usual as fc.Arbitrary<unknown> }, { weight: 1, arbitrary: odd })
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
const content = fc.oneof(text, fc.array(orOdd(fc.oneof(plainBlock, block)), { maxLength: 4 }))
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
    messages: orOdd(fc.array(orOdd(message), { minLength: 1, maxLength: 5 })),
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

for (const name of ['messages', 'count_tokens']) {
  const endpoint = endpointNamed(name)
  test(`${RUNS} random Messages bodies to ${endpoint.path} are translated or refused in words`, () => {
    let accepted = 0
    const property = fc.property(body, fc.nat(DRAWS - 1), (value, draw) => {
      if (goThrough(value, endpoint, draw)) accepted++
    })
    fc.assert(property, { numRuns: RUNS })
    assert.ok(accepted > RUNS / 40, `only ${accepted} were accepted`)
  })
}
