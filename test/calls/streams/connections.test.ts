import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent } from 'node:http'
import { type AddressInfo, connect, createServer } from 'node:net'
import { pipeline } from 'node:stream'
import { after, describe, test } from 'node:test'
import { hello, KEY, until } from '../../harness.ts'
import { cutOf, FAMILIES, saidIn, startWorld, type World } from './world.ts'

const world: World = await startWorld()
after(() => world.stop())
const { hostname, port } = new URL(world.url)

const requestOf = (model: string, version = '1.1', more = '') => {
  const body = JSON.stringify(hello(model, { stream: true }))
  return (
    `POST /v1/chat/completions HTTP/${version}\r\nhost: x\r\nauthorization: Bearer ${KEY}\r\n` +
    `content-type: application/json\r\ncontent-length: ${body.length}\r\n${more}\r\n${body}`
  )
}

/** What comes back on one connection until it is closed or the condition holds. */
async function conversation(text: string, isOver: (answer: string) => boolean): Promise<string> {
  const socket = connect(Number(port), hostname)
  let answer = ''
  let isClosed = false
  socket.setEncoding('utf8').on('data', (piece: string) => {
    answer += piece
  })
  socket.on('close', () => {
    isClosed = true
  })
  socket.write(text)
  await until(() => isClosed || isOver(answer), 'the answer is complete')
  socket.destroy()
  return answer
}

const ends = (answer: string) => answer.split('\r\n0\r\n').length - 1

describe('connections to callers', () => {
  for (const [way, more] of [
    ['raw sockets', ''],
    ['node:http', 'trailer: x-nothing\r\n'],
  ] as const)
    test(`${way}: a stream, its trailers, and two more requests behind it on one connection`, async () => {
      const { route, first } = world.pair('openai')
      world.simulator.script(
        first,
        [1, 2, 3].map((number) => ({ tweak: { text: `answer ${number}` } })),
      )
      const one = requestOf(route, '1.1', more)
      const answer = await conversation(one + one + one, (text) => ends(text) === 3)
      const bodies = answer.split('HTTP/1.1 200 OK').slice(1)
      assert.equal(bodies.length, 3)
      for (const [index, body] of bodies.entries()) {
        assert.match(body, new RegExp(`"content":"answer"[^]*"content":" ${index + 1}"|answer ${index + 1}`))
        assert.match(
          body,
          /data: \[DONE\]\n\n\r\n0\r\nx-gateway-cost-usd: 0\.\d{6}\r\nx-gateway-latency-ms: \d+\r\n\r\n/i,
        )
        assert.match(body, /trailer: x-gateway-cost-usd, x-gateway-latency-ms/i)
        assert.match(body, /cache-control: no-cache, no-transform/i)
        assert.match(body, /x-accel-buffering: no/i)
        assert.doesNotMatch(body, /content-length/i)
      }
    })

  test('HTTP/1.0: without chunks and trailers, the end is the end of the connection', async () => {
    const { route } = world.pair('openai')
    const answer = await conversation(requestOf(route, '1.0'), () => false)
    assert.match(answer, /^HTTP\/1\.[01] 200 OK/)
    assert.doesNotMatch(answer, /transfer-encoding|\ntrailer/i)
    assert.match(answer, /data: \[DONE\]\n\n$/)
  })

  test('a connection is used again after a stream, also after one that was cut upstream', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const { route, first } = world.pair('openai')
    world.simulator.script(first, [undefined, { stream: { steps: [{ play: 'first' }, 'cut'] } }])
    const ports = new Set<number | undefined>()
    for (const isCut of [false, true, false]) {
      const caller = world.ask({ model: route }, { agent })
      ports.add((await caller.answered).socket.localPort)
      assert.equal(await caller.ended, true)
      if (isCut) cutOf(caller)
      else assert.equal(caller.isDone(), true)
    }
    assert.equal(ports.size, 1)
    agent.destroy()
  })
})

test('a connection to a provider is used again after a finished stream, not after one that was left', async () => {
  const target = new URL(world.simulator.openaiUrl)
  let connections = 0
  const counter = createServer((socket) => {
    connections += 1
    const onward = connect(Number(target.port), target.hostname)
    for (const end of [socket, onward]) end.on('error', () => undefined)
    pipeline([socket, onward, socket], () => undefined)
  })
  await once(counter.listen(0, '127.0.0.1'), 'listening')
  const { port: counted } = counter.address() as AddressInfo
  const behind = await startWorld({ environment: { OPENAI_BASE_URL: `http://127.0.0.1:${counted}/v1` } })
  const { route, first } = behind.pair('openai')
  const finished = async () => {
    const caller = behind.ask({ model: route })
    await caller.ended
    assert.equal(caller.isDone(), true)
  }
  await finished()
  const before = connections
  await finished()
  await finished()
  assert.equal(connections, before)
  world.simulator.script(first, [{ stream: { steps: [{ play: 'first' }, 'stall'] } }])
  const leaver = behind.ask({ model: route })
  await until(() => leaver.said() !== '', 'content is out')
  leaver.leave()
  await until(() => world.callOf(first).outcome === 'aborted', 'the call upstream is ended')
  await finished()
  assert.equal(connections, before + 1)
  await behind.stop()
  counter.close()
})

/** Every oddity of framing gives the caller the same frames. */
describe('framing', () => {
  const FRAMINGS = [
    {},
    { pieces: 1 },
    { pieces: 7 },
    { pieces: 'whole' },
    { newline: '\r\n' },
    { newline: '\r', pieces: 3 },
    { isTight: true },
  ] as const
  /** Not the same in two calls. */
  const CHANCE = new Set(['id', 'created', 'x_gateway', 'obfuscation'])
  const TWEAKS = [
    { text: 'Grüße, 世界 🎉 and “quotes”' },
    { text: '' },
    { toolCalls: 2 },
    { thinking: 'hm, 世界' },
    { refusal: true },
  ] as const
  const tools = ['a', 'b'].map((name) => ({
    type: 'function',
    function: { name, parameters: { type: 'object', properties: { city: { type: 'string' } } } },
  }))
  for (const family of FAMILIES)
    test(`${family}: byte by byte and in one piece are the same to the caller`, async () => {
      const { route, first } = world.pair(family)
      for (const tweak of TWEAKS) {
        const seen: string[] = []
        for (const framing of FRAMINGS) {
          world.simulator.script(first, [{ tweak: tweak as never, stream: framing }])
          const caller = world.ask({ model: route, stream_options: { include_usage: true }, tools })
          assert.equal(await caller.ended, true)
          assert.equal(caller.isDone(), true, caller.text())
          seen.push(JSON.stringify(caller.chunks(), (name, value) => (CHANCE.has(name) ? undefined : value)))
          if ('text' in tweak) assert.equal(saidIn(caller.chunks()), tweak.text)
        }
        assert.equal(new Set(seen).size, 1)
      }
    })
})
