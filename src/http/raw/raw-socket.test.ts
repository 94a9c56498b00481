import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, before, beforeEach, describe, test } from 'node:test'
import { setImmediate as aTurn, setTimeout as sleep } from 'node:timers/promises'
import { GatewayError } from '../../domain/errors.ts'
import type { Call, HttpRoute } from '../call.ts'
import { IncomingCall } from '../node/incoming-call.ts'
import { jsonReply } from '../respond.ts'
import { type Admission, createServer, type Server } from '../server.ts'
import { PlainCall } from './plain-call.ts'
import { fieldText } from './response-text.ts'

let server: Server
let port: number
/** Which way each call came, in order. */
let ways: string[] = []
let release: (() => void) | null = null
let left = 0
let faults = 0
/** Called with the unsent bytes of a flood. */
let flooded: (unsent: number) => void = () => {}
/** How many of the next calls are turned away. */
let turnsAway = 0
/** Calls that wait for their turn, while there is a list of them. */
let waiting: (() => void)[] | null = null

async function answer(call: Call) {
  ways.push(call instanceof PlainCall ? 'raw' : call instanceof IncomingCall ? 'node' : '?')
  if (call.header('x-refuse') !== undefined) return jsonReply(401, { body: 'unread' })
  if (call.header('x-flood') !== undefined) return flood(call)
  if (call.header('x-odd') !== undefined) return jsonReply(200, {}, { 'x-own': 'a\r\nx-evil: 1' })
  const body = Buffer.concat(await call.readBody(1_000_000)).toString()
  if (body === 'wait') {
    const released = new Promise<void>((resolve) => (release = resolve))
    call.presence.onLeave(() => {
      left += 1
      release?.()
    })
    await released
  }
  const asked = { params: { ...call.params }, query: { ...call.query() } }
  return jsonReply(200, { body, type: call.header('content-type') ?? null, ...asked }, { 'x-own': 'yes' })
}

/** Writes until it should wait: how much of that is still in this process. */
function flood(call: Call) {
  const sink = call.openStream({ status: 200, headers: {}, trailers: [] }, '')
  const text = 'x'.repeat(1_000)
  let written = text.length
  while (sink.write(text, text.length)) written += text.length
  flooded(written - sink.taken)
  sink.cut()
  return jsonReply(200, {})
}

const routes: HttpRoute[] = [
  { method: 'POST', path: '/busy', handle: answer, usesRawSocket: true, isSheddable: true },
  { method: 'POST', path: '/busy-too', handle: answer, usesRawSocket: true },
  { method: 'POST', path: '/many/*', handle: answer, usesRawSocket: true },
]

before(async () => {
  const away = new GatewayError('overloaded', undefined, { retryAfterSeconds: 1 })
  const admission: Admission = (decide) => {
    if (waiting !== null) waiting.push(() => decide(null))
    else if (turnsAway-- > 0) queueMicrotask(() => decide(away))
    else decide(null)
  }
  server = createServer({ routes, newRequestId: () => 'id-1', onFault: () => faults++, admission })
  port = Number(new URL(await server.listen({ host: '127.0.0.1', port: 0 })).port)
})
after(() => server.drain())
beforeEach(() => {
  ways = []
  left = 0
  turnsAway = 0
})

function request(body: string, ...fields: string[]): string {
  const lines = ['POST /busy HTTP/1.1', 'Host: gateway', `Content-Length: ${Buffer.byteLength(body)}`, ...fields]
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}

/** Sends pieces one after the other and reads until so many answers have come. */
async function talk(pieces: readonly string[], answers: number): Promise<string[]> {
  const socket = connect(port, '127.0.0.1').setNoDelay()
  await once(socket, 'connect')
  const all = readAnswers(socket, answers)
  for (const piece of pieces) {
    socket.write(piece)
    // The connection is taken in one turn and read in the next: a timer may be due before either, on a busy machine.
    for (let turn = 0; turn < 5; turn++) await aTurn()
  }
  const texts = await all
  socket.destroy()
  return texts
}

