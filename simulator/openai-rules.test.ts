import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Simulator, startSimulator } from './simulator.ts'
import { type Client, connect, HELLO } from './test-client.ts'

let simulator: Simulator
let client: Client
before(async () => {
  simulator = await startSimulator()
  client = connect(simulator)
})
after(() => simulator.close())

const call = (id: string) => ({ id, type: 'function', function: { name: 'wx', arguments: '{}' } })
const user = { role: 'user', content: 'hi' }
const asks = (...ids: string[]) => ({ role: 'assistant', content: null, tool_calls: ids.map(call) })
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'ok' })
const part = (more: object) => [{ role: 'user', content: [more] }]
const tool = (more: object = {}) => ({ type: 'function', function: { name: 'wx', ...more } })
const closed = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false }
const format = (schema: object, strict = true) => ({ type: 'json_schema', json_schema: { name: 'x', strict, schema } })

/** What is sent beside a good request of gpt-4o, and the message, param and code that come back. */
const REFUSED: [why: string, body: object, message: RegExp, param: string | null, code: string | null][] = [
  ['no model', { model: undefined }, /must provide a model/, null, null],
  [
    'no messages',
    { messages: undefined },
    /Missing required parameter: 'messages'/,
    'messages',
    'missing_required_parameter',
  ],
  ['no message in messages', { messages: [] }, /empty array/, 'messages', 'empty_array'],
  ['messages of a wrong type', { messages: 'hi' }, /expected an array, but got a string/, 'messages', 'invalid_type'],
  ['a message of a wrong type', { messages: ['hi'] }, /expected an object/, 'messages[0]', 'invalid_type'],
  ['an unknown field', { top_kk: 1 }, /^Unrecognized request argument supplied: top_kk$/, null, null],
  ['a field named like an object method', { constructor: 1 }, /Unrecognized request argument/, null, null],
  [
    'temperature as text',
    { temperature: 'hot' },
    /expected a decimal, but got a string/,
    'temperature',
    'invalid_type',
  ],
  ['temperature above 2', { temperature: 2.5 }, /Expected a value <= 2/, 'temperature', 'decimal_above_max_value'],
  ['top_p above 1', { top_p: 1.5 }, /Expected a value <= 1/, 'top_p', 'decimal_above_max_value'],
  ['max_tokens 0', { max_tokens: 0 }, /Expected a value >= 1/, 'max_tokens', 'integer_below_min_value'],
  ['max_tokens 1.5', { max_tokens: 1.5 }, /expected an integer, but got a decimal/, 'max_tokens', 'invalid_type'],
  ['max_tokens above the model', { max_tokens: 20_000 }, /at most 16384/, 'max_tokens', 'invalid_value'],
  [
    'both limits',
    { max_tokens: 1, max_completion_tokens: 1 },
    /at the same time/,
    'max_tokens',
    'invalid_parameter_combination',
  ],
  ['five stop words', { stop: ['a', 'b', 'c', 'd', 'e'] }, /maximum length 4/, 'stop', 'array_above_max_length'],
  ['a stop of numbers', { stop: [1] }, /string or array of strings/, 'stop', 'invalid_type'],
  ['stream options alone', { stream_options: {} }, /only allowed when 'stream' is enabled/, 'stream_options', null],
  ['top_logprobs alone', { top_logprobs: 2 }, /only allowed when 'logprobs'/, 'top_logprobs', null],
  [
    'an unknown role',
    { messages: [{ role: 'boss', content: 'x' }] },
    /Invalid value: 'boss'/,
    'messages[0].role',
    'invalid_value',
  ],
  ['no role', { messages: [{ content: 'x' }] }, /Missing/, 'messages[0].role', 'missing_required_parameter'],
  ['no content', { messages: [{ role: 'user' }] }, /Missing/, 'messages[0].content', 'missing_required_parameter'],
  [
    'null content',
    { messages: [{ role: 'user', content: null }] },
    /expected a string, got null/,
    'messages[0].content',
    null,
  ],
  [
    'content of a number',
    { messages: [{ role: 'user', content: 3 }] },
    /string or array of objects/,
    'messages[0].content',
    'invalid_type',
  ],
  [
    'a foreign part',
    { messages: part({ type: 'image', source: {} }) },
    /Invalid value: 'image'/,
    'messages[0].content[0].type',
    'invalid_value',
  ],
  [
    'an image as bare text',
    { messages: part({ type: 'image_url', image_url: 'https://x/y' }) },
    /expected an object/,
    'messages[0].content[0].image_url',
    'invalid_type',
  ],
  [
    'an image of a file',
    { messages: part({ type: 'image_url', image_url: { url: 'file:///x' } }) },
    /valid URL/,
    'messages[0].content[0].image_url.url',
    'invalid_value',
  ],
  [
    'an image of the assistant',
    { messages: [{ role: 'assistant', content: [{ type: 'image_url', image_url: { url: 'https://x/y' } }] }] },
    /Invalid value/,
    'messages[0].content[0].type',
    'invalid_value',
  ],
  [
    'cache_control on a part',
    { messages: part({ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }) },
    /Unknown parameter/,
    'messages[0].content[0].cache_control',
    'unknown_parameter',
  ],
  [
    'cache_control on a message',
    { messages: [{ ...user, cache_control: {} }] },
    /Unknown parameter/,
    'messages[0].cache_control',
    'unknown_parameter',
  ],
  [
    'cache_control on a tool',
    { tools: [{ ...tool(), cache_control: {} }] },
    /Unknown parameter/,
    'tools[0].cache_control',
    'unknown_parameter',
  ],
  [
    'cache_control at the top',
    { cache_control: {} },
    /Unknown parameter: 'cache_control'/,
    'cache_control',
    'unknown_parameter',
  ],
  [
    'is_error on a tool message',
    { messages: [user, asks('a'), { ...result('a'), is_error: true }] },
    /Unknown parameter/,
    'messages[2].is_error',
    'unknown_parameter',
  ],
  [
    'a result without a call',
    { messages: [user, result('a')] },
    /must be a response to a preceeding message/,
    'messages.[1].role',
    null,
  ],
  [
    'a result of another call',
    { messages: [user, asks('a'), result('b')] },
    /must be a response/,
    'messages.[2].role',
    null,
  ],
  [
    'a call without a result',
    { messages: [user, asks('a', 'b'), result('a')] },
    /did not have response messages: b/,
    'messages.[3].role',
    null,
  ],
  [
    'text between call and result',
    { messages: [user, asks('a'), user, result('a')] },
    /did not have response messages: a/,
    'messages.[2].role',
    null,
  ],
  [
    'a result without id',
    { messages: [user, asks('a'), { role: 'tool', content: 'x' }] },
    /Missing/,
    'messages[2].tool_call_id',
    'missing_required_parameter',
  ],
  [
    'arguments as object',
    {
      messages: [
        user,
        { role: 'assistant', tool_calls: [{ ...call('a'), function: { name: 'wx', arguments: {} } }] },
        result('a'),
      ],
    },
    /expected a string/,
    'messages[1].tool_calls[0].function.arguments',
    'invalid_type',
  ],
  [
    'no tool calls in tool_calls',
    { messages: [user, { role: 'assistant', content: 'x', tool_calls: [] }] },
    /empty array/,
    'messages[1].tool_calls',
    'empty_array',
  ],
  ['no tool in tools', { tools: [] }, /empty array/, 'tools', 'empty_array'],
  [
    'a tool of the other vendor',
    { tools: [{ name: 'wx', input_schema: {} }] },
    /Missing/,
    'tools[0].type',
    'missing_required_parameter',
  ],
  [
    'a bad tool name',
    { tools: [tool({ name: 'w x' })] },
    /does not match pattern/,
    'tools[0].function.name',
    'invalid_value',
  ],
  [
    'a tool schema of another type',
    { tools: [tool({ parameters: { type: 'array' } })] },
    /type: "object"/,
    'tools[0]',
    'invalid_function_parameters',
  ],
  [
    'an open strict tool',
    { tools: [tool({ strict: true, parameters: { type: 'object', properties: {} } })] },
    /additionalProperties/,
    'tools[0].function.parameters',
    'invalid_function_parameters',
  ],
  ['a choice without tools', { tool_choice: 'required' }, /only allowed when 'tools'/, 'tool_choice', null],
  [
    'parallel calls without tools',
    { parallel_tool_calls: false },
    /only allowed when 'tools'/,
    'parallel_tool_calls',
    null,
  ],
  [
    'a choice of the other vendor',
    { tools: [tool()], tool_choice: 'any' },
    /Supported values/,
    'tool_choice',
    'invalid_value',
  ],
  [
    'a chosen tool that is not there',
    { tools: [tool()], tool_choice: { type: 'function', function: { name: 'b' } } },
    /not found/,
    'tool_choice',
    null,
  ],
  [
    'JSON mode without the word',
    { response_format: { type: 'json_object' } },
    /must contain the word 'json'/,
    'messages',
    null,
  ],
  [
    'an unknown format',
    { response_format: { type: 'xml' } },
    /Supported values/,
    'response_format.type',
    'invalid_value',
  ],
  [
    'a format without name',
    { response_format: { type: 'json_schema', json_schema: { schema: {} } } },
    /Missing/,
    'response_format.json_schema.name',
    'missing_required_parameter',
  ],
  [
    'an open strict format',
    { response_format: format({ type: 'object', properties: {} }) },
    /additionalProperties/,
    'response_format',
    null,
  ],
  [
    'an optional property in a strict format',
    { response_format: format({ ...closed, required: [] }) },
    /Missing 'a'/,
    'response_format',
    null,
  ],
  [
    'effort on a model that does not reason',
    { reasoning_effort: 'low' },
    /Unrecognized request argument supplied: reasoning_effort/,
    null,
    null,
  ],
  [
    'max_tokens on gpt-5',
    { model: 'gpt-5', max_tokens: 9 },
    /Use 'max_completion_tokens' instead/,
    'max_tokens',
    'unsupported_parameter',
  ],
  [
    'max_tokens on an unlisted o model',
    { model: 'o9-mini', max_tokens: 9 },
    /max_completion_tokens/,
    'max_tokens',
    'unsupported_parameter',
  ],
  [
    'max_tokens on a dated gpt-6',
    { model: 'gpt-6-sol-2026-09-15', max_tokens: 9 },
    /max_completion_tokens/,
    'max_tokens',
    'unsupported_parameter',
  ],
  [
    'temperature on o3',
    { model: 'o3', temperature: 0.2 },
    /Only the default \(1\)/,
    'temperature',
    'unsupported_value',
  ],
  ['top_p on gpt-5.1', { model: 'gpt-5.1', top_p: 0.5 }, /Only the default/, 'top_p', 'unsupported_value'],
  ['logprobs on gpt-5', { model: 'gpt-5', logprobs: true }, /Only the default/, 'logprobs', 'unsupported_value'],
  ['logit_bias on gpt-5', { model: 'gpt-5', logit_bias: { 5: 1 } }, /logit_bias/, 'logit_bias', 'unsupported_value'],
  [
    'a penalty on gpt-5',
    { model: 'gpt-5', presence_penalty: 1 },
    /Only the default \(0\)/,
    'presence_penalty',
    'unsupported_value',
  ],
  ['stop on o3', { model: 'o3', stop: 'x' }, /'stop' is not supported/, 'stop', 'unsupported_parameter'],
  [
    'effort none on gpt-5',
    { model: 'gpt-5', reasoning_effort: 'none' },
    /Supported values are: 'minimal'/,
    'reasoning_effort',
    'unsupported_value',
  ],
  [
    'effort minimal on gpt-5.4',
    { model: 'gpt-5.4', reasoning_effort: 'minimal' },
    /does not support 'minimal'/,
    'reasoning_effort',
    'unsupported_value',
  ],
  [
    'effort max',
    { model: 'gpt-6-sol', reasoning_effort: 'max' },
    /does not support 'max'/,
    'reasoning_effort',
    'unsupported_value',
  ],
  [
    'tools with effort on gpt-5.5',
    { model: 'gpt-5.5', tools: [tool()], reasoning_effort: 'low' },
    /Function tools with reasoning_effort are not supported/,
    'reasoning_effort',
    null,
  ],
  [
    'tools without effort on gpt-5.6',
    { model: 'gpt-5.6', tools: [tool()] },
    /Function tools with reasoning_effort/,
    'reasoning_effort',
    null,
  ],
  [
    'tools on gpt-6-astra',
    { model: 'gpt-6-astra', tools: [tool()] },
    /Function tools are not supported/,
    'reasoning_effort',
    null,
  ],
  [
    'rules before a scenario',
    { model: 'gpt-5-sim-500', temperature: 0 },
    /Only the default/,
    'temperature',
    'unsupported_value',
  ],
]

