import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { type JsonObject, objectOrEmpty, objectsIn } from './json.ts'
import { type Simulator, startSimulator } from './simulator.ts'
import { type ReadStream, readStream } from './stream/test-reader.ts'
import { type Client, connect } from './test-client.ts'

let simulator: Simulator
let client: Client

before(async () => {
  simulator = await startSimulator()
  client = connect(simulator)
})
beforeEach(() => simulator.reset())
after(() => simulator.close())

const FUNCTION = {
  type: 'function',
  name: 'look',
  parameters: { type: 'object', properties: { at: { type: 'string' } } },
}
const CUSTOM = { type: 'custom', name: 'patch', format: { type: 'grammar', syntax: 'lark', definition: 'start: /.+/' } }

async function streamed(body: JsonObject): Promise<ReadStream> {
  return readStream(await client.open('responses', { model: 'gpt-sim-echo', stream: true, ...body }))
}

test('a text comes as a message item, with usage and what was asked for', async () => {
  const { status, json } = await client.responses({
    model: 'gpt-sim-echo',
    instructions: 'Be brief.',
    input: [{ role: 'user', content: [{ type: 'input_text', text: 'hello #marker1' }] }],
    store: false,
    metadata: { team: 'yard' },
  })
  assert.equal(status, 200)
  assert.equal(json['object'], 'response')
  assert.equal(json['status'], 'completed')
  assert.equal(json['store'], false)
  assert.deepEqual(json['metadata'], { team: 'yard' })
  assert.deepEqual(json.output[0]?.['content'], [
    { type: 'output_text', annotations: [], logprobs: [], text: 'hello #marker1' },
  ])
  assert.deepEqual(json.usage, {
    input_tokens: 22,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: 4,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 26,
  })
  assert.equal(simulator.calls[0]?.marker, 'marker1')
})

test('a string is one user message', async () => {
  const { json } = await client.responses({ model: 'gpt-sim-echo', input: 'hello #marker2' })
  assert.equal(objectsIn(json.output[0]?.['content'])[0]?.['text'], 'hello #marker2')
  assert.equal(simulator.calls[0]?.marker, 'marker2')
})

test('functions are called with JSON and custom tools with a text', async () => {
  const { json } = await client.responses({ model: 'gpt-sim-tools-2', input: 'look', tools: [FUNCTION, CUSTOM] })
  const [call, custom] = json.output
  assert.equal(call?.['type'], 'function_call')
  assert.deepEqual(Object.keys(JSON.parse(String(call?.['arguments']))), ['at'])
  assert.match(String(call?.['id']), /^fc_/)
  assert.equal(custom?.['type'], 'custom_tool_call')
  assert.match(String(custom?.['input']), /\.$/)
})

test('reasoning is sealed for a caller who asks for it, and taken back', async () => {
  const include = ['reasoning.encrypted_content']
  const { json } = await client.responses({ model: 'gpt-sim-thoughts', input: 'think', include })
  const [reasoning] = json.output
  assert.equal(reasoning?.['type'], 'reasoning')
  assert.deepEqual(reasoning?.['summary'], [{ type: 'summary_text', text: 'The points are set for track seven.' }])
  const next = [{ role: 'user', content: 'go on' }]
  const back = await client.responses({ model: 'gpt-sim-echo', input: [reasoning, ...next] })
  assert.equal(back.status, 200)
  const foreign = await client.responses({
    model: 'gpt-sim-echo',
    input: [{ ...reasoning, encrypted_content: 'foreign' }, ...next],
  })
  assert.equal(foreign.status, 400)
  assert.equal(foreign.json.error['code'], 'invalid_encrypted_content')
  const plain = await client.responses({ model: 'gpt-sim-thoughts', input: 'think' })
  assert.equal('encrypted_content' in (plain.json.output[0] ?? {}), false)
})

test('an answer that is cut short is incomplete', async () => {
  const { json } = await client.responses({ model: 'gpt-4o', input: 'tell me all', max_output_tokens: 16 })
  const long = await client.responses({ model: 'gpt-sim-length', input: 'tell me all' })
  assert.equal(long.json['status'], 'incomplete')
  assert.deepEqual(long.json['incomplete_details'], { reason: 'max_output_tokens' })
  assert.ok(Number(json.usage['output_tokens']) <= 16)
})