async function readAnswers(socket: Socket, count: number): Promise<string[]> {
  let text = ''
  for await (const chunk of socket) {
    text += chunk
    const heads = text.split(/(?=HTTP\/1\.1 \d{3})/)
    const whole = heads.filter((each) => {
      const length = /content-length: (\d+)/i.exec(each)?.[1]
      const start = each.indexOf('\r\n\r\n') + 4
      return length !== undefined && start >= 4 && Buffer.byteLength(each.slice(start)) >= Number(length)
    })
    if (whole.length >= count) return whole
  }
  return text.split(/(?=HTTP\/1\.1 \d{3})/)
}

const bodyOf = (text: string | undefined) =>
  JSON.parse(text?.slice(text.indexOf('\r\n\r\n') + 4) ?? '') as { body: string }

function partsOf(text: string) {
  const [head = '', body = ''] = text.split('\r\n\r\n')
  const [line, ...fields] = head.split('\r\n')
  const names = fields.map((field) => field.toLowerCase().replace(/^date: .*/, 'date:'))
  return { line, fields: names.sort(), body }
}

describe('a plain request is served on the raw socket', () => {
  test('and its answer is the same as by the other way', async () => {
    const [plain = ''] = await talk([request('hello', 'Content-Type: application/json')], 1)
    const [other = ''] = await talk([request('hello', 'Content-Type: application/json', 'Trailer: x')], 1)
    assert.deepEqual(ways, ['raw', 'node'])
    assert.deepEqual(partsOf(plain), partsOf(other))
  })

  test('so do the next ones, the same head or another, also when they come at once', async () => {
    const all = request('one') + request('two') + request('three, longer') + request('two')
    const texts = await talk([all], 4)
    assert.deepEqual(
      texts.map((text) => bodyOf(text).body),
      ['one', 'two', 'three, longer', 'two'],
    )
    assert.deepEqual(ways, ['raw', 'raw', 'raw', 'raw'])
  })

  test('whichever of the busy routes it is for, also on one connection', async () => {
    const other = (body: string) => request(body).replace('/busy ', '/busy-too ')
    const texts = await talk([request('one') + other('two') + other('two') + request('one')], 4)
    assert.deepEqual(
      texts.map((text) => bodyOf(text).body),
      ['one', 'two', 'two', 'one'],
    )
    assert.deepEqual(ways, ['raw', 'raw', 'raw', 'raw'])
  })

  for (const [path, way] of [
    ['/many/a:x', 'raw'],
    ['/many/b/c.d:x?alt=sse', 'raw'],
    ['/many/a:x?alt=', 'raw'],
    ['/many/a%2Fb:x', 'node'],
    ['/many/a:x?alt=sse&key=k', 'node'],
    ['/many/a:x?alt=%73se', 'node'],
    ['/many/a:x?alt', 'node'],
  ] as const) {
    test(`${path} is read ${way === 'raw' ? 'there' : 'by Node'}, and as Node reads it`, async () => {
      const to = (...fields: string[]) => request('one', ...fields).replace('/busy ', `${path} `)
      const [first, second, third] = await talk([to() + to() + to('Trailer: x')], 3)
      assert.deepEqual(ways, [way, way, 'node'])
      assert.deepEqual(bodyOf(first), bodyOf(third))
      assert.deepEqual(bodyOf(second), bodyOf(third))
    })
  }

  test('one connection asks for several of them', async () => {
    const to = (path: string) => request('one').replace('/busy ', `${path} `)
    const texts = await talk([to('/many/a:x') + to('/many/b:x') + request('two') + to('/many/a:x')], 4)
    assert.deepEqual(
      texts.map((text) => (bodyOf(text) as { params?: object }).params),
      [{ '*': 'a:x' }, { '*': 'b:x' }, {}, { '*': 'a:x' }],
    )
    assert.deepEqual(ways, ['raw', 'raw', 'raw', 'raw'])
  })

  test('a body may come after its head, and in pieces', async () => {
    const whole = request('a body in two pieces')
    const cut = whole.length - 12
    const [text] = await talk([whole.slice(0, cut - 8), whole.slice(cut - 8, cut), whole.slice(cut)], 1)
    assert.equal(bodyOf(text).body, 'a body in two pieces')
    assert.deepEqual(ways, ['raw'])
  })

  test('a body may come letter by letter, and the next request right behind it', async () => {
    const texts = await talk([request('0123456789').slice(0, -10), ...'012345678', `9${request('next')}`], 2)
    assert.deepEqual(
      texts.map((text) => bodyOf(text).body),
      ['0123456789', 'next'],
    )
    assert.deepEqual(ways, ['raw', 'raw'])
  })

  test('one that is refused before its body is in does not disturb the next', async () => {
    const whole = request('never read', 'X-Refuse: yes')
    const texts = await talk([whole.slice(0, -5), whole.slice(-5) + request('next')], 2)
    assert.match(texts[0] ?? '', /^HTTP\/1\.1 401 /)
    assert.equal(bodyOf(texts[1]).body, 'next')
    assert.deepEqual(ways, ['raw', 'raw'])
  })

  test('an answer that cannot be written ends its connection, is told, and disturbs nobody else', async () => {
    for (const way of [[], ['Trailer: x']]) {
      faults = 0
      assert.deepEqual(await talk([request('x', 'X-Odd: yes', ...way)], 1), [''])
      assert.equal(faults, 1)
    }
    assert.equal(bodyOf((await talk([request('next')], 1))[0]).body, 'next')
    assert.deepEqual(ways, ['raw', 'node', 'raw'])
  })

  test('whoever hangs up is known to have left', async () => {
    const socket = connect(port, '127.0.0.1')
    socket.write(request('wait'))
    while (release === null) await sleep(1)
    socket.destroy()
    while (left === 0) await sleep(1)
    release = null
    assert.deepEqual(ways, ['raw'])
  })
})