describe('400: what the vendor refuses', () => {
  for (const [why, more, message, param, code] of REFUSED)
    test(why, async () => {
      const { status, json } = await client.openai({ model: 'gpt-4o', messages: HELLO, ...more })
      assert.equal(status, 400, JSON.stringify(json))
      assert.match(String(json.error['message']), message)
      assert.deepEqual([json.error['param'], json.error['code']], [param, code])
      assert.equal(json.error['type'], 'invalid_request_error')
    })

  test('a prompt above the window', async () => {
    const messages = [{ role: 'user', content: 'x'.repeat(520_000) }]
    const { status, json } = await client.openai({ model: 'gpt-4o', messages })
    assert.deepEqual([status, json.error['code']], [400, 'context_length_exceeded'])
  })

  test('JSON that is none, deep JSON and a foreign content type', async () => {
    assert.match(String((await client.openai('{"model":')).json.error['message']), /could not parse the JSON body/)
    assert.equal((await client.openai('[1]')).status, 400)
    const deep = `{"model":"gpt-4o","messages":${'['.repeat(50_000)}${']'.repeat(50_000)}}`
    assert.equal((await client.openai(deep)).status, 400)
    assert.equal((await client.openai('{}', { headers: { 'content-type': 'text/plain' } })).status, 415)
  })
})

