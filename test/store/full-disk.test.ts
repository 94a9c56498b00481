import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type Answered, type Harness, hello, KEY, startHarness, until } from '../harness.ts'
import { mountSmallDisk, type SmallDisk } from './small-disk.ts'

const disk = mountSmallDisk(32)
if (disk === null && process.env['CI']) throw new Error('a full disk is not tested: mounting a tmpfs is not permitted')
const skip = disk === null ? 'left out: mounting a tmpfs is not permitted here' : false

/** What comes back before a byte of the body was sent. */
async function answerToHead(url: string): Promise<string> {
  const { port, hostname } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${KEY}\r\n` +
      'content-type: application/json\r\ncontent-length: 100\r\n\r\n',
  )
  const [answer] = await once(socket, 'data')
  socket.destroy()
  return String(answer)
}

describe('a disk that fills up while calls run', { skip }, () => {
  const { folder, fill, empty } = disk as SmallDisk
  let harness: Harness
  before(async () => {
    harness = await startHarness({ folder })
  })
  after(async () => {
    try {
      await harness?.stop()
    } finally {
      disk?.unmount()
    }
  })
  const reserve = join(folder, 'data/spool/reserve')
  const hasReserve = () => readdirSync(join(folder, 'data/spool')).includes('reserve')
  const readiness = () => harness.get('/readyz')
  const metric = async (name: string) =>
    Number(new RegExp(`^switchyard_${name} (\\d+)`, 'm').exec((await harness.get('/metrics')).text)?.[1])

  /** Calls until one is turned away; the last block of a file may have room for some. The others are in flight then. */
  async function callUntilRefused(): Promise<{ running: Promise<Answered>[]; refused: Answered }> {
    const running: Promise<Answered>[] = []
    for (;;) {
      const seen = harness.upstream().length
      const call = harness.chat(hello('gpt-4o-mini'))
      let isAnswered = false
      const note = () => {
        isAnswered = true
      }
      call.then(note, note)
      await until(() => isAnswered || harness.upstream().length > seen, 'it is under way or refused')
      if (harness.upstream().length === seen) return { running, refused: await call }
      running.push(call)
    }
  }

  async function fillWhileCallsRun() {
    await until(hasReserve, 'room is set aside')
    harness.simulator.hold()
    const seen = harness.upstream().length
    const first = Array.from({ length: 5 }, () => harness.chat(hello('gpt-4o-mini')))
    await until(() => harness.upstream().length === seen + 5, 'five calls are under way')
    fill()
    return first
  }

  function assertLogFull(answer: Answered): void {
    assert.deepEqual([answer.status, answer.json.error.code], [503, 'log_full'])
    assert.match(answer.json.error.message, /disk/)
    assert.equal(answer.headers.get('retry-after'), '5')
  }

  async function assertAllLogged(answers: Answered[]): Promise<void> {
    const rows = new Map((await harness.rows()).map((row) => [row.id, row]))
    for (const { status, headers } of answers) {
      assert.equal(status, 200)
      const row = rows.get(headers.get('x-gateway-request-id') ?? '')
      assert.deepEqual([row?.status, row?.['state']], [200, 'closed'])
    }
    assert.deepEqual(
      [...rows.values()].filter((row) => row['state'] === 'open'),
      [],
    )
    assert.equal(harness.upstream().length, rows.size, 'no provider was called without a row')
  }

  test('refuses new calls before a provider is called, lets those that run end, and goes on by itself', async () => {
    assert.equal((await harness.chat(hello('gpt-4o-mini'))).status, 200)
    const first = await fillWhileCallsRun()
    const { running, refused } = await callUntilRefused()
    assertLogFull(refused)
    const called = harness.upstream().length
    const ready = await readiness()
    assert.deepEqual([ready.status, ready.json.status], [503, 'log_full'])
    assert.match(ready.json.log.last_error, /ENOSPC/)
    assert.equal(await metric('log_writable'), 0)

    // It is known by now: not even the body is waited for.
    assert.match(await answerToHead(harness.url), /^HTTP\/1\.1 503 /)
    for (let count = 0; count < 20; count++) assertLogFull(await harness.chat(hello('gpt-4o-mini')))
    assert.equal(harness.upstream().length, called)

    harness.simulator.release()
    const answered = await Promise.all([...first, ...running])
    assert.deepEqual(
      answered.map(({ status }) => status),
      answered.map(() => 200),
    )
    assert.equal((await readiness()).status, 503)
    assert.equal((await harness.get('/healthz')).status, 200)

    empty()
    await until(async () => (await readiness()).status === 200, 'there is room again')
    answered.push(await harness.chat(hello('gpt-4o-mini')))
    await assertAllLogged(answered)
    assert.equal(await metric('log_writable'), 1)
    assert.ok((await metric('log_full_refusals_total')) >= 22)
  })

  test('an end for which nothing was set aside waits for room, and so does its caller', async () => {
    const first = await fillWhileCallsRun()
    rmSync(reserve)
    // What the reserve took is free now, and goes as well.
    fill()
    const { running, refused } = await callUntilRefused()
    assertLogFull(refused)
    harness.simulator.release()
    const ends = Promise.all([...first, ...running])
    for (let count = 0; count < 5; count++) assertLogFull(await harness.chat(hello('gpt-4o-mini')))
    empty()
    const answered = await ends
    await until(async () => (await readiness()).status === 200, 'there is room again')
    await assertAllLogged(answered)
  })

  test('the next start reads what was written to the reserve', async () => {
    const first = await fillWhileCallsRun()
    const { running } = await callUntilRefused()
    harness.simulator.release()
    const answered = await Promise.all([...first, ...running])
    const called = harness.upstream().length
    await harness.stop()
    empty()
    harness = await startHarness({ folder })
    const rows = new Map((await harness.rows()).map((row) => [row.id, row]))
    for (const { headers } of answered) assert.equal(rows.get(headers.get('x-gateway-request-id') ?? '')?.status, 200)
    assert.ok(called > 0)
    assert.deepEqual(
      readdirSync(join(folder, 'data/spool')).filter((name) => name.endsWith('.damaged')),
      [],
    )
    assert.equal((await harness.chat(hello('gpt-4o-mini'))).status, 200)
  })
})
