import type { StreamSettings } from '../../domain/stream-settings.ts'
import type { Call, Sink, StreamHead } from '../../http/call.ts'

/** One reader of the stream. */
export interface Receiver extends Pick<Call, 'openStream' | 'presence'> {}

interface Member extends Receiver {
  sink: Sink | null
  /** It did not read for too long. */
  isSlow: boolean
}

export interface DeliveryOptions extends Pick<StreamSettings, 'holdHeadersMs' | 'keepAliveMs' | 'slowReaderMs'> {
  /** The head if it must be sent before the first content. */
  earlyHead(): StreamHead
  /** A frame that clients ignore; empty: there is none, and so no early head. */
  keepAlive: string
  /** What is sent has a character for each byte; missing: it is text. */
  isBytes?: boolean
  /** Everything that is sent is kept for repeats of the call, up to a bound. */
  isKept: boolean
  /** Called with everything that is sent. */
  records: readonly ((text: string) => void)[]
}

/** What readers get of the stream, where that is not what is kept and recorded. */
interface Restoring {
  live: RestoredFrames
  /** The same from the beginning of the stream. */
  open(): RestoredFrames
}
interface RestoredFrames {
  write(frames: string): string
}

/** More than this is not kept for repeats. */
const KEPT_CHARACTERS = 2 * 1024 * 1024

/** Sends a stream to its caller, and to callers that repeat it with the same `Idempotency-Key` while it runs. */
export class Delivery {
  /** UTF-8 bytes of what was sent. */
  bytes = 0
  /** Those of them beyond one a character: what is not ASCII. */
  otherBytes = 0
  #head: StreamHead | null = null
  #kept: string | null
  #restoring: Restoring | null = null
  readonly #members: Member[] = []
  readonly #options: DeliveryOptions
  #timer: NodeJS.Timeout | undefined

  constructor(first: Receiver, options: DeliveryOptions) {
    this.#options = options
    this.#kept = options.isKept ? '' : null
    this.#members.push({ openStream: first.openStream, presence: first.presence, sink: null, isSlow: false })
  }

  /** Everything that is sent from now on is kept for others. */
  keep(): void {
    if (this.#head === null) this.#kept ??= ''
  }

  /** Nothing is sent yet. */
  restore(restoring: Restoring): void {
    this.#restoring = restoring
  }

  /** The call is in progress: from here on its head waits for content, up to a bound. */
  start(): void {
    const { holdHeadersMs } = this.#options
    if (holdHeadersMs !== null && this.#options.keepAlive !== '')
      this.#timer = setTimeout(() => this.#openEarly(), holdHeadersMs)
  }

  /** Whether its head is sent. */
  get isOpen(): boolean {
    return this.#head !== null
  }

  /** A reader was dropped for being too slow. */
  get hasSlowReader(): boolean {
    return this.#members.some(({ isSlow }) => isSlow)
  }

  /** No reader is left. */
  get isUnread(): boolean {
    return !this.#members.some(isReading)
  }

  /** Everything that was sent; null when it is not kept. */
  get replay(): { head: StreamHead; text: string } | null {
    return this.#head === null || this.#kept === null ? null : { head: this.#head, text: this.#kept }
  }

  /** A repeat of the call. False: what was sent before is not kept. */
  join(receiver: Receiver, marks: Record<string, string>): boolean {
    if (this.#head !== null && this.#kept === null) return false
    const openStream: Receiver['openStream'] = (head, first) =>
      receiver.openStream({ ...head, headers: { ...head.headers, ...marks } }, first)
    const kept = this.#kept ?? ''
    const sent = this.#restoring === null ? kept : this.#restoring.open().write(kept)
    const sink = this.#head === null ? null : this.#sinkOf(openStream, this.#head, sent)
    this.#members.push({ openStream, presence: receiver.presence, sink, isSlow: false })
    return true
  }

  /** Sends the head, unless it is sent. */
  open(head: () => StreamHead): void {
    if (this.#head === null) this.#open(head(), '')
  }

  /** False: wait for `drained` before sending more. `head` counts for the first frames only. */
  send(text: string, head: () => StreamHead, isContent = true): boolean {
    if (this.#head === null) {
      this.#open(head(), text)
      return true
    }
    const noted = this.#note(text, isContent)
    const shown = this.#shown(text)
    const bytes = shown === text ? noted : Buffer.byteLength(shown)
    let isTaken = true
    for (let place = 0; place < this.#members.length; place++) {
      const member = this.#members[place] as Member
      if (isReading(member) && member.sink?.write(shown, bytes) === false) isTaken = false
    }
    return isTaken
  }

  /** Resolves when all readers have room again; those whose connections take nothing for too long are dropped. */
  async drained(): Promise<void> {
    await Promise.all(
      this.#members.map(async (member) => {
        const { presence, isSlow, sink } = member
        if (presence.left || isSlow || sink === null || (await this.#hasRoom(sink))) return
        member.isSlow = true
        sink.cut()
      }),
    )
  }

  /** What the caller gets is decided: a head that was not sent until now goes out with the answer. */
  decided(): void {
    if (this.#head === null) clearTimeout(this.#timer)
  }

  /** The end follows: no more keep-alives. */
  close(): void {
    clearTimeout(this.#timer)
  }

  async #hasRoom(sink: Sink): Promise<boolean> {
    const drained = sink.drained().then(() => true)
    for (;;) {
      const { taken } = sink
      const { promise: late, resolve } = Promise.withResolvers<boolean>()
      const timer = setTimeout(() => resolve(false), this.#options.slowReaderMs)
      const isDrained = await Promise.race([drained, late])
      clearTimeout(timer)
      if (isDrained || sink.taken === taken) return isDrained
    }
  }

  #open(head: StreamHead, first: string, isContent = true): void {
    this.#head = head
    const shown = this.#shown(first)
    for (const member of this.#members)
      if (!member.presence.left) member.sink = this.#sinkOf(member.openStream, head, shown)
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#keepAlive(), this.#options.keepAliveMs)
    this.#note(first, isContent)
  }

  #sinkOf(openStream: Receiver['openStream'], head: StreamHead, first: string): Sink {
    if (this.#options.isBytes !== true) return openStream(head, first)
    const sink = openStream(head, '')
    if (first !== '') sink.write(first, first.length)
    return sink
  }

  #openEarly(): void {
    if (!this.isUnread) this.#open(this.#options.earlyHead(), this.#options.keepAlive, false)
  }

  #keepAlive(): void {
    if (!this.isUnread && this.#options.keepAlive !== '')
      this.send(this.#options.keepAlive, this.#options.earlyHead, false)
  }

  #shown(text: string): string {
    return this.#restoring === null ? text : this.#restoring.live.write(text)
  }

  /** Its length. */
  #note(text: string, isContent: boolean): number {
    const bytes = this.#options.isBytes === true ? text.length : Buffer.byteLength(text)
    this.bytes += bytes
    this.otherBytes += bytes - text.length
    this.#timer?.refresh()
    for (const record of this.#options.records) record(text)
    if (this.#kept !== null && isContent) {
      this.#kept = this.#kept.length + text.length > KEPT_CHARACTERS ? null : this.#kept + text
    }
    return bytes
  }
}

function isReading({ presence, isSlow }: Member): boolean {
  return !isSlow && !presence.left
}