describe('a call that waits for its turn', () => {
  for (const [way, fields] of [
    ['on the raw socket', []],
    ['at Node', ['Trailer: x']],
  ] as const) {
    test(`is served when it comes, and not at all when its caller has left by then, ${way}`, async () => {
      waiting = []
      const stays = talk([request('stays', ...fields)], 1)
      while (waiting.length < 1) await sleep(1)
      const leaves = connect(port, '127.0.0.1').setNoDelay()
      leaves.write(request('leaves', ...fields))
      while (waiting.length < 2) await sleep(1)
      leaves.destroy()
      const turns = waiting
      waiting = null
      // It is known to the server when connections that came later have been answered.
      for (const later of ['one', 'two']) await talk([request(later)], 1)
      for (const begin of turns) begin()
      assert.equal(bodyOf((await stays)[0]).body, 'stays')
      assert.deepEqual(ways, ['raw', 'raw', way === 'on the raw socket' ? 'raw' : 'node'])
    })
  }
})

describe('a call that is turned away', () => {
  test('is not handled, and hears the same as by the other way', async () => {
    turnsAway = 2
    const [plain = ''] = await talk([request('x')], 1)
    const [other = ''] = await talk([request('x', 'Trailer: x')], 1)
    assert.match(plain, /^HTTP\/1\.1 503 .*\r\nretry-after: 1\r\n.*"overloaded"/s)
    assert.deepEqual(partsOf(plain), partsOf(other))
    assert.deepEqual(ways, [])
  })

  test('leaves its connection to the next, whether its body was in or not', async () => {
    const whole = request('never read')
    for (const pieces of [[whole + request('next')], [whole.slice(0, -5), whole.slice(-5) + request('next')]]) {
      turnsAway = 1
      const texts = await talk(pieces, 2)
      assert.match(texts[0] ?? '', /^HTTP\/1\.1 503 /)
      assert.equal(bodyOf(texts[1]).body, 'next')
    }
    assert.deepEqual(ways, ['raw', 'raw'])
  })

  test('may have thousands of others right behind it', async () => {
    const many = 4_000
    const socket = connect(port, '127.0.0.1')
    const all = readAnswers(socket, many + 2)
    socket.write(request('wait'))
    while (release === null) await sleep(1)
    turnsAway = many
    socket.write(request('').repeat(many) + request('last'))
    // All of it is to lie there when the first is answered.
    await sleep(50)
    release()
    release = null
    const texts = await all
    socket.destroy()
    assert.equal(texts.filter((text) => text.startsWith('HTTP/1.1 503 ')).length, many)
    assert.equal(bodyOf(texts.at(-1)).body, 'last')
  })
})

