import type { OnReadOpts, Socket } from 'node:net'
import { ResponseReader, TooLargeError } from './response-reader.ts'
import { isSliced, slicesOf } from './sliced.ts'

export interface WireRequest {
  /** With the empty line at its end. */
  head: string
  body: Uint8Array | string | null
}

/** Whoever has the line for one call; hears of its end once. */
export interface ConnectionUser {
  request: WireRequest
  /** The socket has taken all of the request. */
  onSent(): void
  /** `isFullyWritten`: nothing of the request is waiting in this process any more. */
  onReply(reply: ResponseReader, isFullyWritten: boolean): void
  /** `isAnswered`: something came back, if only a byte. */
  onBroken(code: string, error: Error, isAnswered: boolean): void
}

/** Where a line goes when it is free, or gone. */
export interface ConnectionOwner {
  giveBack(connection: UpstreamConnection): void
  forget(connection: UpstreamConnection): void
}

export interface ConnectionSettings {
  isSecure: boolean
  connectMs: number
  /** Once an answer has begun, this much silence means that it will not end. */
  silenceMs: number
  maxResponseBytes: number
}

/** Codes of ours, beside those of the system and of OpenSSL. */
export const ENDED = 'ERR_ENDED'
export const NOT_CONNECTED = 'ERR_CONNECT_TIMEOUT'
export const SILENT = 'ERR_SILENT'
export const NOT_HTTP = 'ERR_NOT_HTTP'
export const TOO_LARGE = 'ERR_TOO_LARGE'

/** Up to here head and body are copied into one buffer: one write instead of two that are gathered. */
const JOINED_BYTES = 64 * 1024

/**
 * Where all connections of the thread read into, one after the other: Node would else make a buffer of 64 KiB for each
 * read, and take it through a stream. Figures: decision 0014.
 */
const ARRIVED = Buffer.allocUnsafeSlow(64 * 1024)

/** Opens a socket that hands over what arrives in this way. */
export type Connect = (onread: OnReadOpts) => Socket

/** A connection to a provider, for one call at a time. */
export class UpstreamConnection {
  readonly socket: Socket
  isConnected = false
  /** It has brought an answer before: the other side may be about to close it. */
  used = false
  idleSince = 0
  /** How long it may be kept without a call: what the other side said, or null. */
  keepMs: number | null = null
  readonly #home: ConnectionOwner
  readonly #settings: ConnectionSettings
  readonly #connecting: NodeJS.Timeout
  #user: ConnectionUser | null = null
  #reader: ResponseReader | null = null
  #isSending = false

