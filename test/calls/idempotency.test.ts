import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, afterEach, beforeEach, describe, test } from 'node:test'
import { startSimulator } from '../../simulator/simulator.ts'
import { type Answered, type Harness, hello, KEY, newFolder, startHarness, until } from '../harness.ts'
import { startProcess } from '../process.ts'

const OTHER_KEY = 'gw_live_other000000000000000000000000000'
const NARROW_KEY = 'gw_live_narrow00000000000000000000000000'
const KEYS = { OTHER_KEY, NARROW_KEY }
const CONFIG = `
workspaces:
  default:
    keys:
      other: { value: '\${OTHER_KEY}' }
      narrow: { value: '\${NARROW_KEY}', limits: { rpm: 1 } }
    routes:
      waits: { chain: [{ provider: openai, model: gpt-waits }] }
      fails: { chain: [{ provider: openai, model: gpt-fails, retries: 0 }] }
`
const harness: Harness = await startHarness({ config: CONFIG, environment: KEYS })
const { simulator, chat, url } = harness
const { hostname, port } = new URL(url)
beforeEach(() => simulator.reset())
afterEach(() => simulator.release())
after(() => harness.stop())

let keys = 0
/** A header that no other test has used. */
const newKey = () => ({ 'idempotency-key': `key-${++keys}` })

const idOf = (answer: Answered) => answer.headers.get('x-gateway-request-id')
const isReplay = (answer: Answered) => answer.headers.get('x-gateway-idempotent-replay') === 'true'
const rowsWith = async (headers: { 'idempotency-key': string }) =>
  (await harness.rows()).filter((row) => row['idempotency_key'] === headers['idempotency-key'])

async function metric(name: string): Promise<number> {
  const text = (await harness.get('/metrics')).text
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1])
}
const inFlight = () => metric('switchyard_requests_in_flight')
const areInFlight = (count: number) => until(async () => (await inFlight()) === count, `${count} are in flight`)

/** The same answer: everything but the mark of the replay and what belongs to the connection. */
function assertSameAnswer(replay: Answered, first: Answered): void {
  const reported = ({ status, headers, text }: Answered) => ({
    status,
    text,
    headers: [...headers].filter(([name]) => !/^(date|connection|keep-alive|x-gateway-idempotent-replay)$/.test(name)),
  })
  assert.deepEqual(reported(replay), reported(first))
  assert.ok(isReplay(replay))
}

function assertConflict(answer: Answered, message: RegExp): void {
  assert.equal(answer.status, 409, answer.text)
  assert.equal(answer.json.error.code, 'conflict')
  assert.match(answer.json.error.message, message)
  assert.match(answer.json.error.message, /Idempotency-Key/)
}

