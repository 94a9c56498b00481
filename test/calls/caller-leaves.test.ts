import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { after, afterEach, beforeEach, describe, test } from 'node:test'
import { type Harness, hello, type Json, KEY, type Row, startHarness, until } from '../harness.ts'

const CONFIG = `
workspaces:
  default:
    routes:
      waits: { chain: [{ provider: openai, model: gpt-waits }, { provider: anthropic, model: claude-waits }] }
      retries: { chain: [{ provider: openai, model: gpt-retries }, { provider: anthropic, model: claude-waits }] }
      stalls: { chain: [{ provider: anthropic, model: claude-sim-stall }, { provider: openai, model: gpt-waits }] }
`
const harness: Harness = await startHarness({ config: CONFIG })
const { simulator, url } = harness
const { hostname, port } = new URL(url)
beforeEach(() => simulator.reset())
afterEach(() => simulator.release())
after(() => harness.stop())

/** Sends a call and hands back the ways to hang up. */
function call(model: string): { leave(): void; reset(): void; socket: Socket } {
  const body = JSON.stringify(hello(model))
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  socket.resume()
  socket.write(`${head(body.length)}${body}`)
  return { socket, leave: () => socket.destroy(), reset: () => socket.resetAndDestroy() }
}

const head = (length: number) =>
  `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${KEY}\r\n` +
  `content-type: application/json\r\ncontent-length: ${length}\r\n\r\n`

const inFlight = async () =>
  Number(/^switchyard_requests_in_flight (\d+)$/m.exec((await harness.get('/metrics')).text)?.[1])
const nothingInFlight = () => until(async () => (await inFlight()) === 0, 'nothing is in flight')

async function newestRow(): Promise<Row> {
  await nothingInFlight()
  const row = (await harness.rows()).at(-1)
  assert.ok(row !== undefined)
  return row
}

function assertLeft(row: Row): void {
  assert.equal(row.status, 499)
  assert.equal(row.code, 'caller_left')
  assert.equal(row['state'], 'closed')
  assert.equal(row['cost_picodollars'], null)
}

describe('a caller who leaves', () => {
  for (const how of ['leave', 'reset'] as const) {
    test(`while the provider works (${how}) ends the upstream call; nothing is asked again`, async () => {
      simulator.hold()
      const caller = call('waits')
      await until(() => harness.upstream().length === 1, 'the provider is asked')
      caller[how]()
      await until(() => harness.upstream()[0]?.outcome === 'aborted', 'the upstream call is ended')
      const row = await newestRow()
      assertLeft(row)
      const [attempt, ...others] = JSON.parse(String(row['attempts']))
      assert.equal(attempt.code, 'caller_left')
      assert.equal(attempt.reason, 'the caller left')
      assert.deepEqual(others, [])
      assert.equal(harness.upstream().length, 1)
    })
  }

  test('while the answer trickles in ends the upstream call', async () => {
    const caller = call('stalls')
    await until(() => harness.upstream()[0]?.status === 200, 'the answer has begun')
    caller.leave()
    await until(() => harness.upstream()[0]?.outcome === 'aborted', 'the upstream call is ended')
    assertLeft(await newestRow())
    assert.equal(harness.upstream().length, 1)
  })

  test('while we wait to ask again is not waited for', async () => {
    simulator.script('gpt-retries', [{ status: 500, headers: { 'retry-after-ms': '4900' } }])
    const caller = call('retries')
    await until(() => harness.upstream()[0]?.outcome === 'answered', 'the first attempt has failed')
    caller.leave()
    const row = await newestRow()
    assertLeft(row)
    assert.equal(harness.upstream().length, 1)
    const attempts = JSON.parse(String(row['attempts']))
    assert.deepEqual(
      attempts.map((attempt: Json) => attempt.code),
      ['upstream_error'],
    )
  })

  test('before the body is complete is logged without a model, and nobody is called', async () => {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => undefined)
    const before = (await harness.rows()).length
    socket.write(`${head(500)}{"model":"waits","mess`)
    await until(async () => (await inFlight()) === 1, 'the call has begun')
    socket.destroy()
    const row = await newestRow()
    assertLeft(row)
    assert.equal(row['requested_model'], null)
    assert.equal((await harness.rows()).length, before + 1)
    assert.equal(harness.upstream().length, 0)
  })

  test('does not count against the circuit of the provider', async () => {
    simulator.hold()
    for (let index = 1; index <= 6; index++) {
      const caller = call('waits')
      await until(() => harness.upstream().length === index, 'the provider is asked')
      caller.leave()
      await nothingInFlight()
    }
    simulator.release()
    const answer = await harness.chat(hello('waits'))
    assert.equal(answer.headers.get('x-gateway-model'), 'gpt-waits')
  })

  test('after its answer has left no trace of leaving', async () => {
    const answer = await harness.chat(hello('waits'), { connection: 'close' })
    assert.equal((await harness.rowOf(answer)).status, 200)
  })
})

test('two hundred callers who leave together leave nothing behind', async () => {
  simulator.hold()
  const before = (await harness.rows()).length
  const callers = Array.from({ length: 200 }, () => call('waits'))
  await until(() => harness.upstream().length === 200, 'all two hundred are asked')
  for (const caller of callers) caller.leave()
  await until(
    () => harness.upstream().every((upstream) => upstream.outcome === 'aborted'),
    'all upstream calls are ended',
  )
  await nothingInFlight()
  const rows = (await harness.rows()).slice(before)
  assert.equal(rows.length, 200)
  for (const row of rows) assertLeft(row)
  simulator.release()
  assert.equal((await harness.chat(hello('waits'))).status, 200)
})
