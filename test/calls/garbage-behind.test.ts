import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, beforeEach, describe, test } from 'node:test'
import { type Harness, hello, KEY, startHarness, until } from '../harness.ts'

const harness: Harness = await startHarness()
const { simulator, url } = harness
const { hostname, port } = new URL(url)
beforeEach(() => simulator.reset())
after(() => harness.stop())

const head = (...fields: string[]) =>
  ['POST /v1/chat/completions HTTP/1.1', 'host: x', `authorization: Bearer ${KEY}`, ...fields, '', ''].join('\r\n')

const BODY = JSON.stringify(hello('gpt-sim-echo'))
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
const CHUNKED = `${head('transfer-encoding: chunked')}${chunk(BODY)}0\r\n\r\n`
const PLAIN = `${head(`content-length: ${BODY.length}`)}${BODY}`
const LEFT_TO_NODE = `${head(`content-length: ${BODY.length}`, 'trailer: x')}${BODY}`

/** Everything that comes back until the gateway closes the connection. */
function talk(pieces: readonly string[], between?: (received: () => string) => Promise<void>): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    let text = ''
    socket.on('data', (bytes) => (text += bytes)).on('error', reject)
    socket.on('close', () => resolve(text))
    void (async () => {
      for (const [index, piece] of pieces.entries()) {
        if (index > 0) await between?.(() => text)
        socket.write(piece)
      }
    })()
  })
}

const statuses = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]))
const idOf = (text: string) => /x-gateway-request-id: (\S+)/.exec(text)?.[1]

async function assertServedOnce(text: string): Promise<void> {
  assert.deepEqual(statuses(text), [200], text)
  assert.equal(harness.upstream().length, 1)
  assert.equal(harness.upstream()[0]?.outcome, 'answered')
  const row = (await harness.rows()).find(({ id }) => id === idOf(text))
  assert.deepEqual([row?.status, row?.code], [200, null])
}

describe('garbage behind a complete request', () => {
  for (const [way, request] of Object.entries({ chunked: CHUNKED, plain: PLAIN, 'with a length': LEFT_TO_NODE })) {
    test(`that is ${way}, in one packet: one answer, then the end, and the row says so`, async () => {
      await assertServedOnce(await talk([`${request}\x00garbage\r\n\r\n`]))
    })

    test(`that is ${way}, while the provider works: one answer, then the end, and the row says so`, async () => {
      simulator.hold()
      let sent = 0
      const text = await talk([request, 'no HTTP\r\n\r\n', 'and more of it\r\n\r\n', ''], async () => {
        await until(() => harness.upstream().length === 1, 'the provider is asked')
        sent += 1
        if (sent < 3) return
        // Read by now: the same thread has answered a later request.
        await harness.get('/healthz')
        simulator.release()
      })
      await assertServedOnce(text)
    })
  }

  test('two requests before it: both are answered', async () => {
    const text = await talk([`${CHUNKED}${CHUNKED}garbage\r\n\r\n`])
    assert.deepEqual(statuses(text), [200, 200], text)
    const rows = (await harness.rows()).slice(-2)
    assert.deepEqual(
      rows.map(({ status, code }) => [status, code]),
      [
        [200, null],
        [200, null],
      ],
    )
  })

  test('a connection on which nothing runs any more hears that it is garbage', async () => {
    const text = await talk([CHUNKED, 'garbage\r\n\r\n'], (received) =>
      until(() => received().includes('chat.completion'), 'the answer has come'),
    )
    assert.deepEqual(statuses(text), [200, 400], text)
  })
})

describe('a request that turns into garbage', () => {
  test('before all of its body is in is 400, in the row too, and no provider is asked', async () => {
    const text = await talk([`${head('transfer-encoding: chunked')}${chunk(BODY.slice(0, 20))}zz\r\n`])
    assert.deepEqual(statuses(text), [400], text)
    assert.match(text, /"code":"invalid_request"/)
    assert.equal(harness.upstream().length, 0)
    const row = (await harness.rows()).find(({ id }) => id === idOf(text))
    assert.deepEqual([row?.status, row?.code], [400, 'invalid_request'])
  })

  test('in a body that was refused unread does not undo the refusal', async () => {
    const refused = head('transfer-encoding: chunked').replace(KEY, 'gw_live_wrong')
    const text = await talk([`${refused}${chunk('x')}zz\r\n`])
    assert.equal(statuses(text)[0], 401, text)
  })
})
