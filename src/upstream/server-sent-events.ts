import { StringDecoder } from 'node:string_decoder'
import type { ServerSentEvent } from '../domain/request/stream.ts'

/** Characters of one event, and of one line of it. */
export const LONGEST_EVENT = 8 << 20

const NONE: ServerSentEvent[] = []
const [NEWLINE, COLON, BRACE] = [0x0a, 0x3a, 0x7b]

/** Reads a body of server-sent events, in pieces cut anywhere. It is lenient where providers are. */
export class ServerSentEvents {
  /** An event or a line was larger than the bound: nothing more is read. */
  isTooLarge = false
  /** Null until bytes of an unfinished character have to be kept for the first time. */
  #decoder: StringDecoder | null = null
  #isBegun = false
  /** The last piece ended with CR: an LF that follows belongs to it. */
  #afterReturn = false
  /** The beginning of an unfinished line. */
  #line = ''
  #event: string | null = null
  /** Null before the first line of data. */
  #data: string | null = null
  /** JSON without field names: an error that a server wrote into its stream. */
  #isBare = false
  readonly #longest: number

  constructor(longest = LONGEST_EVENT) {
    this.#longest = longest
  }

  read(piece: Uint8Array): ServerSentEvent[] {
    if (this.isTooLarge || piece.length === 0) return NONE
    const text = this.#decode(piece)
    if (!this.#isIdle() || text.includes('\r') || text.length > this.#longest) return this.#readText(text, [])
    const events: ServerSentEvent[] = []
    const end = takeUsual(text, events)
    return end === text.length ? events : this.#readText(text.slice(end), events)
  }

  /** The body has ended: what it left unfinished is given out. */
  end(): ServerSentEvent[] {
    if (this.isTooLarge) return NONE
    return this.#readText(`${this.#decoder?.end() ?? ''}\n\n`, [])
  }

  #isIdle(): boolean {
    return this.#line === '' && this.#data === null && this.#event === null && !this.#afterReturn
  }

  #decode(piece: Uint8Array): string {
    const bytes = Buffer.isBuffer(piece) ? piece : Buffer.from(piece.buffer, piece.byteOffset, piece.length)
    let text: string
    if (this.#decoder === null && (bytes[bytes.length - 1] ?? 0) < 0x80) text = bytes.toString()
    else {
      this.#decoder ??= new StringDecoder('utf8')
      text = this.#decoder.write(bytes)
    }
    if (this.#isBegun || text === '') return text
    this.#isBegun = true
    return text.startsWith('\uFEFF') ? text.slice(1) : text
  }

  #readText(received: string, events: ServerSentEvent[]): ServerSentEvent[] {
    const text = this.#withNewlines(received)
    let end = text.indexOf('\n')
    // Only what is new is searched: a long line may come in very many pieces.
    if (end < 0) {
      this.#keep(alone(text))
      return events
    }
    let start = 0
    for (; end >= 0; end = text.indexOf('\n', start)) {
      const line = this.#line === '' ? text.slice(start, end) : this.#line + text.slice(start, end)
      this.#line = ''
      start = end + 1
      if (line === '') this.#endEvent(events)
      else this.#readLine(line)
      if (this.isTooLarge) return events
    }
    if (start < text.length) this.#keep(alone(text.slice(start)))
    return events
  }

  #keep(text: string): void {
    this.#line += text
    this.#bound(this.#line.length)
  }

  #bound(length: number): void {
    if (length <= this.#longest) return
    this.isTooLarge = true
    this.#line = ''
    this.#data = null
  }

  /** Every end of a line as LF. */
  #withNewlines(received: string): string {
    const text = this.#afterReturn && received.charCodeAt(0) === NEWLINE ? received.slice(1) : received
    if (received !== '') this.#afterReturn = received.endsWith('\r')
    return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text
  }

  #readLine(line: string): void {
    this.#bound(line.length)
    if (this.#isBare || (this.#data === null && line.charCodeAt(0) === BRACE)) {
      this.#isBare = true
      this.#addData(line)
    } else if (line.startsWith('data:')) this.#addData(textAfter(line, 5))
    else if (line.startsWith('event:')) this.#event = textAfter(line, 6)
  }

  #addData(text: string): void {
    this.#data = this.#data === null ? text : `${this.#data}\n${text}`
    this.#bound(this.#data.length)
  }

  #endEvent(events: ServerSentEvent[]): void {
    const [event, data] = [this.#event, this.#data]
    this.#event = null
    this.#data = null
    this.#isBare = false
    if (data !== null && isPayload(data)) events.push({ event, data })
  }
}

/** Takes whole events of the usual form, one line of data and perhaps a name before it, and says where they end. */
function takeUsual(text: string, events: ServerSentEvent[]): number {
  for (let start = 0; ; ) {
    let at = start
    let event: string | null = null
    if (text.startsWith('event: ', at)) {
      at = text.indexOf('\n', at) + 1
      if (at === 0) return start
      event = text.slice(start + 7, at - 1)
    }
    const end = text.startsWith('data: ', at) ? text.indexOf('\n', at) : -1
    if (end < 0 || text.charCodeAt(end + 1) !== NEWLINE) return start
    const data = text.slice(at + 6, end)
    if (isPayload(data)) events.push({ event, data })
    start = end + 2
  }
}

/** A slice of a string keeps all of it in memory. */
function alone(text: string): string {
  return Buffer.from(text).toString()
}

/** Some servers write their comments as data. */
function isPayload(data: string): boolean {
  return data !== '' && data.charCodeAt(0) !== COLON
}

/** One space after the colon is no part of the value. */
function textAfter(line: string, start: number): string {
  return line.slice(line.charCodeAt(start) === 0x20 ? start + 1 : start)
}
