import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Answered } from '../../harness.ts'
import { managing } from '../../management/manage.ts'
import { NATIVE, type ResponsesWorld, startResponses } from './world.ts'

const CONFIG = `${NATIVE}
registry:
  - { provider: openai, model: gpt-sim-echo, input_per_mtok: "1", output_per_mtok: "5", max_output_tokens: 1000 }
`
const CODEX = { originator: 'codex_exec', accept: 'text/event-stream' }
const BODY = { model: 'gpt-sim-echo', input: 'x', stream: true }

let world: ResponsesWorld
let poor = ''
let bound = ''
let slow = ''
const manage = managing(() => world)
before(async () => {
  world = await startResponses({ config: CONFIG })
  const key = async (settings: object) => {
    const { json, text } = await manage('POST', '/keys', settings)
    assert.ok(json.value, text)
    return { authorization: `Bearer ${json.value}` }.authorization
  }
  poor = await key({ name: 'poor', limits: { budget: { usd: '0.000001', per: 'total', mode: 'hard' } } })
  bound = await key({ name: 'bound', allowed_models: ['other'] })
  slow = await key({ name: 'slow', limits: { rpm: 1 } })
})
after(() => world.stop())

/** The one event of a stream that has failed. */
function failureIn({ text }: Answered) {
  const events = [...text.matchAll(/^event: (.*)\ndata: (.*)$/gm)]
  assert.deepEqual(
    events.map(([, name]) => name),
    ['response.failed'],
    text,
  )
  const { response } = JSON.parse(events[0]?.[2] ?? '')
  return response
}

describe('agents that ask again after any status are stopped by a stream that has failed', () => {
  const rows: [name: string, status: number, code: string, words: RegExp, ask: () => Promise<Answered>][] = [
    [
      ...(['a budget', 402, 'budget_exceeded'] as const),
      /budget of key 'poor'.* does not allow this call/,
      () => world.respond(BODY, { ...CODEX, authorization: poor }),
    ],
    [
      ...(['a model that the key may not use', 403, 'forbidden'] as const),
      /gpt-sim-echo/,
      () => world.respond(BODY, { ...CODEX, authorization: bound }),
    ],
    [
      ...(['a field that is wrong', 400, 'invalid_request'] as const),
      /input/,
      () => world.respond({ ...BODY, input: 7 }, CODEX),
    ],
    [
      ...(['what the provider refuses', 400, 'invalid_request'] as const),
      /./,
      () => world.respond({ ...BODY, model: 'gpt-sim-400' }, CODEX),
    ],
  ]
  for (const [name, status, code, words, ask] of rows) {
    test(`${name}: our words, the code that stops it, and ${status} in the log`, async () => {
      const answer = await ask()
      assert.equal(answer.status, 200, answer.text)
      assert.match(answer.headers.get('content-type') ?? '', /^text\/event-stream/)
      assert.deepEqual(
        [answer.headers.get('x-gateway-status'), answer.headers.get('x-should-retry')],
        [String(status), 'false'],
      )
      const { error, status: state } = failureIn(answer)
      assert.deepEqual([state, error.code], ['failed', 'invalid_prompt'])
      assert.match(error.message, words)
      const row = await world.rowOf(answer)
      assert.deepEqual([row.status, row.code, row['cost_picodollars']], [status, code, null])
    })
  }

  test('a stream that is not allowed here', async () => {
    const off = await startResponses({ config: NATIVE, environment: { STREAMING: 'off' } })
    try {
      const answer = await off.respond(BODY, CODEX)
      assert.match(failureIn(answer).error.message, /Streaming is off/)
      assert.deepEqual([(await off.rowOf(answer)).status, answer.headers.get('x-gateway-status')], [501, '501'])
      assert.equal((await off.respond(BODY)).status, 501)
    } finally {
      await off.stop()
    }
  })

  test('others, whole answers, keys that are wrong and refusals that pass keep their status', async () => {
    const paid = { authorization: poor }
    const refused: [Record<string, string>, object, number][] = [
      [paid, BODY, 402],
      [{ ...paid, accept: 'text/event-stream', 'user-agent': 'claude-cli/2.1' }, BODY, 402],
      [{ ...paid, originator: 'codex_exec' }, { ...BODY, stream: false }, 402],
      [{ ...CODEX, authorization: 'Bearer gw_live_wrong000000000000000000000000000' }, BODY, 401],
    ]
    for (const [headers, body, status] of refused) {
      assert.equal((await world.respond(body, headers)).status, status, JSON.stringify(headers))
    }
    const once = { ...CODEX, authorization: slow }
    assert.equal((await world.respond(BODY, once)).status, 200)
    const waits = await world.respond(BODY, once)
    assert.deepEqual([waits.status, waits.json.error.code], [429, 'key_rate_limited'])
  })

  test('a refusal that is repeated costs one row each, and no provider is asked', async () => {
    const asked = world.upstream().length
    const ids = new Set<string | null>()
    for (let repeat = 0; repeat < 6; repeat++) {
      const answer = await world.respond(BODY, { authorization: poor })
      assert.equal(answer.status, 402)
      ids.add(answer.headers.get('x-gateway-request-id'))
    }
    const rows = (await world.rows()).filter(({ id }) => ids.has(id))
    assert.equal(rows.length, 6)
    for (const row of rows) {
      assert.deepEqual(
        [row['state'], row.code, row['attempts'], row['cost_picodollars']],
        ['closed', 'budget_exceeded', '[]', null],
      )
    }
    assert.equal(world.upstream().length, asked)
  })

  test('a refusal is not replayed as an answer', async () => {
    const headers = { ...CODEX, authorization: bound, 'idempotency-key': 'again' }
    const first = await world.respond(BODY, headers)
    const second = await world.respond(BODY, headers)
    assert.notEqual(first.headers.get('x-gateway-request-id'), second.headers.get('x-gateway-request-id'))
    assert.deepEqual([(await world.rowOf(second)).status, (await world.rowOf(second)).code], [403, 'forbidden'])
  })
})
