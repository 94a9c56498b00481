import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { VendorName } from '../../../simulator/vendors/personalities.ts'
import { startVendors, type Vendors } from '../../../simulator/vendors/vendors.ts'
import { type Answered, type Harness, type Json, startHarness } from '../../harness.ts'

/** Everything the newest clients send; every vendor refuses some of it. */
const HABITS = {
  store: false,
  user: 'ada',
  metadata: { team: 'blue' },
  safety_identifier: 'ada',
  prompt_cache_key: 'k',
  seed: 7,
  n: 1,
  temperature: 0,
  presence_penalty: 0,
  parallel_tool_calls: true,
  max_completion_tokens: 64,
}

const history = [
  { role: 'developer', content: 'be brief' },
  { role: 'user', content: 'what time is it?', name: 'ada' },
  {
    role: 'assistant',
    content: null,
    refusal: null,
    annotations: [],
    reasoning_content: 'I must look.',
    tool_calls: [{ id: 'call_abcdefghijklmnop', type: 'function', function: { name: 'clock', arguments: '{}' } }],
  },
  { role: 'tool', tool_call_id: 'call_abcdefghijklmnop', content: 'noon' },
]

let vendors: Vendors
let harness: Harness

before(async () => {
  vendors = await startVendors()
  const rows = Object.entries(vendors.urls).flatMap(([name, url]) => [
    `  ${name}: { preset: ${name}, base_url: "${url}", api_key: sk-of-${name}-0000 }`,
    `  plain-${name}: { family: openai, base_url: "${url}", api_key: sk-of-${name}-0000 }`,
  ])
  harness = await startHarness({
    config: `providers:\n${rows.join('\n')}\nworkspaces:\n  default:\n    streaming: true\n    routes:\n      either:\n        chain:\n          - { provider: mistral, model: mistral-sim-echo }\n          - { provider: groq, model: groq-sim-echo }\n`,
  })
})
after(async () => {
  await harness?.stop()
  await vendors?.close()
})

const NAMES: VendorName[] = [
  'cerebras',
  'cohere',
  'deepseek',
  'fireworks',
  'groq',
  'lmstudio',
  'mistral',
  'ollama',
  'openrouter',
  'together',
  'vllm',
  'xai',
]

function lastCall(model: string): Json {
  return vendors.calls.filter((call) => call.model === model).at(-1)
}

const ask = (model: string, more: object = {}) => harness.chat({ model, messages: history, ...HABITS, ...more })

function chunksOf(answer: Answered): Json[] {
  return answer.text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)))
}

for (const name of NAMES) {
  describe(name, () => {
    const model = name === 'xai' ? 'grok-4' : `${name}-model`

    test('takes what is sent to it, and answers as this family does', async () => {
      const answer = await ask(`${name}/${model}`)
      assert.equal(answer.status, 200, answer.text)
      assert.equal(answer.json.model, `${name}/${model}`)
      const [choice] = answer.json.choices
      assert.equal(choice.finish_reason, 'stop')
      assert.equal(typeof choice.message.content, 'string')
      const row = await harness.rowOf(answer)
      assert.deepEqual([row['provider'], row['model']], [name, model])
      assert.equal(Number(row['completion_tokens']) > 0, true)
      // Omitted fields are reported, and none of them was sent.
      const ignored = answer.headers.get('x-gateway-ignored-params')?.split(', ') ?? []
      const sent = lastCall(model).body
      for (const field of ignored.filter((each) => !each.includes('.'))) assert.equal(field in sent, false, field)
    })

    test('streams the same', async () => {
      const answer = await ask(`${name}/${model}`, { stream: true, stream_options: { include_usage: true } })
      assert.equal(answer.status, 200, answer.text)
      const chunks = chunksOf(answer)
      const text = chunks.map((chunk) => chunk.choices[0]?.delta?.content ?? '').join('')
      assert.notEqual(text, '')
      assert.equal(
        chunks.some((chunk) => chunk.choices[0]?.finish_reason === 'stop'),
        true,
      )
      const { usage } = chunks.at(-1)
      assert.equal(usage.prompt_tokens + usage.completion_tokens, usage.total_tokens)
      const row = await harness.rowOf(answer)
      assert.equal(row['usage_source'], 'provider')
      assert.equal(Number(row['completion_tokens']), usage.completion_tokens)
    })

    test('fails in our words', async () => {
      const answer = await ask(`${name}/${model}-sim-401`)
      assert.equal(answer.json.error.code, 'provider_auth_error')
      const limited = await ask(`${name}/${model}-sim-400`)
      assert.deepEqual([limited.status, Object.keys(limited.json)], [400, ['error']])
      assert.equal(limited.json.error.code, 'invalid_request')
    })
  })
}

test('what one vendor refuses, the next entry of the chain may serve', async () => {
  const answer = await ask('either', { logprobs: undefined, top_p: 0.5 })
  assert.equal(answer.status, 200)
  assert.equal((await harness.rowOf(answer))['provider'], 'mistral')
  const unable = await ask('either', { logit_bias: { 1: 1 } })
  assert.equal(unable.json.error.code, 'unsupported_parameter')
  const other = await ask('either', { functions: [{ name: 'f', parameters: {} }], web_search_options: null })
  assert.equal(other.status, 200, other.text)
  assert.equal((await harness.rowOf(other))['provider'], 'groq')
})

test('an error inside a good answer goes on to the next attempt', async () => {
  const body = { error: { code: 502, message: 'Provider returned error', metadata: { provider_name: 'x' } } }
  vendors.script('openrouter-once', [{ status: 200, body }])
  const answer = await ask('openrouter/openrouter-once')
  assert.equal(answer.status, 200, answer.text)
  assert.equal(vendors.calls.filter(({ model }) => model === 'openrouter-once').length, 2)
})

test('reasoning beside the completion is counted in full', async () => {
  const answer = await ask('xai/grok-4')
  const sent = answer.json.usage
  assert.equal(sent.total_tokens, sent.prompt_tokens + sent.completion_tokens)
  assert.equal(sent.completion_tokens > 100, true)
  assert.equal(Number((await harness.rowOf(answer))['completion_tokens']), sent.completion_tokens)
})

test('without the preset the same request is refused', async () => {
  for (const name of ['mistral', 'groq', 'together', 'fireworks', 'deepseek', 'xai', 'cohere', 'cerebras']) {
    const { status, text } = await ask(`plain-${name}/${name === 'xai' ? 'grok-4' : name}`)
    assert.equal(status, 400, `${name}: ${text}`)
  }
})