/** A call whose caller can hang up. */
function leavingCaller(model: string, headers: { 'idempotency-key': string }): Socket {
  const body = JSON.stringify(hello(model))
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  socket.resume()
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${KEY}\r\n` +
      `content-type: application/json\r\nidempotency-key: ${headers['idempotency-key']}\r\n` +
      `content-length: ${body.length}\r\n\r\n${body}`,
  )
  return socket
}

describe('the header Idempotency-Key', () => {
  for (const [title, value] of [
    ['empty', ''],
    ['longer than 255 characters', 'k'.repeat(256)],
    ['with a space', 'two words'],
    ['beyond ASCII', 'schlüssel'],
  ] as const) {
    test(`${title} is refused and named`, async () => {
      const answer = await chat(hello('waits'), { 'idempotency-key': value })
      assert.equal(answer.status, 400)
      assert.equal(answer.json.error.code, 'invalid_request')
      assert.match(answer.json.error.message, /Idempotency-Key/)
      assert.equal(harness.upstream().length, 0)
    })
  }

  test('of 255 characters is taken; the row has it with the hash of the body', async () => {
    const headers = { 'idempotency-key': 'k'.repeat(255) }
    const row = await harness.rowOf(await chat(hello('waits'), headers))
    assert.equal(row['idempotency_key'], headers['idempotency-key'])
    assert.match(String(row['body_hash']), /^[0-9a-f]{64}$/)
  })

  test('left out leaves two calls two calls', async () => {
    const row = await harness.rowOf(await chat(hello('waits')))
    await chat(hello('waits'))
    assert.equal(harness.upstream().length, 2)
    assert.deepEqual([row['idempotency_key'], row['body_hash']], [null, null])
  })
})

describe('after the first call was answered', () => {
  test('the same request gets the same answer: one provider call, one row, one count', async () => {
    const headers = newKey()
    const before = await metric('switchyard_idempotent_replays_total')
    const first = await chat(hello('waits'), headers)
    assert.equal(first.status, 200)
    assert.ok(!isReplay(first))
    for (let repeat = 0; repeat < 3; repeat++) assertSameAnswer(await chat(hello('waits'), headers), first)
    assert.equal(harness.upstream().length, 1)
    assert.equal((await rowsWith(headers)).length, 1)
    assert.equal(await metric('switchyard_idempotent_replays_total'), before + 3)
  })

  test('another body is a conflict, even one that differs by a space; nobody is asked', async () => {
    const headers = newKey()
    const first = await chat(hello('waits'), headers)
    for (const body of [hello('waits', { temperature: 1 }), `${JSON.stringify(hello('waits'))} `]) {
      const answer = await chat(body, headers)
      assertConflict(answer, /a different body/)
      assert.equal(answer.json.error.details.request_id, idOf(first))
    }
    assert.equal(harness.upstream().length, 1)
    assertSameAnswer(await chat(hello('waits'), headers), first)
  })

  test('another gateway key with the same value makes a call of its own', async () => {
    const headers = newKey()
    const first = await chat(hello('waits'), headers)
    const other = { ...headers, authorization: `Bearer ${OTHER_KEY}` }
    const second = await chat(hello('waits'), other)
    assert.ok(!isReplay(second))
    assert.notEqual(idOf(second), idOf(first))
    assertSameAnswer(await chat(hello('waits'), other), second)
    assert.equal(harness.upstream().length, 2)
    assert.equal((await rowsWith(headers)).length, 2)
  })
})

test('a repeated answer uses up no limit; a call that a limit refuses takes no key', async () => {
  const authorization = `Bearer ${NARROW_KEY}`
  const headers = { ...newKey(), authorization }
  const first = await chat(hello('waits'), headers)
  assertSameAnswer(await chat(hello('waits'), headers), first)
  const refused = { ...newKey(), authorization }
  for (const body of [hello('waits'), hello('waits', { temperature: 1 })]) {
    assert.equal((await chat(body, refused)).json.error.code, 'key_rate_limited')
  }
  assert.equal(harness.upstream().length, 1)
})

describe('a call that ended without a charge', () => {
  test('frees its key: the retry is a new call', async () => {
    const headers = newKey()
    simulator.script('gpt-fails', [{ status: 400 }, { status: 500 }])
    const refused = await chat(hello('fails'), headers)
    const failed = await chat(hello('fails'), headers)
    const answered = await chat(hello('fails'), headers)
    assert.deepEqual([refused.status, failed.status, answered.status], [400, 502, 200])
    assert.ok(![refused, failed, answered].some(isReplay))
    assertSameAnswer(await chat(hello('fails'), headers), answered)
    assert.equal(harness.upstream().length, 3)
    assert.deepEqual(
      (await rowsWith(headers)).map((row) => row.status),
      [400, 502, 200],
    )
  })

  test('frees it also when the log has read its beginning and not its end yet', async () => {
    const headers = newKey()
    for (let repeat = 0; repeat < 5; repeat++) {
      simulator.script('gpt-fails', [{ status: 500 }])
      simulator.hold()
      const failing = chat(hello('fails'), headers)
      await until(() => harness.upstream().length === repeat + 1, 'the provider is asked')
      assert.equal((await rowsWith(headers)).at(-1)?.['state'], 'open')
      simulator.release()
      assert.equal((await failing).status, 502)
    }
    assert.equal((await chat(hello('fails'), headers)).status, 200)
  })

  test('takes no key when it is refused before it is sent', async () => {
    const headers = newKey()
    assert.equal((await chat(hello('nowhere'), headers)).status, 404)
    assert.equal((await chat(hello('waits', { stream: true }), headers)).status, 501)
    assert.equal((await chat('{', headers)).status, 400)
    assert.equal((await chat(hello('waits'), headers)).status, 200)
  })

  test('hands its failure to those who joined it', async () => {
    const headers = newKey()
    simulator.script('gpt-fails', [{ status: 500 }])
    simulator.hold()
    const answers = [chat(hello('fails'), headers), chat(hello('fails'), headers)]
    await until(() => harness.upstream().length === 1, 'the provider is asked')
    await areInFlight(2)
    simulator.release()
    const [one, two] = await Promise.all(answers)
    assert.ok(one !== undefined && two !== undefined)
    assert.equal(one.status, 502)
    assert.equal([one, two].filter(isReplay).length, 1)
    assertSameAnswer(...(isReplay(one) ? ([one, two] as const) : ([two, one] as const)))
    assert.equal(harness.upstream().length, 1)
  })
})

describe('while the first call is running', () => {
  test('fifty equal requests are one provider call, one row and fifty equal answers', async () => {
    const headers = newKey()
    simulator.hold()
    const calls = Array.from({ length: 50 }, () => chat(hello('waits'), headers))
    await areInFlight(50)
    await until(() => harness.upstream().length > 0, 'the provider is asked')
    simulator.release()
    const answers = await Promise.all(calls)
    const firsts = answers.filter((answer) => !isReplay(answer))
    assert.equal(firsts.length, 1)
    const [first] = firsts
    assert.ok(first !== undefined)
    assert.equal(first.status, 200)
    for (const answer of answers) if (answer !== first) assertSameAnswer(answer, first)
    assert.equal(harness.upstream().length, 1)
    assert.equal((await rowsWith(headers)).length, 1)
  })

  test('another body is a conflict at once', async () => {
    const headers = newKey()
    simulator.hold()
    const first = chat(hello('waits'), headers)
    await until(() => harness.upstream().length === 1, 'the provider is asked')
    assertConflict(await chat(hello('waits', { temperature: 1 }), headers), /a different body/)
    simulator.release()
    assert.equal((await first).status, 200)
  })
})

describe('callers who leave', () => {
  test('one who joined ends nothing', async () => {
    const headers = newKey()
    simulator.hold()
    const first = chat(hello('waits'), headers)
    await until(() => harness.upstream().length === 1, 'the provider is asked')
    const joined = leavingCaller('waits', headers)
    await areInFlight(2)
    joined.destroy()
    await areInFlight(1)
    simulator.release()
    assert.equal((await first).status, 200)
    assert.equal(harness.upstream().length, 1)
    assert.equal((await rowsWith(headers)).length, 1)
  })

  test('the first one ends nothing while another waits: that one gets the answer', async () => {
    const headers = newKey()
    simulator.hold()
    const first = leavingCaller('waits', headers)
    await until(() => harness.upstream().length === 1, 'the provider is asked')
    const joined = chat(hello('waits'), headers)
    await areInFlight(2)
    first.destroy()
    // The gateway must have had the time to notice; a call on another connection is behind it in the queue.
    await harness.get('/v1/models')
    simulator.release()
    const answer = await joined
    assert.equal(answer.status, 200)
    assert.ok(isReplay(answer))
    assert.equal(harness.upstream().length, 1)
    assert.equal(harness.upstream()[0]?.outcome, 'answered')
    const [row, ...others] = await rowsWith(headers)
    assert.deepEqual([row?.status, others.length], [200, 0])
  })

  test('all of them end the upstream call; the next one is a new call', async () => {
    const headers = newKey()
    simulator.hold()
    const first = leavingCaller('waits', headers)
    await until(() => harness.upstream().length === 1, 'the provider is asked')
    const joined = leavingCaller('waits', headers)
    await areInFlight(2)
    joined.destroy()
    first.destroy()
    await until(() => harness.upstream()[0]?.outcome === 'aborted', 'the upstream call is ended')
    const next = chat(hello('waits'), headers)
    await until(() => harness.upstream().length === 2, 'the provider is asked again')
    simulator.release()
    const answer = await next
    assert.equal(answer.status, 200)
    assert.ok(!isReplay(answer))
    assert.deepEqual(
      (await rowsWith(headers)).map((row) => row.status),
      [499, 200],
    )
  })
})

describe('when the outcome is gone', () => {
  test('after a restart the call is known as charged and not made again', async () => {
    const folder = newFolder()
    try {
      const before = await startHarness({ config: CONFIG, environment: KEYS, folder })
      const headers = newKey()
      const failing = newKey()
      const first = await before.chat(hello('waits'), headers)
      before.simulator.script('gpt-fails', [{ status: 500 }])
      assert.equal((await before.chat(hello('fails'), failing)).status, 502)
      await before.stop()
      const again = await startHarness({ config: CONFIG, environment: KEYS, folder })
      try {
        const answer = await again.chat(hello('waits'), headers)
        assertConflict(answer, /completed and charged/)
        assert.ok(answer.json.error.message.includes(idOf(first)))
        assertConflict(await again.chat(hello('waits', { temperature: 1 }), headers), /a different body/)
        assert.equal(again.upstream().length, 0)
        assert.equal((await again.chat(hello('fails'), failing)).status, 200)
        const other = await again.chat(hello('waits'), { ...headers, authorization: `Bearer ${OTHER_KEY}` })
        assert.equal(other.status, 200)
      } finally {
        await again.stop()
      }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  test('a call that a kill -9 has interrupted may have been charged, and is not made again', async () => {
    const folder = newFolder()
    const providers = await startSimulator()
    const environment = {
      DATA_DIR: join(folder, 'data'),
      GATEWAY_KEY: KEY,
      OPENAI_API_KEY: 'sk-test',
      OPENAI_BASE_URL: providers.openaiUrl,
    }
    const asked = () => providers.calls.filter((call) => call.method === 'POST').length
    const send = (address: string) =>
      fetch(`${address}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', 'idempotency-key': 'killed' },
        body: JSON.stringify(hello('gpt-waits')),
      })
    try {
      providers.hold()
      const killed = startProcess({ environment, folder })
      const broken = assert.rejects(send(await killed.url()))
      await until(() => asked() === 1, 'the provider is asked')
      await killed.stop('SIGKILL')
      await broken
      providers.release()
      const next = startProcess({ environment, folder })
      try {
        const response = await send(await next.url())
        assert.equal(response.status, 409)
        assert.match(JSON.stringify(await response.json()), /Idempotency-Key.*may have been charged/)
        assert.equal(asked(), 1)
      } finally {
        await next.stop()
      }
    } finally {
      await providers.close()
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
