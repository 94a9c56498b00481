import '../more-cores.ts'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { after, afterEach, beforeEach, describe, test } from 'node:test'
import { type Answered, type Harness, hello, startHarness, until } from '../harness.ts'
import {
  ask,
  assertVerified,
  CONFIG,
  hard,
  holdOfAsk,
  type LimitedKey,
  newKey,
  newWorkspace,
  statuses,
  statusOf,
} from '../limits/limited.ts'
import { managing } from '../management/manage.ts'
import { callByItself } from './call-by-itself.ts'

const THREADS = 4
const STREAMS = { STREAMING: 'on', STREAM_HOLD_HEADERS_SECONDS: '0' }
const harness: Harness = await startHarness({
  config: CONFIG,
  environment: { SERVING_THREADS: String(THREADS), ...STREAMS },
})
const { simulator } = harness
const manage = managing(() => harness)
beforeEach(() => simulator.reset())
afterEach(async () => {
  simulator.release()
  await until(async () => (await totals(WORKSPACE)).held === 0n, 'nothing is held')
  await assertVerified(harness)
})
after(() => harness.stop())

const WORKSPACE = { kind: 'workspace', id: 'default' } as const
const HOLD = holdOfAsk('plain')
const totals = async (scope: LimitedKey['scope']) => (await statusOf(harness, scope)).periods.total
const inParallel = (count: number, one: () => Promise<Answered>) => Promise.all(Array.from({ length: count }, one))

const callAlone = (headers: Record<string, string>, body: unknown = ask('plain')) =>
  callByItself(harness.url, headers, body)

/** Calls served, by thread, as far as the metrics show: current connections. */
async function connections(): Promise<number[]> {
  const { text } = await harness.get('/metrics')
  const of = (thread: number) =>
    new RegExp(`^switchyard_connections\\{thread="${thread}"\\} (\\d+)`, 'm').exec(text)?.[1]
  return Array.from({ length: THREADS }, (_, place) => Number(of(place + 1)))
}

describe('limits are exact over threads', () => {
  test('37 of 500 calls at once fit into a hard budget', async () => {
    const key = await newKey(harness, hard(38n * HOLD - 1n))
    simulator.hold()
    let refused = 0
    const all = inParallel(500, async () => {
      const answer = await callAlone(key.headers)
      if (answer.status === 402) refused++
      return answer
    })
    await until(() => refused === 463 && harness.upstream().length === 37, 'all have arrived')
    assert.equal((await totals(key.scope)).held, 37n * HOLD)
    const spread = await connections()
    assert.ok(spread.filter((count) => count > 0).length > 1, `${spread}`)
    simulator.release()
    assert.deepEqual(statuses(await all), { 200: 37, 402: 463 })
    assert.equal((await totals(key.scope)).held, 0n)
  })

  test('and into one of their workspace, whichever key they have', async () => {
    await newWorkspace(harness, 'joint', hard(20n * HOLD))
    const keys = await Promise.all([1, 2, 3].map(() => newKey(harness, null, 'joint')))
    // None is answered before all are admitted or refused: those that have ended cost less than they held.
    simulator.hold()
    let refused = 0
    const all = keys.flatMap((key) =>
      Array.from({ length: 60 }, async () => {
        const answer = await callAlone(key.headers)
        if (answer.status !== 200) refused++
        return answer
      }),
    )
    await until(() => refused + harness.upstream().length === 180, 'all have arrived')
    simulator.release()
    const answers = await Promise.all(all)
    const { spent } = await totals({ kind: 'workspace', id: 'joint' })
    assert.deepEqual(statuses(answers), { 200: 20, 402: 160 })
    assert.ok(spent <= 20n * HOLD)
  })

  test('rpm and max_parallel', async () => {
    const rated = await newKey(harness, { rpm: 50 })
    assert.deepEqual(statuses(await inParallel(200, () => callAlone(rated.headers))), { 200: 50, 429: 150 })
    const parallel = await newKey(harness, { max_parallel: 7 })
    simulator.hold()
    let refused = 0
    const all = inParallel(120, async () => {
      const answer = await callAlone(parallel.headers)
      if (answer.status === 429) refused++
      return answer
    })
    await until(() => refused === 113, 'all have arrived')
    simulator.release()
    assert.deepEqual(statuses(await all), { 200: 7, 429: 113 })
  })
})

describe('a change counts on every thread once it is answered', () => {
  test('a new key is known, and a revoked one refused', async () => {
    for (let round = 0; round < 3; round++) {
      const key = await newKey(harness, null)
      assert.deepEqual(statuses(await inParallel(40, () => callAlone(key.headers))), { 200: 40 })
      assert.equal((await manage('DELETE', `/keys/${key.id}`)).status, 204)
      assert.deepEqual(statuses(await inParallel(40, () => callAlone(key.headers))), { 401: 40 })
    }
  })

  test('a lowered limit', async () => {
    const key = await newKey(harness, { rpm: 1_000 })
    assert.deepEqual(statuses(await inParallel(30, () => callAlone(key.headers))), { 200: 30 })
    await key.limit({ rpm: 1 })
    assert.deepEqual(statuses(await inParallel(30, () => callAlone(key.headers))), { 429: 30 })
  })

  test('the last use of a key is known', async () => {
    const key = await newKey(harness, null)
    await callAlone(key.headers)
    const { json } = await manage('GET', `/keys/${key.id}/values`)
    assert.notEqual(json.data[0].last_used_at, null)
  })
})

