import '../more-cores.ts'
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { type Harness, hello, type Json, KEY, startHarness, until } from '../harness.ts'
import { managing } from '../management/manage.ts'
import { callByItself } from './call-by-itself.ts'

const THREADS = 2
/** So many connections that both threads get some. */
const MANY = 16
let harness: Harness
let session = ''
let sessions = 0
const manage = managing(() => harness)

before(async () => {
  harness = await startHarness({ environment: { SERVING_THREADS: String(THREADS), ALERTS_EVERY_SECONDS: '1' } })
})
after(() => harness?.stop())
beforeEach(() => {
  session = `run-${++sessions}`
})

const watch = async (loops: object) =>
  assert.equal((await manage('PATCH', '/workspaces/default', { loops })).status, 200)
/** Each on a connection of its own, which any thread may take. */
const call = async (more: Json = {}): Promise<number> => {
  const headers = { authorization: `Bearer ${KEY}`, 'x-gateway-session': session }
  return (await callByItself(harness.url, headers, { ...hello('gpt-sim-echo'), ...more })).status
}
const many = () => Promise.all(Array.from({ length: MANY }, () => call()))

/** How many threads have connections. */
async function threadsInUse(): Promise<number> {
  const { text } = await harness.get('/metrics')
  return text.match(/^switchyard_connections\{thread="\d+"\} [1-9]/gm)?.length ?? 0
}

/** A conversation that has called one tool so often with one argument. */
const repeated = (times: number) => ({
  tools: [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }],
  messages: [
    { role: 'user', content: 'go' },
    ...Array.from({ length: times }, (_, place) => [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: `call_${place}`, type: 'function', function: { name: 'look', arguments: '{"at":1}' } }],
      },
      { role: 'tool', tool_call_id: `call_${place}`, content: 'nothing' },
    ]).flat(),
  ],
})

describe('a session over two serving threads', () => {
  test('whose calls both threads serve', async () => {
    harness.simulator.hold()
    const calls = many()
    await until(async () => (await threadsInUse()) === THREADS, 'both threads have connections')
    harness.simulator.release()
    assert.deepEqual([...new Set(await calls)], [200])
  })

  test('is stopped on both by what one has seen, and goes on for both when it is resumed', async () => {
    await watch({ same_tool_call: { times: 3, action: 'stop' } })
    assert.equal(await call(repeated(2)), 200)
    assert.equal(await call(repeated(3)), 400)
    await until(async () => (await many()).every((status) => status === 400), 'every thread refuses its calls')
    const name = session
    session = 'another'
    assert.deepEqual([...new Set(await many())], [200])
    session = name
    assert.equal((await manage('POST', `/loops/${session}/resume`)).status, 200)
    await until(async () => (await many()).every((status) => status === 200), 'every thread serves its calls')
  })

  test('that makes too many calls gets no more through than its limit for each thread', async () => {
    const limit = 10
    await watch({ calls_a_minute: { calls: limit, action: 'stop' } })
    let served = 0
    let status = 200
    while (status === 200) {
      status = await call()
      if (status === 200) served++
    }
    assert.equal(status, 400)
    await until(async () => {
      const more = (await many()).filter((each) => each === 200).length
      served += more
      return more === 0
    }, 'every thread refuses its calls')
    assert.ok(served >= limit && served <= THREADS * limit, `${served} of a limit of ${limit} for each thread`)
  })

  test('raises one alert for the session and its signal, which names it and what was done', async () => {
    await watch({ same_tool_call: { times: 2, action: 'stop' } })
    await Promise.all(Array.from({ length: MANY }, () => call(repeated(2))))
    await harness.rows()
    const alerts = async (): Promise<Json[]> => {
      const { data } = (await manage('GET', '/alerts?rule=loop&limit=100')).json
      return data.filter(({ subject }: Json) => subject === `session ${session}`)
    }
    await until(async () => (await alerts()).length > 0, 'the alert')
    const [alert, ...others] = await alerts()
    assert.deepEqual(others, [])
    assert.deepEqual([alert.severity, alert.workspace], ['critical', 'default'])
    assert.equal(alert.summary, `session ${session} in default repeats the same tool call: it was stopped`)
  })
})
