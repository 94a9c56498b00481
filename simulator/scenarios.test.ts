import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, beforeEach, describe, test } from 'node:test'
import { FAILING_STATUSES, SCENARIOS, scenarioOf } from './scenarios.ts'
import { type Simulator, startSimulator } from './simulator.ts'
import { type Client, connect, HELLO, settled } from './test-client.ts'

let simulator: Simulator
let client: Client
before(async () => {
  simulator = await startSimulator()
  client = connect(simulator)
})
beforeEach(() => simulator.reset())
after(() => simulator.close())

const openai = (model: string, more: object = {}) => client.openai({ model, messages: HELLO, ...more })
const anthropic = (model: string, more: object = {}) =>
  client.anthropic({ model, max_tokens: 1000, messages: HELLO, ...more })

const OPENAI_TOOL = {
  type: 'function',
  function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
}
const ANTHROPIC_TOOL = { name: 'weather', input_schema: OPENAI_TOOL.function.parameters }

describe('errors in the shape of the family', () => {
  for (const status of FAILING_STATUSES) {
    test(`sim-${status} at OpenAI`, async () => {
      const answer = await openai(`gpt-sim-${status}`)
      assert.equal(answer.status, status)
      assert.match(answer.headers.get('x-request-id') ?? '', /^req_/)
      assert.equal(answer.headers.get('retry-after'), null)
      if (status === 502 || status === 504) assert.match(answer.headers.get('content-type') ?? '', /html/)
      else assert.deepEqual(Object.keys(answer.json.error), ['message', 'type', 'param', 'code'])
    })
    test(`sim-${status} at Anthropic`, async () => {
      const answer = await anthropic(`claude-sim-${status}`)
      assert.equal(answer.status, status)
      assert.equal(answer.headers.get('retry-after'), null)
      if (status === 502) return assert.match(answer.headers.get('content-type') ?? '', /html/)
      assert.equal(answer.json['type'], 'error')
      assert.equal(answer.json['request_id'], answer.headers.get('request-id'))
      assert.equal(answer.headers.get('x-should-retry'), status === 400 ? 'false' : null)
    })
  }

  for (const [model, status, type, code] of [
    ['gpt-sim-401', 401, 'invalid_request_error', 'invalid_api_key'],
    ['gpt-sim-404', 404, 'invalid_request_error', 'model_not_found'],
    ['gpt-sim-429', 429, 'requests', 'rate_limit_exceeded'],
    ['gpt-sim-429-quota', 429, 'insufficient_quota', 'insufficient_quota'],
    ['gpt-sim-503', 503, 'server_error', 'server_is_overloaded'],
    ['gpt-sim-context', 400, 'invalid_request_error', 'context_length_exceeded'],
    ['gpt-sim-filtered', 400, 'invalid_request_error', 'invalid_prompt'],
    ['o-sim-nonsense', 404, 'invalid_request_error', 'model_not_found'],
    ['gpt-sim-599', 404, 'invalid_request_error', 'model_not_found'],
  ] as const)
    test(`${model} is ${status} ${type} ${code}`, async () => {
      const { status: answered, json } = await openai(model)
      assert.deepEqual([answered, json.error['type'], json.error['code']], [status, type, code])
    })

  for (const [model, status, type, message] of [
    ['claude-sim-401', 401, 'authentication_error', /x-api-key/],
    ['claude-sim-404', 404, 'not_found_error', /^model: claude-sim-404$/],
    ['claude-sim-413', 413, 'request_too_large', /maximum size/],
    ['claude-sim-429', 429, 'rate_limit_error', /rate limit/],
    ['claude-sim-429-quota', 400, 'invalid_request_error', /credit balance is too low/],
    ['claude-sim-503', 503, 'overloaded_error', /Overloaded/],
    ['claude-sim-504', 504, 'timeout_error', /timed out/],
    ['claude-sim-529', 529, 'overloaded_error', /Overloaded/],
    ['claude-sim-context', 400, 'invalid_request_error', /prompt is too long/],
    ['claude-sim-filtered', 400, 'invalid_request_error', /content filtering/],
    ['claude-sim-nonsense', 404, 'not_found_error', /Known: sim-echo, /],
  ] as const)
    test(`${model} is ${status} ${type}`, async () => {
      const { status: answered, json } = await anthropic(model)
      assert.deepEqual([answered, json.error['type']], [status, type])
      assert.match(String(json.error['message']), message)
    })

  test('waits are told in the headers asked for', async () => {
    assert.equal((await openai('gpt-sim-429-after-7')).headers.get('retry-after'), '7')
    const short = await anthropic('claude-sim-429-after-ms-120')
    assert.deepEqual([short.headers.get('retry-after-ms'), short.headers.get('retry-after')], ['120', '1'])
    assert.equal((await openai('gpt-sim-500-noretry')).headers.get('x-should-retry'), 'false')
  })

  test('sim-once fails once for each model id', async () => {
    const statuses = []
    for (const model of ['gpt-a-sim-once-503', 'gpt-a-sim-once-503', 'gpt-b-sim-once-503']) {
      statuses.push((await openai(model)).status)
    }
    assert.deepEqual(statuses, [503, 200, 503])
  })

  test('sim-flaky is seeded: the same calls fail after a reset', async () => {
    const round = async () => {
      const statuses: number[] = []
      for (let call = 0; call < 20; call += 1) statuses.push((await openai('gpt-sim-flaky-50')).status)
      return statuses
    }
    const first = await round()
    simulator.reset()
    assert.deepEqual(await round(), first)
    assert.deepEqual(new Set(first), new Set([200, 500]))
    assert.equal((await openai('gpt-sim-flaky-0')).status, 200)
    assert.equal((await openai('gpt-sim-flaky-100')).status, 500)
  })
})

