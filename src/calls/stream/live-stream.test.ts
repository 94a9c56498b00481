import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { frameOf } from '../../../simulator/bedrock/frames.ts'
import { familyNamed } from '../../bodies/destination.ts'
import type { CallRequest } from '../../domain/request/call-request.ts'
import { SERVER_SENT_EVENTS } from '../../upstream/event-framing.ts'
import type { UpstreamAnswer } from '../../upstream/streamed-response.ts'
import { LiveStream, MOST_HELD } from './live-stream.ts'

const LONG = 1e6
const TIMERS = { idleMs: LONG, payloadIdleMs: LONG, totalMs: LONG }
const REQUEST = { model: 'm', messages: [], stream: true } as unknown as CallRequest

/** The first pieces, then the last one over and over, three times as often as it may come; `read` counts them. */
function pieces(first: readonly Uint8Array[], then: Uint8Array, times = 3 * MOST_HELD.events) {
  const seen = { read: 0 }
  const next: UpstreamAnswer['next'] = async () => {
    const bytes = first[seen.read] ?? then
    seen.read += 1
    return seen.read > times ? { kind: 'end' } : { kind: 'piece', bytes: Buffer.from(bytes) }
  }
  const head = { kind: 'answer', status: 200, headers: new Map<string, string>(), isFullyWritten: true } as const
  const answer: UpstreamAnswer = { ...head, next, limitSilence: () => {}, abort: () => {} }
  return { seen, answer }
}

const event = (data: object) => Buffer.from(`data: ${JSON.stringify(data)}\n\n`)
const chunk = (delta: object, reason: string | null = null) =>
  event({ id: 'x', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: reason }] })
const emptyText = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: '' } }
const inProgress = { type: 'response.in_progress', response: { id: 'r', status: 'in_progress', output: [] } }
const noText = { candidates: [{ content: { role: 'model', parts: [{ text: '' }] } }] }

const opened = (family: string, operation: 'chat' | 'messages' | 'responses', answer: UpstreamAnswer) => {
  const stream = familyNamed(family).translators[operation]?.stream
  assert.ok(stream !== undefined)
  return new LiveStream(answer, stream.open(REQUEST as never), [], stream.framing ?? SERVER_SENT_EVENTS)
}

describe('events without content are read up to a bound', () => {
  for (const [family, operation, bytes] of [
    ['openai', 'chat', chunk({ content: '' })],
    ['openai', 'responses', event(inProgress)],
    ['anthropic', 'chat', event(emptyText)],
    ['anthropic', 'messages', event(emptyText)],
    ['gemini', 'chat', event(noText)],
    ['vertex', 'chat', event(noText)],
    ['bedrock', 'chat', frameOf({ event: 'contentBlockDelta', data: { contentBlockIndex: 0, delta: { text: '' } } })],
  ] as const) {
    test(`${family} ${operation}`, async () => {
      const { seen, answer } = pieces([], bytes)
      const read = await opened(family, operation, answer).untilContent(LONG)
      assert.ok(read.kind === 'parts')
      const last = read.parts.at(-1)
      assert.ok(last?.type === 'failed')
      assert.deepEqual([last.failure.code, last.failure.next], ['upstream_error', 'any'])
      assert.equal(seen.read, MOST_HELD.events + 1)
      assert.ok(read.parts.length <= MOST_HELD.events + 2)
    })
  }

  test('and so are their bytes, whether they are events or not', async () => {
    const comment = Buffer.from(`: ${'x'.repeat(65_000)}\n\n`)
    const { seen, answer } = pieces([], comment)
    const read = await opened('openai', 'chat', answer).untilContent(LONG)
    assert.equal(read.kind === 'parts' && read.parts.at(-1)?.type, 'failed')
    assert.equal(seen.read, Math.floor(MOST_HELD.bytes / comment.length) + 1)
  })
})

test('as many as are allowed before the first content do no harm', async () => {
  const empty = Array.from({ length: MOST_HELD.events - 1 }, () => chunk({ content: '' }))
  const { answer } = pieces(empty, chunk({ content: 'a' }), Number.POSITIVE_INFINITY)
  const stream = opened('openai', 'chat', answer)
  const read = await stream.untilContent(LONG)
  assert.equal(read.kind === 'parts' && read.parts.at(-1)?.type, 'chunk')
  assert.equal(stream.received.bytes, 1)
})

test('what is kept for the end is bounded too, and the answer is whole', async (t) => {
  const { seen, answer } = pieces([chunk({ content: 'a' }), chunk({}, 'stop')], chunk({ content: '' }))
  const stream = opened('openai', 'chat', answer)
  t.after(() => stream.close())
  await stream.untilContent(LONG)
  let parts = stream.start(TIMERS)
  while (parts.every(({ type }) => type === 'chunk')) {
    const read = await stream.next()
    assert.ok(read.kind === 'parts')
    parts = read.parts
  }
  assert.equal(parts.at(-1)?.type, 'message-end')
  assert.ok(seen.read < MOST_HELD.events + 5, String(seen.read))
})

test('empty events between content are not kept, and not bounded', async (t) => {
  const { seen, answer } = pieces([chunk({ content: 'a' })], chunk({ content: '' }))
  const stream = opened('openai', 'chat', answer)
  t.after(() => stream.close())
  await stream.untilContent(LONG)
  stream.start(TIMERS)
  while (seen.read < 2 * MOST_HELD.events) {
    const read = await stream.next()
    assert.equal(read.kind === 'parts' && read.parts[0]?.type, 'chunk')
  }
})

test('what came before the first content is given out once, and not kept', () => {
  const reader = familyNamed('openai').translators.chat?.stream?.open(REQUEST as never)
  assert.ok(reader !== undefined)
  const first = [{ type: 'text-delta', text: 'a' }] as const
  const stream = new LiveStream(null, reader, [...first])
  assert.deepEqual(stream.start(TIMERS), first)
  assert.deepEqual(stream.start(TIMERS), [])
})
