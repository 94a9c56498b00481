import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { filesUnder } from '../../files-under.ts'
import { type Answered, type Harness, hello, type Json, KEY, startHarness } from '../../harness.ts'
import { managing } from '../../management/manage.ts'

const MARK = 'Zq7toolargumentofaloop94XyW'
const OTHER_KEY = 'gw_live_other000000000000000000000000000'
const CONFIG = `
workspaces:
  default:
    streaming: true
    keys: { other: { value: "\${OTHER_KEY}" } }
registry:
  - { provider: openai, model: gpt-sim-echo, input_per_mtok: "1000", output_per_mtok: "1000" }
`

let harness: Harness
/** Set by each test: sessions of another test do not matter. */
let session: string
let sessions = 0
/** By how much the gateway's clock is ahead. */
let ahead = 0
const manage = managing(() => harness)

before(async () => {
  harness = await startHarness({ config: CONFIG, environment: { OTHER_KEY }, now: () => Date.now() + ahead })
})
after(() => harness.stop())
beforeEach(() => {
  session = `run-${++sessions}`
  harness.simulator.reset()
})

async function watch(loops: object | null): Promise<void> {
  const { status, text } = await manage('PATCH', '/workspaces/default', { loops })
  assert.equal(status, 200, text)
}

async function post(path: string, body: Json, headers: Record<string, string> = {}): Promise<Answered> {
  const response = await fetch(harness.url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${KEY}`,
      'content-type': 'application/json',
      'x-gateway-session': session,
      ...headers,
    },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
  return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : null }
}

const once = (headers?: Record<string, string>) => post('/v1/chat/completions', hello('gpt-sim-echo'), headers)
const tool = { name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} } }

/** A conversation in which the tool was called so often with the same argument, in each format. */
const FORMATS: Record<string, { path: string; model: string; body(times: number, id?: string): Json }> = {
  chat: {
    path: '/v1/chat/completions',
    model: 'gpt-sim-echo',
    body: (times, id = 'call_') => ({
      tools: [{ type: 'function', function: tool }],
      messages: [
        { role: 'user', content: 'go' },
        ...Array.from({ length: times }, (_, n) => [
          {
            role: 'assistant',
            content: null,
            tool_calls: [
              { id: `${id}${n}`, type: 'function', function: { name: 'look', arguments: `{"at":"${MARK}"}` } },
            ],
          },
          { role: 'tool', tool_call_id: `${id}${n}`, content: 'nothing' },
        ]).flat(),
      ],
    }),
  },
  messages: {
    path: '/v1/messages',
    model: 'claude-sim-echo',
    body: (times) => ({
      max_tokens: 100,
      tools: [{ name: tool.name, description: tool.description, input_schema: tool.parameters }],
      messages: [
        { role: 'user', content: 'go' },
        ...Array.from({ length: times }, (_, n) => [
          {
            role: 'assistant',
            content: [{ type: 'tool_use', id: `toolu_${n}`, name: 'look', input: { at: MARK } }],
          },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: `toolu_${n}`, content: 'nothing' }] },
        ]).flat(),
      ],
    }),
  },
  responses: {
    path: '/v1/responses',
    model: 'gpt-sim-echo',
    body: (times) => ({
      tools: [{ type: 'function', ...tool, strict: false }],
      input: [
        { role: 'user', content: 'go' },
        ...Array.from({ length: times }, (_, n) => [
          { type: 'function_call', call_id: `call_${n}`, name: 'look', arguments: `{"at":"${MARK}"}` },
          { type: 'function_call_output', call_id: `call_${n}`, output: 'nothing' },
        ]).flat(),
      ],
    }),
  },
}

describe('the same tool call again and again', () => {
  for (const [name, { path, model, body }] of Object.entries(FORMATS)) {
    for (const stream of [false, true]) {
      test(`stops a session, in the words of ${name}${stream ? ', streamed' : ''}`, async () => {
        await watch({ same_tool_call: { times: 4, action: 'stop' } })
        const ask = (times: number) => post(path, { model, stream, ...body(times) })
        const fine = await ask(3)
        assert.equal(fine.status, 200, fine.text)
        const asked = harness.upstream().length
        const stopped = await ask(4)
        assert.equal(stopped.status, 400, stopped.text)
        assert.equal(stopped.headers.get('x-should-retry'), 'false')
        const { error, type } = stopped.json
        assert.equal(error.code, 'loop_stopped')
        if (name === 'messages') assert.deepEqual([type, error.type], ['error', 'invalid_request_error'])
        assert.match(
          error.message,
          /^This session was stopped as a loop: the same tool call 4 times \(limit 4\)\. .* UTC\./,
        )
        const { kind, used, limit } = error.details
        assert.deepEqual([kind, used, limit], ['same_tool_call', 4, 4])
        assert.equal((await post(path, { model, stream, ...body(1) })).status, 400, 'a stop holds whatever comes')
        assert.equal(harness.upstream().length, asked, 'no provider is asked')
        const row = await harness.rowOf(stopped)
        assert.deepEqual([row.code, row['loop'], row['cost_picodollars']], ['loop_stopped', 'same_tool_call', null])
        assert.equal((await harness.rowOf(fine))['loop'], null)
        const elsewhere = await once({ 'x-gateway-session': `${session}-other` })
        assert.equal(elsewhere.status, 200)
        assert.equal((await once({ authorization: `Bearer ${OTHER_KEY}` })).status, 200, 'of another key')
      })
    }
  }

  test('is seen in a large request, too, whose body another thread reads', async () => {
    await watch({ same_tool_call: { times: 4, action: 'stop' } })
    const { path, model, body } = FORMATS['chat'] as (typeof FORMATS)[string]
    const large = body(4)
    large.messages[0].content = 'word '.repeat(60_000)
    assert.equal((await post(path, { model, ...large })).json.error.code, 'loop_stopped')
  })

  test('is seen without any header, in its own conversation only', async () => {
    await watch({ same_tool_call: { times: 4, action: 'stop' } })
    const { path, model, body } = FORMATS['chat'] as (typeof FORMATS)[string]
    const ask = (times: number, id: string) => post(path, { model, ...body(times, id) }, { 'x-gateway-session': '' })
    const stopped = await ask(4, 'call_a')
    assert.equal(stopped.json.error.code, 'loop_stopped')
    assert.match(stopped.json.error.message, /Start a new conversation/)
    assert.equal((await ask(1, 'call_a')).status, 400)
    assert.equal((await ask(1, 'call_b')).status, 200)
    assert.equal((await once({ 'x-gateway-session': '' })).status, 200)
  })

  test('only alerts where nothing else is said: the calls pass, and their rows say why', async () => {
    await watch({ same_tool_call: { times: 2 } })
    const { path, model, body } = FORMATS['chat'] as (typeof FORMATS)[string]
    const answer = await post(path, { model, ...body(2) })
    assert.equal(answer.status, 200)
    const row = await harness.rowOf(answer)
    assert.deepEqual([row.code, row['loop']], [null, 'same_tool_call'])
    const shown = (await manage('GET', `/requests/${row.id}`)).json
    assert.equal(shown.loop, 'same_tool_call')
  })

  test('nothing of the tool is in any file, row or answer', async () => {
    for (const path of filesUnder(join(harness.folder, 'data'))) assert.ok(!readFileSync(path).includes(MARK), path)
    assert.ok(!JSON.stringify(await harness.rows()).includes(MARK))
  })
})

describe('more calls a minute than the limit', () => {
  test('slow: one passes per interval, the others are told to wait', async () => {
    await watch({ calls_a_minute: { calls: 2, action: 'slow' }, slow_seconds: 20 })
    for (let count = 0; count < 3; count++) assert.equal((await once()).status, 200)
    const slowed = await once()
    assert.deepEqual([slowed.status, slowed.json.error.code], [429, 'loop_slowed'])
    const wait = Number(slowed.headers.get('retry-after'))
    assert.ok(wait >= 1 && wait <= 20, String(wait))
    assert.equal(slowed.headers.get('x-should-retry'), null)
    assert.match(slowed.json.error.message, /3 calls within a minute \(limit 2\).*Retry in \d+ seconds\.$|4 calls/)
    const { code, loop, reason } = await harness.rowOf(slowed)
    assert.deepEqual([code, loop], ['loop_slowed', 'calls_a_minute'])
    assert.match(String(reason), /calls within a minute/)
    ahead += 21_000
    const next = await once()
    assert.equal(next.status, 200)
    assert.equal((await harness.rowOf(next))['loop'], 'calls_a_minute')
    ahead += 61_000
    for (let count = 0; count < 2; count++) assert.equal((await once()).status, 200)
  })

  test('stop: until its time is over', async () => {
    await watch({ calls_a_minute: { calls: 2, action: 'stop' }, stop_minutes: 5 })
    const answers = [await once(), await once(), await once(), await once()].map(({ status }) => status)
    assert.deepEqual(answers, [200, 200, 400, 400])
    ahead += 4 * 60_000
    assert.equal((await once()).status, 400)
    ahead += 61_000
    assert.equal((await once()).status, 200)
  })

  test('in the shape of Messages and Responses', async () => {
    await watch({ calls_a_minute: { calls: 1, action: 'slow' } })
    const { messages, responses } = FORMATS as Record<'messages' | 'responses', (typeof FORMATS)[string]>
    for (const { path, model, body } of [messages, responses]) {
      session += 'x'
      const ask = () => post(path, { model, ...body(1) })
      assert.deepEqual([(await ask()).status, (await ask()).status], [200, 200])
      const slowed = await ask()
      assert.equal(slowed.status, 429)
      assert.equal(slowed.json.error.code, 'loop_slowed')
      assert.equal(slowed.json.error.type, path === '/v1/messages' ? 'rate_limit_error' : 'loop_slowed')
    }
  })

  test('calls without a session, counts of tokens and embeddings are not counted together', async () => {
    await watch({ calls_a_minute: { calls: 1, action: 'stop' } })
    for (let count = 0; count < 4; count++) assert.equal((await once({ 'x-gateway-session': '' })).status, 200)
    for (let count = 0; count < 4; count++) {
      const { status } = await post('/v1/embeddings', { model: 'text-embedding-sim-echo', input: 'a' })
      assert.equal(status, 200)
    }
  })
})

describe('a person', () => {
  test('resumes a stopped session; what it repeated before is forgiven', async () => {
    await watch({ same_tool_call: { times: 3, action: 'stop' } })
    const { path, model, body } = FORMATS['chat'] as (typeof FORMATS)[string]
    const ask = async (times: number) => (await post(path, { model, ...body(times) })).status
    assert.equal(await ask(3), 400)
    const resumed = await manage('POST', `/loops/${session}/resume`)
    assert.deepEqual([resumed.status, resumed.json.session], [200, session])
    assert.deepEqual([await ask(3), await ask(4), await ask(5), await ask(6)], [200, 200, 200, 400])
    assert.equal((await manage('POST', `/loops/${session}/resume`)).status, 200)
    assert.equal(await ask(6), 200)
    const [entry] = (await manage('GET', `/audit?resource=loops/${session}`)).json.data
    assert.deepEqual([entry.action, entry.workspace], ['loops.resume', 'default'])
  })

  test('of another workspace cannot', async () => {
    await watch({ same_tool_call: { times: 3, action: 'stop' } })
    const { path, model, body } = FORMATS['chat'] as (typeof FORMATS)[string]
    assert.equal((await post(path, { model, ...body(3) })).status, 400)
    await manage('POST', '/workspaces', { name: 'other' })
    assert.equal((await manage('POST', `/loops/${session}/resume?workspace=other`)).status, 200)
    assert.equal((await post(path, { model, ...body(3) })).status, 400)
    assert.equal((await manage('POST', `/loops/${session}/resume?workspace=none`)).status, 404)
  })
})

describe('context that grows without the cache', () => {
  for (const [what, model, expected] of [
    ['nothing cached', 'gpt-sim-echo', [200, 200, 200, 400]],
    ['cached', 'gpt-sim-cached-9000', [200, 200, 200, 200]],
  ] as const) {
    test(`${what}: ${expected.join(' ')}`, async () => {
      await watch({ context_growth: { calls: 3, tokens: 10, action: 'stop' } })
      const statuses: number[] = []
      for (const times of [1, 2, 3, 4]) {
        const content = 'word '.repeat(100 * times)
        const { status } = await post('/v1/chat/completions', { model, messages: [{ role: 'user', content }] })
        statuses.push(status)
      }
      assert.deepEqual(statuses, expected)
    })
  }
})

describe('unusual spending', () => {
  test('stops the session that spends many times what the others of its key do', async () => {
    await watch({ spend_times_usual: { times: 3, usd: 0.01, action: 'stop' } })
    const say = (words: number) =>
      post('/v1/chat/completions', {
        model: 'gpt-sim-echo',
        messages: [{ role: 'user', content: 'word '.repeat(words) }],
      })
    const name = session
    for (let other = 0; other < 6; other++) {
      session = `${name}-${other}`
      assert.equal((await say(10)).status, 200)
    }
    session = name
    assert.equal((await say(2_000)).status, 200, 'what it costs is known afterwards')
    const stopped = await say(10)
    assert.deepEqual([stopped.status, stopped.json.error.details.kind], [400, 'spend_times_usual'])
    assert.match(stopped.json.error.message, /: [\d.]+ USD within a minute \(limit [\d.]+\)/)
    session = `${name}-0`
    assert.equal((await say(10)).status, 200)
  })
})

test('a workspace that does not say so is not watched', async () => {
  await watch(null)
  const { path, model, body } = FORMATS['chat'] as (typeof FORMATS)[string]
  const answer = await post(path, { model, ...body(30) })
  assert.deepEqual([answer.status, (await harness.rowOf(answer))['loop']], [200, null])
})

describe('the setting', () => {
  test('names at least one signal, and what is wrong with one', async () => {
    for (const [loops, words] of [
      [{}, /name at least one signal/],
      [{ same_tool_call: { times: 65 } }, /loops\.same_tool_call\.times/],
      [{ same_tool_call: { times: 3, action: 'kill' } }, /loops\.same_tool_call\.action/],
      [{ turns: 3 }, /turns/],
    ] as const) {
      const { status, json } = await manage('PATCH', '/workspaces/default', { loops })
      assert.equal(status, 400)
      assert.match(json.error.message, words)
    }
  })
})
