import { failure } from '../../domain/failure.ts'
import { contentBytes, type ServerSentEvent, type StreamPart, type StreamReader } from '../../domain/request/stream.ts'
import type { StreamSettings } from '../../domain/stream-settings.ts'
import { worded } from '../../domain/wording/worded.ts'
import { type FrameReader, type Framing, SERVER_SENT_EVENTS } from '../../upstream/event-framing.ts'
import type { Stoppage } from '../../upstream/exchange.ts'
import type { BodyPart, UpstreamAnswer } from '../../upstream/streamed-response.ts'
import { failureOfBreakdown } from '../breakdown.ts'
import { TURNS } from './turns.ts'

/** What was read from a stream: parts, the last of which may end it, or that its caller has left. */
export type Read = { kind: 'parts'; parts: StreamPart[] } | { kind: 'caller-left' }

/** How long to wait for the end of a body after the answer's end, so that its connection can be reused. */
const REST_MS = 1_000

/**
 * Events and bytes before the first content, which are kept until the call is committed, and chunks that are kept for the
 * end. Some servers send an empty delta for each token of hidden reasoning.
 */
export const MOST_HELD = { events: 10_000, bytes: 8 << 20 }

/** A provider's stream while it is read: bytes become events, events become parts. */
export class LiveStream {
  readonly reader: StreamReader
  /** Generated content so far, for an estimate. */
  readonly received = { deltas: 0, bytes: 0 }
  readonly #held = { events: 0, bytes: 0 }
  /** Read before the stream was served. */
  #first: StreamPart[] = []
  readonly #answer: UpstreamAnswer | null
  readonly #events: FrameReader
  readonly #mostHeld: number
  #isReading = false
  #hasEnded = false
  #payloadIdle: NodeJS.Timeout | undefined
  #total: NodeJS.Timeout | undefined

  /** `answer`: null for an answer that came whole. */
  constructor(
    answer: UpstreamAnswer | null,
    reader: StreamReader,
    first: StreamPart[] = [],
    framing: Framing = SERVER_SENT_EVENTS,
  ) {
    this.#answer = answer
    this.#events = framing.open()
    this.#mostHeld = framing.mostHeld ?? MOST_HELD.bytes
    this.reader = reader
    this.#first = first
    this.#count(first)
  }

  /** As the provider says. */
  get contentType(): string {
    return this.#answer?.headers.get('content-type') ?? ''
  }