  constructor(connect: Connect, settings: ConnectionSettings, home: ConnectionOwner) {
    const socket = connect({ buffer: ARRIVED, callback: this.#onRead })
    this.socket = socket
    this.#settings = settings
    this.#home = home
    this.#connecting = setTimeout(() => this.#break(NOT_CONNECTED), settings.connectMs)
    socket.once(settings.isSecure ? 'secureConnect' : 'connect', this.#onConnect)
    socket.on('end', this.#onEnd).on('close', this.#onClose)
    socket.on('error', this.#onError).on('timeout', this.#onTimeout)
    socket.setTimeout(settings.silenceMs)
  }

  get hasResponseBegun(): boolean {
    return this.#reader !== null && this.#reader.head !== null
  }

  get isUsable(): boolean {
    return this.#user === null && !this.socket.destroyed && this.socket.writable
  }

  send(user: ConnectionUser): void {
    this.#user = user
    this.#reader = new ResponseReader(this.#settings.maxResponseBytes)
    if (this.isConnected) this.#write(user)
  }

  /** Its user has no more interest, or nobody needs it. */
  destroy(): void {
    this.#user = null
    this.#reader = null
    this.socket.destroy()
    this.#home.forget(this)
  }

  #write(user: ConnectionUser): void {
    const { head, body } = user.request
    const { socket } = this
    if (body === null) socket.write(head, 'latin1')
    else if (isSliced(body)) {
      socket.write(head, 'latin1')
      this.#isSending = true
      this.#writeSlices(user, slicesOf(body))
      return
    } else this.#writeWhole(head, body)
    user.onSent()
  }

  #writeWhole(head: string, body: Uint8Array | string): void {
    const { socket } = this
    const bytes = head.length + (typeof body === 'string' ? Buffer.byteLength(body) : body.length)
    if (bytes > JOINED_BYTES) {
      socket.cork()
      socket.write(head, 'latin1')
      socket.write(body)
      socket.uncork()
      return
    }
    const all = Buffer.allocUnsafe(bytes)
    all.write(head, 'latin1')
    if (typeof body === 'string') all.write(body, head.length)
    else all.set(body, head.length)
    socket.write(all)
  }

  #writeSlices(user: ConnectionUser, slices: Iterator<Uint8Array>): void {
    for (let slice = slices.next(); !slice.done; slice = slices.next()) {
      if (this.#user !== user) return
      if (this.socket.write(slice.value)) continue
      this.socket.once('drain', () => this.#writeSlices(user, slices))
      return
    }
    this.#isSending = false
    if (this.#user === user) user.onSent()
  }

  #onConnect = (): void => {
    clearTimeout(this.#connecting)
    this.isConnected = true
    if (this.#user !== null) this.#write(this.#user)
  }

  #onRead = (length: number): boolean => {
    const reader = this.#reader
    // Without one nobody has asked.
    if (reader === null) this.destroy()
    else if (this.#reads(reader, arrived(length))) {
      if (reader.head !== null) this.used = true
      if (reader.isWhole) this.#end(reader)
    }
    return true
  }

  #reads(reader: ResponseReader, bytes: Buffer): boolean {
    try {
      reader.read(bytes)
      return true
    } catch (error) {
      this.#break(error instanceof TooLargeError ? TOO_LARGE : NOT_HTTP)
      return false
    }
  }

  #end(reader: ResponseReader): void {
    const user = this.#user
    const { socket } = this
    const isFullyWritten = !this.#isSending && socket.writableLength === 0
    this.#user = null
    this.#reader = null
    // A provider that answers before it has read everything reads the rest as another request, or not at all.
    if (reader.keepsConnection && !this.#isSending && socket.writable) {
      this.keepMs = keepOf(reader)
      this.#home.giveBack(this)
    } else this.destroy()
    user?.onReply(reader, isFullyWritten)
  }

  #onEnd = (): void => {
    if (this.#reader?.endsHere() === true) this.#end(this.#reader)
    else this.#break(ENDED)
  }

  #onClose = (): void => {
    clearTimeout(this.#connecting)
    if (this.#reader?.endsHere() === true) this.#end(this.#reader)
    else this.#break(ENDED)
  }

  #onError = (error: Error): void => {
    this.#break(codeOf(error), error)
  }

  #onTimeout = (): void => {
    if (this.#user === null) this.destroy()
    else if (this.hasResponseBegun) this.#break(SILENT)
  }

  #break(code: string, error = new Error(code)): void {
    const user = this.#user
    const isAnswered = this.#reader?.isSilent === false
    this.destroy()
    user?.onBroken(code, error, isAnswered)
  }
}

/** A copy: the next read, of whichever connection, goes into the same place. */
function arrived(length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length)
  ARRIVED.copy(bytes, 0, 0, length)
  return bytes
}

const TIMEOUT = /\btimeout=(\d{1,6})\b/i
/** The other side counts from when it sent its answer, we from when it came. */
const MARGIN_MS = 1_000

function keepOf({ head }: ResponseReader): number | null {
  const seconds = TIMEOUT.exec(head?.get('keep-alive') ?? '')?.[1]
  return seconds === undefined ? null : Math.max(0, Number(seconds) * 1000 - MARGIN_MS)
}

/** Node gathers the failures of several addresses in one AggregateError; the first one says why. */
function codeOf(error: Error): string {
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return codeOf(error.errors[0])
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