describe('repeats with one Idempotency-Key, on any connection', () => {
  test('are joined while the first call runs, and answered from memory afterwards', async () => {
    const headers = { ...(await newKey(harness, null)).headers, 'idempotency-key': 'over-threads' }
    simulator.hold()
    const all = inParallel(24, () => callAlone(headers))
    await until(() => harness.upstream().length > 0, 'the first has arrived')
    simulator.release()
    const later = await inParallel(12, () => callAlone(headers))
    const answers = [...(await all), ...later]
    assert.deepEqual(statuses(answers), { 200: 36 })
    assert.equal(new Set(answers.map(({ headers }) => headers.get('x-gateway-request-id'))).size, 1)
    assert.equal(answers.filter(({ headers }) => headers.get('x-gateway-idempotent-replay') === 'true').length, 35)
    assert.equal(harness.upstream().length, 1)
  })

  test('another body is a conflict on every thread', async () => {
    const headers = { ...(await newKey(harness, null)).headers, 'idempotency-key': 'other-body' }
    assert.equal((await callAlone(headers)).status, 200)
    const others = await inParallel(12, () => callAlone(headers, hello('plain', { max_tokens: 7 })))
    assert.deepEqual(statuses(others), { 409: 12 })
  })

  test('streams are passed on with their trailers, and a caller who leaves is noticed', async () => {
    const { headers } = await newKey(harness, null)
    const streamed = { ...ask('plain'), stream: true }
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, place) =>
        callAlone({ ...headers, 'idempotency-key': `stream-${place}` }, streamed),
      ),
    )
    for (const answer of answers) {
      assert.match(answer.text, /data: \[DONE\]\n\n$/)
      assert.notEqual(answer.headers.get('x-gateway-cost-usd'), null)
    }
    simulator.hold()
    const left = Array.from({ length: 8 }, (_, place) =>
      request(`${harness.url}/v1/chat/completions`, {
        method: 'POST',
        agent: false,
        headers: { 'content-type': 'application/json', ...headers, 'idempotency-key': `leaves-${place}` },
      }),
    )
    for (const asked of left) asked.on('error', () => {}).end(JSON.stringify(ask('plain')))
    await until(() => harness.upstream().length >= 16, 'all have arrived')
    for (const asked of left) asked.destroy()
    await until(async () => (await totals(WORKSPACE)).held === 0n, 'the gateway has noticed')
    const codes = (await harness.rows()).slice(-8).map(({ code }) => code)
    assert.deepEqual(codes, Array(8).fill('caller_left'))
  })
})

test('a connection to any thread reaches management, health and pages', async () => {
  const paths = ['/readyz', '/healthz', '/metrics', '/v1/models']
  for (const path of paths) {
    const found = await inParallel(12, () => harness.get(path))
    assert.deepEqual(statuses(found), { 200: 12 }, path)
  }
  assert.equal((await manage('GET', '/status')).json.threads, THREADS)
  assert.equal((await harness.get('/nothing')).status, 404)
})

test('connections that are kept spread over the threads', async () => {
  const { headers } = await newKey(harness, null)
  const { Agent } = await import('node:http')
  // Each of these reconnects when its connection closes.
  const agents = Array.from({ length: 64 }, () => new Agent({ keepAlive: true, maxSockets: 1 }))
  const call = async (agent: (typeof agents)[number]) => {
    const asked = request(`${harness.url}/v1/models`, { agent, headers })
    asked.end()
    const [response] = await once(asked, 'response')
    response.resume()
    await once(response, 'end')
  }
  try {
    await until(async () => {
      await Promise.all(agents.map(call))
      const all = await connections()
      return Math.max(...all) <= 1.3 * (all.reduce((sum, count) => sum + count, 0) / THREADS) + 2
    }, 'no thread has many more than its share')
  } finally {
    for (const agent of agents) agent.destroy()
  }
})

test('a circuit that opens on one thread is open on all, and shown', async () => {
  const key = await newKey(harness, null)
  await inParallel(60, () => callAlone(key.headers, ask('fails')))
  const { json } = await manage('GET', '/status')
  const openai = json.providers.find(({ name }: { name: string }) => name === 'openai')
  assert.deepEqual(
    openai.circuits.map(({ model }: { model: string }) => model),
    ['gpt-sim-500'],
  )
  assert.ok(openai.errors_5m >= 5 && json.in_flight === 0)
})
