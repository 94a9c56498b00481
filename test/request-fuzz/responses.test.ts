import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endpointNamed } from '../../src/endpoints/endpoints.ts'
import { fc } from '../property.ts'
import { DRAWS, goThrough } from './whole-request.ts'

/** A million before a release; as many as a suite can afford otherwise. */
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 2_000)

const anyJson = fc.jsonValue({ maxDepth: 3 })
function mostly<T>(usual: fc.Arbitrary<T>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 60, arbitrary: usual }, { weight: 1, arbitrary: anyJson })
}
const word = fc.oneof(fc.string({ maxLength: 6 }), fc.constantFrom('', ' ', 'wx', '__proto__', 'constructor', 'a'))
const url = fc.constantFrom(
  'https://a.b/c',
  'data:image/png;base64,iVBORw0KGgo=',
  'data:application/pdf;base64,AA',
  'x',
)
const part = fc.oneof(
  fc.record({ type: fc.constantFrom('input_text', 'output_text', 'text'), text: mostly(word) }),
  fc.record({ type: fc.constant('refusal'), refusal: mostly(word) }),
  fc.record({
    type: fc.constant('input_image'),
    image_url: mostly(url),
    detail: word,
    file_id: fc.constantFrom(null, 'f'),
  }),
  fc.record({ type: fc.constant('input_file'), file_data: mostly(url), file_url: fc.constantFrom(null, 'x') }),
  fc.record({ type: word }),
)
const content = mostly(fc.oneof(word, fc.array(mostly(part), { maxLength: 3 })))
const id = mostly(fc.constantFrom('a', 'b', ''))
const tool = fc.oneof(
  fc.record({
    type: fc.constant('function'),
    name: mostly(word),
    parameters: mostly(fc.constantFrom(null, {}, { type: 'object' })),
  }),
  fc.record({
    type: fc.constant('custom'),
    name: mostly(word),
    format: mostly(fc.record({ type: fc.constant('grammar'), definition: word })),
  }),
  fc.record({ type: fc.constantFrom('web_search', 'mcp', 'image_generation', 'x') }),
)
const tools = mostly(
  fc.array(
    fc.oneof(
      tool,
      fc.record({
        type: fc.constant('namespace'),
        name: mostly(word),
        tools: mostly(fc.array(mostly(tool), { maxLength: 2 })),
      }),
    ),
    { maxLength: 3 },
  ),
)
const item = fc.oneof(
  fc.record({ role: mostly(fc.constantFrom('user', 'assistant', 'system', 'developer')), content }),
  fc.record({ type: fc.constant('message'), role: fc.constantFrom('user', 'assistant'), content }),
  fc.record({
    type: fc.constant('function_call'),
    call_id: id,
    name: mostly(word),
    namespace: mostly(word),
    arguments: mostly(fc.constantFrom('', '{}', '[')),
  }),
  fc.record({ type: fc.constant('custom_tool_call'), call_id: id, name: mostly(word), input: mostly(word) }),
  fc.record({ type: fc.constantFrom('function_call_output', 'custom_tool_call_output'), call_id: id, output: content }),
  fc.record({
    type: fc.constant('reasoning'),
    summary: mostly(fc.constant([])),
    encrypted_content: mostly(fc.constantFrom('swy1.AAAA', 'gAAAA', null)),
  }),
  fc.record({ type: fc.constant('additional_tools'), tools }),
  fc.record({ type: mostly(fc.constantFrom('item_reference', 'compaction', 'web_search_call')) }),
)
const choice = fc.oneof(
  fc.constantFrom('auto', 'none', 'required', 'x'),
  fc.record({ type: fc.constantFrom('function', 'custom', 'web_search'), name: mostly(word) }),
  fc.record({
    type: fc.constant('allowed_tools'),
    mode: word,
    tools: mostly(fc.array(mostly(tool), { maxLength: 2 })),
  }),
)
const request = fc.record(
  {
    model: mostly(fc.constant('m')),
    input: mostly(fc.oneof(word, fc.array(mostly(item), { maxLength: 6 }))),
    instructions: mostly(word),
    tools,
    tool_choice: mostly(choice),
    text: mostly(
      fc.record({
        format: mostly(
          fc.record({
            type: fc.constantFrom('text', 'json_object', 'json_schema', 'json_schema', 'x'),
            name: word,
            schema: anyJson,
          }),
        ),
      }),
    ),
    reasoning: mostly(fc.record({ effort: mostly(fc.constantFrom('low', 'high', 'none')), summary: word })),
    include: mostly(fc.array(word, { maxLength: 2 })),
    max_output_tokens: mostly(fc.constantFrom(null, 0, 1, 4096, -1, 1.5)),
    stream: mostly(fc.boolean()),
    store: mostly(fc.constantFrom(null, false, false, false, true)),
    service_tier: mostly(fc.constantFrom('auto', 'flex', 'priority')),
    metadata: mostly(fc.dictionary(word, mostly(word), { maxKeys: 3 })),
    user: mostly(word),
    safety_identifier: mostly(word),
    truncation: mostly(fc.constantFrom('disabled', 'disabled', 'auto')),
    parallel_tool_calls: mostly(fc.boolean()),
    temperature: mostly(fc.double({ noNaN: true })),
    previous_response_id: fc.constantFrom(null, null, null, 'resp_1'),
    unknown: fc.constantFrom(null, null, null, 1),
  },
  { requiredKeys: ['model', 'input'] },
)

for (const name of ['responses', 'chat']) {
  const endpoint = endpointNamed(name)
  test(`${RUNS} random Responses bodies to ${endpoint.path} are translated or refused in words`, () => {
    let accepted = 0
    const property = fc.property(request, fc.nat(DRAWS - 1), (body, draw) => {
      if (goThrough(body, endpoint, draw)) accepted++
    })
    fc.assert(property, { numRuns: RUNS })
    assert.ok(accepted > RUNS / 40, `only ${accepted} were accepted`)
  })
}
