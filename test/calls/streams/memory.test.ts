import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { familyNamed } from '../../../src/bodies/destination.ts'
import { Delivery } from '../../../src/calls/stream/delivery.ts'
import { LiveStream } from '../../../src/calls/stream/live-stream.ts'
import type { ChatRequest } from '../../../src/domain/request/chat.ts'
import { chatCompletions } from '../../../src/endpoints/chat-completions/chat-completions.ts'
import type { Sink } from '../../../src/http/call.ts'
import { ServerSentEvents } from '../../../src/upstream/server-sent-events.ts'
import type { UpstreamAnswer } from '../../../src/upstream/streamed-response.ts'
import { bodyOf, STAMP } from './translate-stream.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')
const EVENTS = 40_000
/** What is compiled with the first events is not counted. */
const COUNTED_FROM = EVENTS / 4
/** Bytes of the smallest object: already so little would be kept of an event. */
const LEAST_KEPT = 16
const WORDS = 'word '.repeat(100)
const LONG = 1e6
const HEAD = { status: 200, headers: {}, trailers: [] }

/** The first event of a stream, and one that may come any number of times. */
const EVENTS_OF = {
  openai: [
    { choices: [{ index: 0, delta: { role: 'assistant', content: 'a' }, finish_reason: null }] },
    { id: 'x', created: 1, model: 'm', choices: [{ index: 0, delta: { content: WORDS }, finish_reason: null }] },
  ],
  anthropic: [
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'a' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: WORDS } },
  ],
} as const

function endless(first: Buffer, then: Buffer): UpstreamAnswer {
  let bytes = first
  const nothing = () => undefined
  const head = { kind: 'answer', status: 200, headers: new Map<string, string>(), isFullyWritten: true } as const
  const next: UpstreamAnswer['next'] = async () => {
    const piece = { kind: 'piece', bytes } as const
    bytes = then
    return piece
  }
  return { ...head, next, limitSilence: nothing, abort: nothing }
}

for (const family of ['openai', 'anthropic'] as const)
  test(`peer bug 29, litellm#6404: a stream of ${family} keeps nothing of the events that it has sent`, async () => {
    const request = { model: 'fast', messages: [], stream: true } as unknown as ChatRequest
    const reader = familyNamed(family).translators.chat?.stream?.open(request)
    const writer = chatCompletions.stream?.open(request, STAMP)
    assert.ok(reader !== undefined && writer !== undefined)
    const sink: Sink = { write: () => true, drained: async () => undefined, taken: 0, cut: () => undefined }
    const presence = { left: false, onLeave: () => () => undefined }
    const timers = { holdHeadersMs: null, keepAliveMs: LONG, slowReaderMs: LONG }
    const options = { ...timers, earlyHead: () => HEAD, keepAlive: '', isKept: false, records: [] }
    const delivery = new Delivery({ openStream: () => sink, presence }, options)
    const [first, then] = EVENTS_OF[family]
    const stream = new LiveStream(endless(bodyOf(first), bodyOf(then)), reader)
    await stream.untilContent(LONG)
    let parts = stream.start({ idleMs: LONG, payloadIdleMs: LONG, totalMs: LONG })
    let before = 0
    for (let event = 0; event < EVENTS; event++) {
      for (const part of parts) delivery.send(writer.write(part), () => HEAD)
      const read = await stream.next()
      assert.ok(read.kind === 'parts')
      parts = read.parts
      if (event !== COUNTED_FROM) continue
      collectGarbage()
      before = process.memoryUsage().heapUsed
    }
    collectGarbage()
    const grown = process.memoryUsage().heapUsed - before
    stream.close()
    delivery.close()
    assert.ok(delivery.bytes > EVENTS * WORDS.length, 'all of it was sent')
    assert.ok(grown < (EVENTS - COUNTED_FROM) * LEAST_KEPT, `${grown} bytes are kept`)
  })

test('a stream keeps the unfinished line of a piece, not the piece', () => {
  const event = `data: ${JSON.stringify({ text: WORDS })}\n\n`
  const piece = Buffer.from(`${event.repeat(30)}data: {"text":"unfinished`)
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  const readers = Array.from({ length: 1_000 }, () => {
    const reader = new ServerSentEvents()
    reader.read(piece)
    return reader
  })
  collectGarbage()
  const each = (process.memoryUsage().heapUsed - before) / readers.length
  assert.ok(each < piece.length / 4, `${each} bytes`)
})