  /** Reads until the first content or the end. Events without content do not extend the time. */
  async untilContent(timeoutMs: number): Promise<Read> {
    const deadline = setTimeout(() => this.#answer?.abort({ kind: 'timeout', phase: 'first-content' }), timeoutMs)
    try {
      for (;;) {
        const read = await this.#read()
        if (read.kind === 'caller-left') return read
        this.#first.push(...read.parts)
        const last = this.#first.at(-1)
        if (this.received.bytes > 0 || (last !== undefined && isEnd(last))) return { kind: 'parts', parts: this.#first }
      }
    } finally {
      clearTimeout(deadline)
    }
  }

  /** The parts that were read until the first content. From here on the timers of a running stream count. */
  start(timers: Pick<StreamSettings, 'idleMs' | 'payloadIdleMs' | 'totalMs'>): StreamPart[] {
    const answer = this.#answer
    if (answer !== null && !this.#hasEnded) {
      answer.limitSilence(timers.idleMs)
      this.#payloadIdle = setTimeout(() => {
        // Time without a read of ours is not the provider's fault.
        if (this.#isReading) answer.abort({ kind: 'timeout', phase: 'payload' })
      }, timers.payloadIdleMs)
      this.#total = setTimeout(() => answer.abort({ kind: 'timeout', phase: 'total' }), timers.totalMs)
    }
    const first = this.#first
    // A parsed part takes a multiple of its bytes: none is kept while the stream runs.
    this.#first = []
    return first
  }

  /** At least one part. */
  async next(): Promise<Read> {
    this.#payloadIdle?.refresh()
    this.#isReading = true
    for (;;) {
      // As `#read`, without its own frame: this happens for every event.
      const part = this.#answer === null ? END : await this.#answer.next()
      const turn = part.kind === 'piece' ? TURNS.wait(part.bytes.length) : null
      if (turn !== null) await turn
      const read = this.#take(part)
      if (read.kind === 'parts' && read.parts.length === 0) continue
      this.#isReading = false
      return read
    }
  }

  /** What the provider would still send is not read. */
  close(): void {
    clearTimeout(this.#payloadIdle)
    clearTimeout(this.#total)
    if (!this.#hasEnded) this.#answer?.abort({ kind: 'caller-left' })
    this.#hasEnded = true
  }

  async #read(): Promise<Read> {
    const part = this.#answer === null ? END : await this.#answer.next()
    const turn = part.kind === 'piece' ? TURNS.wait(part.bytes.length) : null
    if (turn !== null) await turn
    return this.#take(part)
  }

  #take(part: BodyPart): Read {
    switch (part.kind) {
      case 'piece': {
        const events = this.#events.read(part.bytes)
        const parts = this.#partsOf(events)
        if (this.received.bytes === 0) this.#hold(events.length, part.bytes.length)
        const isFull = this.#held.events > MOST_HELD.events || this.#held.bytes > this.#mostHeld
        if (!isFull || parts.some(isEnd)) return { kind: 'parts', parts }
        return { kind: 'parts', parts: this.reader.isFinished ? this.reader.end() : [NO_CONTENT] }
      }
      case 'end': {
        this.#hasEnded = true
        const parts = this.#partsOf(this.#events.end())
        return { kind: 'parts', parts: parts.some(isEnd) ? parts : [...parts, ...this.reader.end()] }
      }
      case 'caller-left':
        this.#hasEnded = true
        return part
      default:
        this.#hasEnded = true
        // What fails after the answer's end does not spoil it.
        return { kind: 'parts', parts: this.reader.isFinished ? this.reader.end() : [failedBy(part)] }
    }
  }

  #partsOf(events: ReturnType<FrameReader['read']>): StreamPart[] {
    let parts = NO_PARTS
    let isOwn = false
    // By place, here and below: an iterator and what it returns are five objects for an event.
    for (let place = 0; place < events.length; place++) {
      const read = this.reader.read(events[place] as ServerSentEvent)
      // Mostly one event at a time: its own list is the whole list.
      if (parts.length === 0) parts = read
      else {
        if (!isOwn) parts = [...parts]
        isOwn = true
        for (const part of read) parts.push(part)
      }
      const last = parts.at(-1)
      if (last === undefined || !isEnd(last)) continue
      if (!this.#hasEnded) this.#finishBody()
      break
    }
    this.#count(parts)
    return this.#events.isTooLarge ? [...parts, { type: 'failed', failure: TOO_LARGE }] : parts
  }

  #count(parts: readonly StreamPart[]): void {
    const { received } = this
    for (let place = 0; place < parts.length; place++) {
      const part = parts[place] as StreamPart
      if (part.type === 'chunk' && part.isEnd) this.#hold(1, part.json.length)
      const bytes = contentBytes(part)
      if (bytes === 0) continue
      received.deltas += 1
      received.bytes += bytes
    }
  }

  #hold(events: number, bytes: number): void {
    this.#held.events += events
    this.#held.bytes += bytes
  }

  /** The answer has ended before its body: an end that follows at once leaves the connection usable. */
  #finishBody(): void {
    this.#hasEnded = true
    const answer = this.#answer
    if (answer === null) return
    const deadline = setTimeout(() => answer.abort({ kind: 'caller-left' }), REST_MS)
    const readOn = async () => {
      while ((await answer.next()).kind === 'piece');
      clearTimeout(deadline)
    }
    void readOn()
  }
}

/** Reads the rest of a stream that has no reader left; its last part, or null if it was ended before. */
export async function readToEnd(
  stream: LiveStream,
  timers: Pick<StreamSettings, 'idleMs' | 'payloadIdleMs' | 'totalMs'>,
): Promise<StreamPart | null> {
  let parts = stream.start(timers)
  for (;;) {
    const last = parts.at(-1)
    if (last !== undefined && isEnd(last)) return last
    const read = await stream.next()
    if (read.kind === 'caller-left') return null
    parts = read.parts
  }
}

const END = { kind: 'end' } as const
const NO_PARTS: StreamPart[] = []
const TOO_LARGE = failure('upstream_error', worded`An event of the provider's stream is too large.`, null, {
  retry: 'no',
})

const NO_CONTENT: StreamPart = {
  type: 'failed',
  failure: failure('upstream_error', worded`The provider's stream has too many events without content.`, null, {
    retry: 'no',
  }),
}

/** The body of a stream has no deadline of its own: what ends it is silence. */
function failedBy(stoppage: Stoppage): StreamPart {
  const isSilence = stoppage.kind === 'timeout' && stoppage.phase === 'body'
  return { type: 'failed', failure: failureOfBreakdown(isSilence ? { kind: 'timeout', phase: 'idle' } : stoppage) }
}

/** The part that ends the stream; nothing comes after it. */
export function endOf(parts: readonly StreamPart[]): Extract<StreamPart, { type: 'message-end' | 'failed' }> | null {
  const last = parts.at(-1)
  return last?.type === 'message-end' || last?.type === 'failed' ? last : null
}

function isEnd({ type }: StreamPart): boolean {
  return type === 'message-end' || type === 'failed'
}
