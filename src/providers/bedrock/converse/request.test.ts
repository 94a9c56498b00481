import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { NOVA, translate, wired } from '../../../../test/fixtures/bedrock/translate.ts'
import type { JsonObject } from '../../../domain/request/call-request.ts'

const bodyOf = (fields: JsonObject, model?: string) => wired(fields, model).body
const PNG = 'iVBORw0KGgo='
const call = { id: 'call_1', type: 'function', function: { name: 'wx', arguments: '{"city":"Rome"}' } }
const tool = { type: 'function', function: { name: 'wx', parameters: { type: 'object', properties: {} } } }
const toolSpec = { name: 'wx', inputSchema: { json: { type: 'object', properties: {} } } }

describe('messages', () => {
  const cases: [what: string, messages: JsonObject[], expected: JsonObject][] = [
    [
      'system and developer texts stand apart',
      [
        { role: 'system', content: 'a' },
        { role: 'developer', content: 'b' },
        { role: 'user', content: 'c' },
      ],
      { system: [{ text: 'a\nb' }], messages: [{ role: 'user', content: [{ text: 'c' }] }] },
    ],
    [
      'neighbours of a role are one message',
      [
        { role: 'user', content: 'a' },
        { role: 'user', content: 'b' },
        { role: 'assistant', content: 'c' },
        { role: 'user', content: 'd' },
      ],
      {
        messages: [
          { role: 'user', content: [{ text: 'a' }, { text: 'b' }] },
          { role: 'assistant', content: [{ text: 'c' }] },
          { role: 'user', content: [{ text: 'd' }] },
        ],
      },
    ],
    [
      'images and documents are data, and a document has a text beside it',
      [
        {
          role: 'user',
          content: [
            { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
            { type: 'file', file: { file_data: 'data:text/plain,hi', filename: 'my_notes.txt' } },
            { type: 'file', file: { file_data: 'JVBERi0x', filename: 'my notes/txt' } },
          ],
        },
      ],
      {
        messages: [
          {
            role: 'user',
            content: [
              { image: { format: 'png', source: { bytes: PNG } } },
              { document: { format: 'txt', name: 'my notes txt', source: { bytes: 'aGk=' } } },
              { document: { format: 'pdf', name: 'my notes txt 2', source: { bytes: 'JVBERi0x' } } },
              { text: '(see the document)' },
            ],
          },
        ],
      },
    ],
    [
      'all results of a turn are in one message, in the order of the calls',
      [
        { role: 'user', content: 'a' },
        { role: 'assistant', tool_calls: [call, { ...call, id: 'call_2' }] },
        { role: 'tool', tool_call_id: 'call_2', content: '', is_error: true },
        { role: 'tool', tool_call_id: 'call_1', content: [{ type: 'text', text: 'sun' }] },
      ],
      {
        messages: [
          { role: 'user', content: [{ text: 'a' }] },
          {
            role: 'assistant',
            content: ['call_1', 'call_2'].map((toolUseId) => ({
              toolUse: { toolUseId, name: 'wx', input: { city: 'Rome' } },
            })),
          },
          {
            role: 'user',
            content: [
              { toolResult: { toolUseId: 'call_1', content: [{ text: 'sun' }] } },
              { toolResult: { toolUseId: 'call_2', content: [{ text: '(no output)' }], status: 'error' } },
            ],
          },
        ],
        toolConfig: { tools: [{ toolSpec }] },
      },
    ],
    [
      'a cache marker is a block of its own',
      [
        { role: 'system', content: [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }] },
        { role: 'user', content: [{ type: 'text', text: 'b', cache_control: { type: 'ephemeral', ttl: '1h' } }] },
      ],
      {
        system: [{ text: 'a' }, { cachePoint: { type: 'default' } }],
        messages: [{ role: 'user', content: [{ text: 'b' }, { cachePoint: { type: 'default', ttl: '1h' } }] }],
      },
    ],
    [
      'reasoning goes back as it came',
      [
        { role: 'user', content: 'a' },
        {
          role: 'assistant',
          content: 'b',
          thinking_blocks: [
            { type: 'thinking', thinking: 'hm', signature: 's' },
            { type: 'redacted_thinking', data: 'ZA==' },
          ],
        },
        { role: 'user', content: 'c' },
      ],
      {
        messages: [
          { role: 'user', content: [{ text: 'a' }] },
          {
            role: 'assistant',
            content: [
              { reasoningContent: { reasoningText: { text: 'hm', signature: 's' } } },
              { reasoningContent: { redactedContent: 'ZA==' } },
              { text: 'b' },
            ],
          },
          { role: 'user', content: [{ text: 'c' }] },
        ],
      },
    ],
  ]
  for (const [what, messages, expected] of cases) test(what, () => assert.deepEqual(bodyOf({ messages }), expected))

  test('an image at an address is refused: another entry may fetch it', () => {
    const content = [{ type: 'image_url', image_url: { url: 'https://a.example/b.png' } }]
    assert.equal(translate({ messages: [{ role: 'user', content }] }).kind, 'refused')
  })
})