test('a stream has gapless numbers, every item is done, and the end equals the whole', async () => {
  simulator.script('gpt-4o', [{ tweak: { thinking: 'First look, then patch.', text: 'I look.', toolCalls: 2 } }])
  const { events, chunks } = await streamed({ model: 'gpt-4o', input: 'look', tools: [FUNCTION, CUSTOM] })
  assert.deepEqual(
    chunks.map((chunk) => chunk['sequence_number']),
    chunks.map((_, index) => index),
  )
  assert.ok(events.every(({ event, data }) => JSON.parse(data).type === event))
  const names = events.map(({ event }) => event).filter((name, index, all) => name !== all[index - 1])
  assert.deepEqual(names, [
    ...['response.created', 'response.in_progress', 'response.output_item.added'],
    ...['response.reasoning_summary_part.added', 'response.reasoning_summary_text.delta'],
    ...['response.reasoning_summary_text.done', 'response.reasoning_summary_part.done', 'response.output_item.done'],
    ...['response.output_item.added', 'response.content_part.added', 'response.output_text.delta'],
    ...['response.output_text.done', 'response.content_part.done', 'response.output_item.done'],
    ...['response.output_item.added', 'response.function_call_arguments.delta'],
    ...['response.function_call_arguments.done', 'response.output_item.done'],
    ...['response.output_item.added', 'response.custom_tool_call_input.delta'],
    ...['response.custom_tool_call_input.done', 'response.output_item.done', 'response.completed'],
  ])
  const done = chunks.filter((chunk) => chunk['type'] === 'response.output_item.done')
  const completed = objectOrEmpty(chunks.at(-1)?.['response'])
  assert.deepEqual(
    done.map((chunk) => chunk['item']),
    completed['output'],
  )
  assert.equal(deltas(chunks, 'response.output_text.delta'), 'I look.')
  assert.equal(
    deltas(chunks, 'response.function_call_arguments.delta'),
    objectsIn(completed['output'])[2]?.['arguments'],
  )
})

function deltas(chunks: JsonObject[], type: string): string {
  return chunks
    .filter((chunk) => chunk['type'] === type)
    .map((chunk) => chunk['delta'])
    .join('')
}

test('a stream can fail, break and come in odd pieces', async () => {
  simulator.script('gpt-4o', [
    { stream: { steps: [{ play: 'first' }, { error: 429 }] } },
    { stream: { steps: [{ play: 'start' }, 'cut'] } },
    { stream: { odd: ['done-marker'], pieces: 7, newline: '\r\n' } },
  ])
  const failed = await streamed({ model: 'gpt-4o', input: 'hello' })
  const last = failed.chunks.at(-1) ?? {}
  assert.equal(last['type'], 'response.failed')
  assert.equal(last['sequence_number'], failed.chunks.length - 1)
  assert.equal(objectOrEmpty(objectOrEmpty(last['response'])['error'])['code'], 'rate_limit_exceeded')
  assert.equal(failed.chunks.at(-2)?.['type'], 'response.output_text.delta')
  const cut = await streamed({ model: 'gpt-4o', input: 'hello' })
  assert.equal(cut.isWhole, false)
  assert.equal(cut.chunks.at(-1)?.['type'], 'response.content_part.added')
  const odd = await streamed({ model: 'gpt-4o', input: 'hello' })
  assert.equal(odd.events.at(-1)?.data, '[DONE]')
  assert.equal(odd.chunks.at(-1)?.['type'], 'response.completed')
})

