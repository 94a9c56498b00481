import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { createCallLog } from './call-log.ts'
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

const chat = (model: string, content = 'hello') => client.openai({ model, messages: [{ role: 'user', content }] })
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

describe('scripted answers', () => {
  test('come in order, then the normal answer returns', async () => {
    simulator.script('gpt-4o', [{ status: 503 }, undefined, { status: 200, body: { odd: true } }])
    assert.equal((await chat('gpt-4o')).json.error['code'], 'server_is_overloaded')
    assert.equal((await chat('gpt-4o')).json.choices.length, 1)
    assert.deepEqual((await chat('gpt-4o')).json, { odd: true })
    assert.equal((await chat('gpt-4o')).json.choices.length, 1)
  })

  test('are kept per model and appended', async () => {
    simulator.script('gpt-4o', [{ status: 500 }])
    simulator.script('gpt-4o', [{ status: 503 }])
    assert.equal((await chat('gpt-4.1')).status, 200)
    assert.deepEqual([(await chat('gpt-4o')).status, (await chat('gpt-4o')).status], [500, 503])
  })

  test('take headers, text bodies and delays, and skip validation', async () => {
    simulator.script('gpt-4o', [{ status: 429, headers: { 'retry-after': '3' }, body: 'busy', delayMs: 50 }])
    const start = performance.now()
    const answer = await client.openai({ model: 'gpt-4o', nonsense: true })
    assert.deepEqual([answer.status, answer.headers.get('retry-after'), answer.text], [429, '3', 'busy'])
    assert.ok(performance.now() - start >= 48)
  })

  test('behave badly when asked', async () => {
    simulator.script('gpt-4o', [{ behaviour: 'reset' }, { behaviour: 'cut' }])
    await assert.rejects(chat('gpt-4o'))
    await assert.rejects(chat('gpt-4o'))
    assert.equal((await chat('gpt-4o')).status, 200)
  })

  test('are forgotten by reset', async () => {
    simulator.script('gpt-4o', [{ status: 500 }])
    simulator.reset()
    assert.equal((await chat('gpt-4o')).status, 200)
  })
})

describe('recorded calls', () => {
  test('tell what arrived and how it ended', async () => {
    await chat('gpt-sim-echo', 'count me #round-7_x please')
    const [call] = simulator.calls
    assert.ok(call)
    const { family, method, path, model, marker, outcome, status, headers, body, rawBody } = call
    assert.deepEqual([family, method, path], ['openai', 'POST', '/v1/chat/completions'])
    assert.deepEqual([model, marker, outcome, status], ['gpt-sim-echo', 'round-7_x', 'answered', 200])
    assert.equal(headers['authorization'], 'Bearer any')
    assert.deepEqual(body, JSON.parse(rawBody))
    assert.ok(call.finishedAt !== null && call.finishedAt >= call.receivedAt)
  })

  test('a marker is read from the last user text only', async () => {
    const messages = [
      { role: 'user', content: 'first #aaaaaa' },
      { role: 'assistant', content: '#bbbbbb' },
      { role: 'user', content: [{ type: 'text', text: 'then #cccccc' }] },
    ]
    await client.anthropic({ model: 'claude-sim-echo', max_tokens: 9, messages })
    await chat('gpt-sim-echo', 'too short #abc')
    assert.deepEqual(
      simulator.calls.map((call) => call.marker),
      ['cccccc', null],
    )
  })

  test('a client that hangs up is recorded as aborted', async () => {
    const body = { model: 'gpt-sim-slow-5000', messages: HELLO }
    await assert.rejects(client.openai(body, { signal: AbortSignal.timeout(1_000) }))
    await settled(simulator)
    assert.deepEqual([simulator.calls[0]?.outcome, simulator.calls[0]?.status], ['aborted', null])
  })

  test('can be read from another process on both ports', async () => {
    await chat('gpt-sim-500', 'mark #outside1')
    for (const origin of [simulator.openaiUrl.replace('/v1', ''), simulator.anthropicUrl]) {
      const calls = JSON.parse((await client.get(`${origin}/_simulator/calls`)).text)
      assert.deepEqual(calls, [
        {
          id: simulator.calls[0]?.id,
          family: 'openai',
          model: 'gpt-sim-500',
          path: '/v1/chat/completions',
          marker: 'outside1',
          outcome: 'answered',
          status: 500,
        },
      ])
      const counts = JSON.parse((await client.get(`${origin}/_simulator/calls/count`)).text)
      assert.deepEqual(counts, { count: 1, chat: 1, pending: 0, answered: 1, aborted: 0 })
      assert.equal((await client.get(`${origin}/_simulator/nothing`)).status, 404)
    }
  })

  test('are bounded, and the bodies more so', () => {
    const log = createCallLog(1100)
    for (let round = 0; round < 1200; round += 1) {
      const call = log.open('openai', 'POST', new URL('http://simulator/v1/chat/completions'), {})
      log.describe(call, '{}', {})
    }
    assert.ok(log.calls.length <= 1100 && log.calls.length >= 1089)
    assert.equal(log.calls.at(-1)?.id, 1200)
    assert.equal(log.calls.filter((call) => call.rawBody !== '').length, 1000)
  })
})