describe('fields', () => {
  const rest = (fields: JsonObject, model?: string) => {
    const { messages: _, ...others } = bodyOf(fields, model)
    return others
  }
  const schema = { type: 'object', properties: {}, additionalProperties: false }
  const cases: [what: string, fields: JsonObject, expected: JsonObject, ignored: string[], model?: string][] = [
    ['nothing is invented', {}, {}, []],
    [
      'sampling',
      { max_completion_tokens: 5, temperature: 0, top_p: 1, stop: ['a'] },
      { inferenceConfig: { maxTokens: 5, temperature: 0, topP: 1, stopSequences: ['a'] } },
      [],
    ],
    [
      'hints are dropped',
      { seed: 1, user: 'u', safety_identifier: 's', metadata: {} },
      {},
      ['seed', 'metadata', 'user', 'safety_identifier'],
    ],
    [
      'a schema is a text',
      { response_format: { type: 'json_schema', json_schema: { name: 'n', schema } } },
      {
        outputConfig: {
          textFormat: { type: 'json_schema', structure: { jsonSchema: { schema: JSON.stringify(schema), name: 'n' } } },
        },
      },
      [],
    ],
    ['tools', { tools: [tool] }, { toolConfig: { tools: [{ toolSpec }] } }, []],
    [
      'strict tools, one of which must be called',
      {
        tools: [{ type: 'function', function: { ...tool.function, strict: true, description: 'd' } }],
        tool_choice: 'required',
      },
      {
        toolConfig: { tools: [{ toolSpec: { ...toolSpec, description: 'd', strict: true } }], toolChoice: { any: {} } },
      },
      [],
    ],
    [
      'a named tool; several calls cannot be forbidden',
      { tools: [tool], tool_choice: { type: 'function', function: { name: 'wx' } }, parallel_tool_calls: false },
      { toolConfig: { tools: [{ toolSpec }], toolChoice: { tool: { name: 'wx' } } } },
      ['parallel_tool_calls'],
    ],
    ['no tool: they are left out', { tools: [tool], tool_choice: 'none' }, {}, []],
    ['tiers', { service_tier: 'flex' }, { serviceTier: { type: 'flex' } }, []],
    ['no tier', { service_tier: 'auto' }, {}, []],
    ['an effort that no field takes', { reasoning_effort: 'high' }, {}, ['reasoning_effort']],
    [
      'an effort of gpt-oss',
      { reasoning_effort: 'minimal' },
      { additionalModelRequestFields: { reasoning_effort: 'low' } },
      ['reasoning_effort'],
      'openai.gpt-oss-120b-1:0',
    ],
    [
      'an effort of Nova 2',
      { reasoning_effort: 'medium' },
      { additionalModelRequestFields: { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'medium' } } },
      [],
      'us.amazon.nova-2-lite-v1:0',
    ],
    [
      'the highest effort of Nova 2, which takes no limit and no sampling',
      { reasoning_effort: 'high', max_tokens: 9, temperature: 0.5, top_p: 0.5, stop: ['a'] },
      {
        inferenceConfig: { stopSequences: ['a'] },
        additionalModelRequestFields: { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'high' } },
      },
      ['max_tokens', 'temperature', 'top_p'],
      'us.amazon.nova-2-lite-v1:0',
    ],
    [
      'none, at Nova 2',
      { reasoning_effort: 'none' },
      { additionalModelRequestFields: { reasoningConfig: { type: 'disabled' } } },
      [],
      'amazon.nova-2-lite-v1:0',
    ],
  ]
  for (const [what, fields, expected, ignored, model] of cases) {
    test(what, () => {
      assert.deepEqual(rest(fields, model), expected)
      assert.deepEqual(wired(fields, model).ignored.sort(), ignored.sort())
    })
  }

  for (const fields of [
    { n: 2 },
    { logprobs: true },
    { service_tier: 'scale' },
    { reasoning_effort: 'much' },
    { what: 1 },
  ]) {
    test(`${JSON.stringify(fields)} is refused`, () => assert.equal(translate(fields).kind, 'refused'))
  }

  test('a guardrail comes from the settings', () => {
    const settings = { region: 'us-east-1', guardrail_id: 'g', guardrail_version: '1' }
    assert.deepEqual(wired({}, NOVA, { settings }).body['guardrailConfig'], {
      guardrailIdentifier: 'g',
      guardrailVersion: '1',
    })
  })
})

describe('bounds', () => {
  test('the limit that is sent, and the dearest price of the tier', () => {
    assert.deepEqual(wired({}).bounds, { outputTokens: null, answers: 1, namedPercent: 100, accountPercent: 100 })
    assert.equal(wired({ max_tokens: 7 }).bounds.outputTokens, 7)
    assert.equal(wired({ service_tier: 'priority' }).bounds.namedPercent, 200)
    assert.equal(wired({ service_tier: 'flex' }).bounds.namedPercent, 100)
  })

  test('a limit that cannot be sent bounds nothing', () => {
    const bounds = { default: 30, most: 10 }
    const highest = wired({ max_tokens: 7, reasoning_effort: 'max' }, 'amazon.nova-2-lite-v1:0', { bounds })
    assert.deepEqual([highest.bounds.outputTokens, highest.adjustments], [null, []])
  })

  test('a budget and a default limit are sent', () => {
    const fitted = wired({ max_tokens: 100 }, NOVA, { bounds: { default: null, most: 10 } })
    assert.deepEqual(fitted.body['inferenceConfig'], { maxTokens: 10 })
    assert.deepEqual(fitted.adjustments, [{ field: 'max_tokens', value: 10, reason: 'fitted_to_budget' }])
    const usual = wired({}, NOVA, { bounds: { default: 30, most: null } })
    assert.deepEqual([usual.bounds.outputTokens, usual.adjustments[0]?.reason], [30, 'default_limit'])
  })
})