describe('200: what the vendor takes', () => {
  const taken: [why: string, body: object][] = [
    [
      'nulls for optional fields',
      { temperature: null, stop: null, tools: null, max_tokens: null, response_format: null },
    ],
    ['stream false', { stream: false }],
    ['stream options', { stream: true, stream_options: { include_usage: true } }],
    ['a whole tool round', { messages: [user, asks('a', 'b'), result('b'), result('a'), user], tools: [tool()] }],
    [
      'the JSON mode with the word',
      { messages: [{ role: 'user', content: 'in JSON' }], response_format: { type: 'json_object' } },
    ],
    ['a closed strict format', { response_format: format(closed) }],
    ['an open lax format', { response_format: format({ type: 'object' }, false) }],
    [
      'a caller property named cache_control',
      { tools: [tool({ parameters: { type: 'object', properties: { cache_control: {} } } })] },
    ],
    ['unknown fields on a scenario', { model: 'gpt-sim-echo', top_kk: 1 }],
    ['temperature 1 on gpt-5', { model: 'gpt-5', temperature: 1, max_completion_tokens: 500 }],
    ['sampling at effort none', { model: 'gpt-5.2', temperature: 0.2, reasoning_effort: 'none' }],
    ['tools without effort on gpt-5.4', { model: 'gpt-5.4', tools: [tool()] }],
    ['tools at effort none on gpt-6-sol', { model: 'gpt-6-sol', tools: [tool()], reasoning_effort: 'none' }],
    ['a file part', { messages: part({ type: 'file', file: { file_data: 'data:application/pdf;base64,AA==' } }) }],
  ]
  for (const [why, more] of taken)
    test(why, async () => {
      const { status, json } = await client.openai({ model: 'gpt-4o', messages: HELLO, ...more })
      assert.equal(status, 200, JSON.stringify(json))
    })
})

test('models of other endpoints are 404', async () => {
  for (const model of ['gpt-5.2-pro', 'gpt-5.3-codex', 'o3-deep-research', 'text-embedding-3-small']) {
    assert.equal((await client.openai({ model, messages: HELLO })).status, 404, model)
  }
})