describe('answers broken on the wire', () => {
  const failing = async (call: Promise<unknown>): Promise<string> =>
    call.then(
      () => 'answered',
      (error: Error) => `${error.message} ${(error.cause as Error | undefined)?.message ?? ''}`,
    )

  for (const prefix of ['gpt', 'claude'] as const) {
    const ask = (scenario: string, signal?: AbortSignal) => {
      const body = { model: `${prefix}-sim-${scenario}`, max_tokens: 100, messages: HELLO }
      return client[prefix === 'gpt' ? 'openai' : 'anthropic'](body, signal ? { signal } : {})
    }

    test(`${prefix}: reset and reset-early destroy the socket`, async () => {
      assert.match(await failing(ask('reset')), /ECONNRESET/)
      assert.match(await failing(ask('reset-early')), /ECONNRESET/)
      await settled(simulator)
      assert.deepEqual(
        simulator.calls.map(({ outcome, status }) => [outcome, status]),
        [
          ['answered', null],
          ['answered', null],
        ],
      )
    })

    test(`${prefix}: hang and stall end only when the client leaves`, async () => {
      for (const scenario of ['hang', 'stall']) {
        assert.match(await failing(ask(scenario, AbortSignal.timeout(1_000))), /timeout/)
      }
      await settled(simulator)
      assert.deepEqual(
        simulator.calls.map(({ outcome, status }) => [outcome, status]),
        [
          ['aborted', null],
          ['aborted', 200],
        ],
      )
    })

    test(`${prefix}: cut is whole HTTP with half a JSON, cut-socket is half an HTTP answer`, async () => {
      const cut = await ask('cut')
      assert.equal(cut.status, 200)
      assert.equal(cut.headers.get('content-length'), String(Buffer.byteLength(cut.text)))
      assert.throws(() => JSON.parse(cut.text))
      assert.match(await failing(ask('cut-socket')), /terminated|closed/)
    })

    test(`${prefix}: html, empty, error-200 and redirect`, async () => {
      const html = await ask('html')
      assert.deepEqual([html.status, html.text.startsWith('<!DOCTYPE')], [200, true])
      assert.match(html.headers.get('content-type') ?? '', /^text\/html/)
      const empty = await ask('empty')
      assert.deepEqual([empty.status, empty.text], [200, ''])
      const error = await ask('error-200')
      assert.deepEqual([error.status, typeof error.json.error['message']], [200, 'string'])
      const redirect = await ask('redirect')
      assert.deepEqual([redirect.status, redirect.headers.get('location')], [307, '/redirected'])
    })
  }

  test('reset-early does not wait for the rest of the body', async () => {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"model":"gpt-sim-reset-early","messages":['))
      },
    })
    const call = fetch(`${simulator.openaiUrl}/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer any', 'content-type': 'application/json' },
      body,
      duplex: 'half',
    })
    assert.match(await failing(call), /fetch failed/)
    assert.equal(simulator.calls[0]?.model, 'gpt-sim-reset-early')
  })
})

describe('answers with special content', () => {
  test('sim-echo answers the last user text', async () => {
    assert.equal((await openai('gpt-sim-echo')).json.choices[0]?.message['content'], 'hello there')
    assert.equal((await anthropic('claude-sim-echo')).json.content[0]?.['text'], 'hello there')
  })

  test('sim-slow waits', async () => {
    const start = performance.now()
    await openai('gpt-sim-slow-80')
    assert.ok(performance.now() - start >= 78)
  })

  test('sim-refusal', async () => {
    const [choice] = (await openai('gpt-sim-refusal')).json.choices
    assert.equal(choice?.['finish_reason'], 'stop')
    assert.equal(choice?.message['content'], null)
    assert.equal(choice?.message['refusal'], 'I cannot help with that request.')
    const { json } = await anthropic('claude-sim-refusal')
    assert.deepEqual([json['stop_reason'], json.content], ['refusal', []])
    assert.deepEqual((json['stop_details'] as { explanation: string }).explanation, 'I cannot help with that request.')
  })

  test('sim-length and sim-stop', async () => {
    assert.equal((await openai('gpt-sim-length')).json.choices[0]?.['finish_reason'], 'length')
    assert.equal((await anthropic('claude-sim-length')).json['stop_reason'], 'max_tokens')
    assert.equal((await openai('gpt-sim-stop-content_filter')).json.choices[0]?.['finish_reason'], 'content_filter')
    assert.equal((await anthropic('claude-sim-stop-pause_turn')).json['stop_reason'], 'pause_turn')
  })

  test('sim-tools calls declared tools, one by one when parallel calls are off', async () => {
    const [choice] = (await openai('gpt-sim-tools', { tools: [OPENAI_TOOL] })).json.choices
    const calls = choice?.message.tool_calls as unknown as {
      id: string
      type: string
      function: { name: string; arguments: string }
    }[]
    assert.equal(choice?.['finish_reason'], 'tool_calls')
    assert.equal(choice?.message['content'], null)
    assert.deepEqual([calls.length, calls[0]?.type, calls[0]?.function.name], [1, 'function', 'weather'])
    assert.equal(typeof JSON.parse(calls[0]?.function.arguments ?? '').city, 'string')

    const message = (await anthropic('claude-sim-tools-2', { tools: [ANTHROPIC_TOOL] })).json
    assert.deepEqual(
      message.content.map(({ type, name }) => [type, name]),
      [
        ['tool_use', 'weather'],
        ['tool_use', 'weather'],
      ],
    )
    assert.equal(message['stop_reason'], 'tool_use')
    const choiceOff = { type: 'auto', disable_parallel_tool_use: true }
    const single = await anthropic('claude-sim-tools-2', { tools: [ANTHROPIC_TOOL], tool_choice: choiceOff })
    assert.equal(single.json.content.length, 1)
    const off = await openai('gpt-sim-tools-2', { tools: [OPENAI_TOOL], parallel_tool_calls: false })
    assert.equal(off.json.choices[0]?.message.tool_calls.length, 1)
  })

  test('usage scenarios: OpenAI counts cache classes inside the prompt, Anthropic beside it', async () => {
    const plain = (await openai('gpt-sim-echo')).json.usage['prompt_tokens'] as number
    const cached = (await openai('gpt-sim-cached-50')).json.usage
    assert.deepEqual(
      [cached['prompt_tokens'], (cached['prompt_tokens_details'] as { cached_tokens: number }).cached_tokens],
      [plain + 50, 50],
    )
    const written = (await openai('gpt-sim-cachewrite-9')).json.usage
    assert.equal((written['prompt_tokens_details'] as { cache_write_tokens: number }).cache_write_tokens, 9)
    const reasoning = (await openai('gpt-sim-reasoning-30')).json.usage
    assert.equal((reasoning['completion_tokens_details'] as { reasoning_tokens: number }).reasoning_tokens, 30)
    const exact = (await openai('gpt-sim-big-usage-300000-1234')).json.usage
    assert.deepEqual(
      [exact['prompt_tokens'], exact['completion_tokens'], exact['total_tokens']],
      [300_000, 1234, 301_234],
    )

    const fresh = (await anthropic('claude-sim-echo')).json.usage['input_tokens']
    const read = (await anthropic('claude-sim-cached-50')).json.usage
    assert.deepEqual([read['input_tokens'], read['cache_read_input_tokens']], [fresh, 50])
    const wrote = (await anthropic('claude-sim-cachewrite-9')).json.usage
    assert.deepEqual(wrote['cache_creation'], { ephemeral_5m_input_tokens: 9, ephemeral_1h_input_tokens: 0 })
    const thought = (await anthropic('claude-sim-reasoning-30')).json
    assert.equal(thought.content[0]?.['type'], 'thinking')
    assert.deepEqual(thought.usage['output_tokens_details'], { thinking_tokens: 30 })
    const counted = (await anthropic('claude-sim-big-usage-300000-1234')).json.usage
    assert.deepEqual([counted['input_tokens'], counted['output_tokens']], [300_000, 1234])
  })

  test('a cache mark of one hour moves the written tokens to its class', async () => {
    const content = [{ type: 'text', text: 'hi', cache_control: { type: 'ephemeral', ttl: '1h' } }]
    const { usage } = (await anthropic('claude-sim-cachewrite-9', { messages: [{ role: 'user', content }] })).json
    assert.deepEqual(usage['cache_creation'], { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 9 })
  })

  test('sim-huge has the promised size', async () => {
    const { text } = await openai('gpt-sim-huge-2')
    assert.ok(text.length > 2 * 1024 * 1024 && text.length < 2 * 1024 * 1024 + 2000)
    assert.equal((await openai('gpt-sim-huge-999')).status, 404)
  })
})

test('every scenario is known by an example of its name', () => {
  for (const { name } of SCENARIOS) {
    const example = `any-${name
      .replace('<reason>', 'pause_turn')
      .replace('<fault>', 'reset')
      .replace('<oddity>', 'no-done')
      .replace('<status>', '500')
      .replaceAll(/<[a-z]+>/g, '2')}`
    assert.ok(scenarioOf(example)?.({ lastUserText: '', random: () => 0, firstCall: true }), example)
  }
})

test('the page names exactly the scenarios there are', () => {
  const page = readFileSync(new URL('../docs/simulator.md', import.meta.url), 'utf8')
  const rows = [...page.matchAll(/^\| (`sim-[^|]+) \| .+ \|$/gm)].map(([, names = '']) => names)
  assert.deepEqual(
    rows.flatMap((names) => [...names.matchAll(/`(sim-[^`]+)`/g)].map(([, name]) => name)).sort(),
    SCENARIOS.map(({ name }) => name).sort(),
  )
})