const PLAIN = request('x')
const LEFT_TO_NODE: Record<string, { sent: string[]; status: number; answers?: number }> = {
  'another path': { sent: [PLAIN.replace('/busy', '/other')], status: 404 },
  'a query': { sent: [PLAIN.replace('/busy', '/busy?x=1')], status: 200 },
  'another method': { sent: [PLAIN.replace('POST', 'PUT')], status: 405 },
  'an old version': { sent: [PLAIN.replace('HTTP/1.1', 'HTTP/1.0')], status: 200 },
  'a head in pieces': { sent: [PLAIN.slice(0, 30), PLAIN.slice(30)], status: 200 },
  'a body without a length': {
    sent: ['POST /busy HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n'],
    status: 200,
  },
  'a length and a transfer coding': { sent: [request('x', 'Transfer-Encoding: chunked')], status: 400 },
  'two lengths': { sent: [request('x', 'Content-Length: 2')], status: 400 },
  'a length that is no number': { sent: [PLAIN.replace('Length: 1', 'Length: +1')], status: 400 },
  'no host': { sent: [PLAIN.replace('Host: gateway\r\n', '')], status: 400 },
  'a folded field': { sent: [request('x', 'X-Long: a\r\n b')], status: 400 },
  'a head beyond 16 KiB': { sent: [request('x', `X-Long: ${'y'.repeat(17_000)}`)], status: 400 },
  'a connection that a proxy wants closed': { sent: [request('x', 'Proxy-Connection: close')], status: 200 },
  'a blank before the colon': { sent: [request('x', 'X-Odd : a')], status: 400 },
  'a line end of one letter': { sent: [PLAIN.replaceAll('\r\n', '\n')], status: 400 },
  'a connection to be closed': { sent: [request('x', 'Connection: close')], status: 200 },
}

describe('anything else is left to Node, with every byte', () => {
  for (const [title, { sent, status }] of Object.entries(LEFT_TO_NODE)) {
    test(title, async () => {
      const [text = ''] = await talk(sent, 1)
      assert.match(text, new RegExp(`^HTTP/1\\.1 ${status} `))
      assert.ok(!ways.includes('raw'), 'it was served on the raw socket')
    })
  }

  test('also after plain ones on the same connection, and for good', async () => {
    const texts = await talk([request('one') + request('two', 'Trailer: x') + request('three')], 3)
    assert.deepEqual(
      texts.map((text) => bodyOf(text).body),
      ['one', 'two', 'three'],
    )
    assert.deepEqual(ways, ['raw', 'node', 'node'])
  })
})

test('a value that would begin a field of its own is not sent', () => {
  for (const value of ['a\r\nx-evil: 1', 'a\nb', 'a\u0000', '\u{1f600}']) {
    assert.throws(() => fieldText({ 'x-own': value }), /x-own/)
  }
})

for (const way of ['raw', 'node'])
  test(`little waits in the process for a caller who does not read: ${way}`, async () => {
    const waits = new Promise<number>((resolve) => (flooded = resolve))
    const socket = connect(port, '127.0.0.1').pause()
    socket.write(request('', 'x-flood: 1', ...(way === 'node' ? ['Connection: close'] : [])))
    const unsent = await waits
    socket.destroy()
    assert.deepEqual(ways, [way])
    assert.ok(unsent <= 32 * 1024, `${unsent} bytes`)
  })