test('hold keeps every chat answer back until release', async () => {
  simulator.hold()
  let answered = 0
  const calls = ['gpt-4o', 'gpt-sim-500'].map(async (model) => {
    await chat(model)
    answered += 1
  })
  while (simulator.calls.length < 2) await pause(5)
  await pause(30)
  assert.deepEqual([answered, simulator.calls.map((call) => call.outcome)], [0, ['pending', 'pending']])
  assert.equal((await client.get(`${simulator.openaiUrl}/models`)).status, 200)
  simulator.release()
  await Promise.all(calls)
  assert.equal(answered, 2)
})

describe('keys', () => {
  test('a missing key is 401 in the shape of the family', async () => {
    const openai = await client.openai({}, { headers: { authorization: '' } })
    assert.equal(openai.status, 401)
    assert.match(String(openai.json.error['message']), /didn't provide an API key/)
    const anthropic = await client.anthropic({}, { headers: { 'x-api-key': '' } })
    assert.deepEqual([anthropic.status, anthropic.json.error['type']], [401, 'authentication_error'])
  })

  test('with a required key every other one is 401, and OpenAI masks it', async () => {
    const locked = await startSimulator({ openaiKey: 'sk-right', anthropicKey: 'sk-ant-right' })
    const other = connect(locked)
    const body = { model: 'claude-any', max_tokens: 9, messages: HELLO }
    const wrong = await other.openai(body, { headers: { authorization: 'Bearer sk-proj-abcdefghijkl-wxyz' } })
    assert.deepEqual([wrong.status, wrong.json.error['code']], [401, 'invalid_api_key'])
    assert.match(String(wrong.json.error['message']), /sk-proj-\*+wxyz/)
    assert.equal((await other.anthropic(body)).status, 401)
    assert.equal((await other.openai(body, { headers: { authorization: 'Bearer sk-right' } })).status, 200)
    assert.equal((await other.anthropic(body, { headers: { 'x-api-key': 'sk-ant-right' } })).status, 200)
    await locked.close()
  })
})

test('unknown paths, wrong methods and odd targets are refused', async () => {
  const origin = simulator.anthropicUrl
  assert.match((await client.get(`${simulator.openaiUrl}/nothing`)).text, /Invalid URL \(GET \/v1\/nothing\)/)
  assert.equal((await client.get(`${simulator.openaiUrl}/chat/completions`)).status, 405)
  assert.equal((await client.get(`${origin}/v1/messages`)).status, 405)
  assert.equal((await client.get(`${origin}/redirected`)).status, 404)
  assert.equal((await client.get(`${origin}//`)).status, 404)
  assert.equal((await client.get(`${origin}/v1/models/%`)).status, 404)
})

test('a body above the limit of the vendor is 413', async () => {
  const messages = [{ role: 'user', content: 'x'.repeat(33 * 1024 * 1024) }]
  const answer = await client.anthropic({ model: 'claude-any', max_tokens: 9, messages }).catch(() => null)
  // A client that is still sending may see the closed socket before the answer.
  if (answer) assert.deepEqual([answer.status, answer.json.error['type']], [413, 'request_too_large'])
  assert.equal(simulator.calls[0]?.status, 413)
})

test('the latency of each answer may be drawn, by model', async () => {
  const asked: (string | null)[] = []
  const latencyMs = (model: string | null) => {
    asked.push(model)
    return 1
  }
  const other = await startSimulator({ latencyMs })
  await connect(other).openai({ model: 'gpt-4o', messages: HELLO })
  await connect(other).get(`${other.openaiUrl}/models`)
  await other.close()
  assert.deepEqual(asked, ['gpt-4o', null])
})

test('close ends open calls and a taken port is an error', async () => {
  const other = await startSimulator({ latencyMs: 10 })
  const pending = assert.rejects(connect(other).openai({ model: 'gpt-sim-hang', messages: HELLO }))
  await pause(30)
  const port = Number(new URL(other.openaiUrl).port)
  await assert.rejects(startSimulator({ anthropicPort: port }), /EADDRINUSE/)
  await other.close()
  await pending
})

test('a pace is for streams, a latency for whole answers', async () => {
  const [delayed, paced]: string[][] = [[], []]
  const latencyMs = (model: string | null) => {
    delayed?.push(String(model))
    return 0
  }
  const pace = (model: string) => {
    paced?.push(model)
    return { firstMs: 0, gapMs: 1 }
  }
  await using own = Object.assign(await startSimulator({ latencyMs, pace }), {
    [Symbol.asyncDispose]: () => own.close(),
  })
  const ask = (model: string, stream: boolean) =>
    fetch(`${own.openaiUrl}/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-any', 'content-type': 'application/json' },
      body: JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'hello' }] }),
    })
  assert.equal((await ask('gpt-4o', false)).status, 200)
  assert.match(await (await ask('gpt-4.1', true)).text(), /\[DONE\]/)
  assert.deepEqual([delayed, new Set(paced)], [['gpt-4o'], new Set(['gpt-4.1'])])
})