const CALL = { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{}' }
const OUTPUT = { type: 'function_call_output', call_id: 'call_1', output: 'a signal' }
const USER = { role: 'user', content: 'hello' }

const GOOD: [string, JsonObject][] = [
  ['a call with its output', { input: [USER, CALL, OUTPUT] }],
  ['an output in parts', { input: [USER, CALL, { ...OUTPUT, output: [{ type: 'input_text', text: 'a signal' }] }] }],
  ['an output to a call that the vendor keeps', { input: [OUTPUT], previous_response_id: 'resp_abc' }],
  ['an assistant message', { input: [{ role: 'assistant', content: [{ type: 'output_text', text: 'hi' }] }, USER] }],
  ['hosted tools', { tools: [{ type: 'web_search' }, FUNCTION] }],
  ['nested tools', { tools: [{ type: 'namespace', name: 'yard', tools: [FUNCTION] }] }],
  ['metadata of a client', { client_metadata: { 'x-codex-installation-id': 'abc' } }],
]

for (const [what, body] of GOOD) {
  test(`takes ${what}`, async () => {
    const { status, text } = await client.responses({ model: 'gpt-5.5', input: [USER], ...body })
    assert.equal(status, 200, text)
  })
}

const BAD: [string, JsonObject, RegExp, string | null][] = [
  ['no input', { input: undefined }, /^Missing required parameter: 'input'\.$/, 'missing_required_parameter'],
  ['an unknown field', { colour: 'red' }, /^Unknown parameter: 'colour'\.$/, 'unknown_parameter'],
  ['messages', { messages: [USER] }, /moved to 'input'/, 'unsupported_parameter'],
  ['an unknown item', { input: [{ type: 'surprise' }] }, /^Invalid value: 'surprise'/, 'invalid_value'],
  ['an item of no type', { input: [{ content: 'x' }] }, /'input\[0\]\.type'/, 'missing_required_parameter'],
  ['an unknown role', { input: [{ role: 'tool', content: 'x' }] }, /^Invalid value: 'tool'/, 'invalid_value'],
  ['a part of chat', { input: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }] }, /'text'/, 'invalid_value'],
  [
    'an input part of the assistant',
    { input: [{ role: 'assistant', content: [{ type: 'input_text', text: 'x' }] }] },
    /Supported values are: 'output_text', and 'refusal'\.$/,
    'invalid_value',
  ],
  ['an output without its call', { input: [USER, OUTPUT] }, /^No tool call found for function call output/, null],
  ['a call without its output', { input: [USER, CALL] }, /^No tool output found for function call call_1\.$/, null],
  [
    'a call without arguments',
    { input: [{ ...CALL, arguments: undefined }] },
    /arguments'\.$/,
    'missing_required_parameter',
  ],
  ['a call with an id of chat', { input: [{ ...CALL, id: 'call_1' }, OUTPUT] }, /begins with 'fc'/, 'invalid_value'],
  [
    'reasoning without a summary',
    { input: [{ type: 'reasoning', id: 'rs_1' }, USER] },
    /summary'/,
    'missing_required_parameter',
  ],
  [
    'a tool of chat',
    { tools: [{ type: 'function', function: FUNCTION }] },
    /'tools\[0\]\.name'/,
    'missing_required_parameter',
  ],
  ['an unknown tool', { tools: [{ type: 'spade' }] }, /^Invalid value: 'spade'/, 'invalid_value'],
  [
    'a loose schema called strict',
    { tools: [{ ...FUNCTION, strict: true }] },
    /additionalProperties/,
    'invalid_function_parameters',
  ],
  ['a choice of no tool', { tool_choice: { type: 'function', name: 'look' } }, /not found in 'tools'/, null],
  ['an unknown include', { include: ['everything'] }, /^Invalid value: 'everything'/, 'invalid_value'],
  ['too small a limit', { max_output_tokens: 1 }, /Expected a value >= 16/, 'integer_below_min_value'],
  ['a foreign state', { previous_response_id: 'mine' }, /not found\.$/, 'previous_response_not_found'],
  ['an unknown format', { text: { format: { type: 'xml' } } }, /^Invalid value: 'xml'/, 'invalid_value'],
  ['JSON that nobody mentions', { text: { format: { type: 'json_object' } } }, /word 'json'/, null],
  ['an effort of another model', { reasoning: { effort: 'minimal' } }, /'minimal'/, 'unsupported_value'],
  ['a temperature for a model that reasons', { temperature: 0.2 }, /'temperature'/, 'unsupported_parameter'],
]

for (const [what, body, message, code] of BAD) {
  test(`refuses ${what}`, async () => {
    const { status, json } = await client.responses({ model: 'gpt-5.5', input: [USER], ...body })
    assert.equal(status, 400)
    assert.match(String(json.error['message']), message)
    assert.equal(json.error['code'], code)
  })
}

test('models that only live here are asked here', async () => {
  const { status } = await client.responses({ model: 'gpt-5.5-codex', input: 'hello' })
  assert.equal(status, 200)
  const scenario = await client.responses({ model: 'gpt-sim-503', input: 'hello' })
  assert.equal(scenario.status, 503)
})

test('custom tools are called on chat completions too', async () => {
  const body = { messages: [USER], tools: [{ type: 'custom', custom: { name: 'patch' } }] }
  const { json } = await client.openai({ model: 'gpt-sim-tools', ...body })
  const [call] = json.choices[0]?.message.tool_calls ?? []
  assert.equal(call?.['type'], 'custom')
  const { chunks } = await readStream(await client.open('openai', { model: 'gpt-sim-tools', stream: true, ...body }))
  const input = chunks
    .flatMap((chunk) => objectsIn(chunk['choices']))
    .flatMap((choice) => objectsIn(objectOrEmpty(choice['delta'])['tool_calls']))
    .map((part) => objectOrEmpty(part['custom'])['input'])
    .join('')
  assert.equal(input, objectOrEmpty(call?.['custom'])['input'])
})
