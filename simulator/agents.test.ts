import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { type JsonObject, objectOrEmpty, objectsIn } from './json.ts'
import { type Simulator, startSimulator } from './simulator.ts'
import { type Client, connect } from './test-client.ts'

let simulator: Simulator
let client: Client

before(async () => {
  simulator = await startSimulator()
  client = connect(simulator)
})
beforeEach(() => simulator.reset())
after(() => simulator.close())

const HELLO = [{ role: 'user', content: 'hello' }]
const BETA = { 'anthropic-beta': 'context-management-2025-06-27' }
const message = (more: JsonObject) => ({ model: 'claude-sim-echo', max_tokens: 100, messages: HELLO, ...more })

test('betas bring fields, blocks and roles that are unknown without them', async () => {
  const unknown = message({ context_management: { edits: [] }, tools: [{ name: 'later', defer_loading: true }] })
  assert.equal((await client.anthropic(unknown)).status, 400)
  assert.equal((await client.anthropic(unknown, { headers: BETA })).status, 200)
  const system = message({ messages: [...HELLO, { role: 'system', content: 'The sun is up.' }] })
  assert.equal((await client.anthropic(system)).status, 400)
  assert.equal((await client.anthropic(system, { headers: BETA })).status, 200)
  assert.equal(simulator.calls[1]?.headers['anthropic-beta'], BETA['anthropic-beta'])
})

test('what holds for every beta is still checked', async () => {
  const stray = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'x' }
  const bad: [JsonObject, RegExp][] = [
    [{ max_tokens: 'many' }, /^max_tokens: Input should be a valid integer/],
    [{ messages: [{ role: 'tool', content: 'x' }] }, /^messages\.0\.role: Input should be/],
    [{ messages: [{ role: 'user', content: [stray] }] }, /unexpected `tool_use_id`/],
  ]
  for (const [more, words] of bad) {
    const { status, json } = await client.anthropic(message(more), { headers: BETA })
    assert.equal(status, 400)
    assert.match(String(json.error['message']), words)
  }
})

test('tokens are counted as the prompt of a message is', async () => {
  const { max_tokens, ...body } = message({ system: 'Be brief.' })
  const counted = await client.countTokens(body)
  const answered = await client.anthropic({ ...body, max_tokens })
  assert.equal(counted.status, 200)
  assert.deepEqual(counted.json, { input_tokens: answered.json.usage['input_tokens'] })
  const limited = await client.countTokens({ ...body, max_tokens })
  assert.equal(limited.json.error['message'], 'max_tokens: Extra inputs are not permitted')
  assert.equal((await client.countTokens({ ...body, max_tokens }, { headers: BETA })).status, 200)
})

const TURNS = [
  { text: 'I write.', calls: [{ name: 'write', input: { path: 'note.txt' } }] },
  { calls: [{ name: 'read', input: { path: 'note.txt' } }] },
  { text: 'Done.' },
]
const NAMES = ['read', 'write']

test('a task is played turn by turn on chat completions, however often a turn is asked for', async () => {
  simulator.agent('gpt-4o', TURNS)
  const tools = NAMES.map((name) => ({ type: 'function', function: { name } }))
  const messages: JsonObject[] = [...HELLO]
  for (const name of ['write', 'read']) {
    await client.openai({ model: 'gpt-4o', messages, tools })
    const { json } = await client.openai({ model: 'gpt-4o', messages, tools })
    const [call] = json.choices[0]?.message.tool_calls ?? []
    assert.deepEqual(call?.['function'], { name, arguments: '{"path":"note.txt"}' })
    messages.push(json.choices[0]?.message ?? {}, { role: 'tool', tool_call_id: call?.['id'], content: 'ok' })
  }
  const { json } = await client.openai({ model: 'gpt-4o', messages, tools })
  assert.equal(json.choices[0]?.message['content'], 'Done.')
})

test('the same on messages', async () => {
  simulator.agent('claude-agent', TURNS)
  const tools = NAMES.map((name) => ({ name, input_schema: { type: 'object' } }))
  const messages: JsonObject[] = [...HELLO]
  for (const name of ['write', 'read']) {
    const { json } = await client.anthropic(message({ model: 'claude-agent', messages, tools }))
    const call = json.content.at(-1)
    assert.equal(call?.['name'], name)
    const result = { type: 'tool_result', tool_use_id: call?.['id'], content: 'ok' }
    messages.push({ role: 'assistant', content: json.content }, { role: 'user', content: [result] })
  }
  const { json } = await client.anthropic(message({ model: 'claude-agent', messages, tools }))
  assert.equal(json.content[0]?.['text'], 'Done.')
})

test('the same on responses, with a custom tool in a namespace', async () => {
  simulator.agent('gpt-4o', [{ calls: [{ name: 'write', input: 'note.txt' }] }, ...TURNS.slice(1)])
  const write = { type: 'custom', name: 'write' }
  const read = { type: 'function', name: 'read', parameters: { type: 'object' } }
  const input: JsonObject[] = [
    {
      type: 'additional_tools',
      role: 'developer',
      tools: [{ type: 'namespace', name: 'files', tools: [write, read] }],
    },
    ...HELLO,
  ]
  for (const [name, type] of [
    ['write', 'custom_tool_call'],
    ['read', 'function_call'],
  ]) {
    const { json } = await client.responses({ model: 'gpt-4o', input })
    const [call] = json.output
    assert.equal(call?.['type'], type)
    assert.equal(call?.['name'], name)
    assert.equal(call?.['namespace'], 'files')
    input.push(call ?? {}, { type: `${type}_output`, call_id: call?.['call_id'], output: 'ok' })
  }
  const { json } = await client.responses({ model: 'gpt-4o', input })
  assert.equal(objectOrEmpty(objectsIn(json.output[0]?.['content'])[0])['text'], 'Done.')
})

test('a request without the tools of the task is no part of it, and a wrong one is refused', async () => {
  simulator.agent('gpt-4o', TURNS)
  const title = await client.openai({ model: 'gpt-4o', messages: HELLO })
  assert.equal(title.json.choices[0]?.message.tool_calls, undefined)
  const wrong = await client.openai({ model: 'gpt-4o', messages: [{ role: 'cook', content: 'x' }] })
  assert.equal(wrong.status, 400)
})
