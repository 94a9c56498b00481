import type { OnReadOpts, Socket } from 'node:net'
import type { BodySink } from './chunked-body.ts'
import { codeOf } from './error-code.ts'
import type { ResponseHead } from './response-head.ts'
import { ResponseReader, TooLargeError } from './response-reader.ts'
import { isSliced, slicesOf } from './sliced.ts'

export interface WireRequest {
  /** With the empty line at its end. */
  head: string
  body: Uint8Array | string | null
}

/** The call that a connection serves. Exactly one of `onEnd` and `onBroken` is called. */
export interface ConnectionUser {
  readonly request: WireRequest
  readonly body: BodySink
  readonly maxBytes: number
  /** Once a response has begun, this much silence means that it will not end. */
  readonly idleMs: number
  /** The socket has taken all of the request. */
  onSent(): void
  /** The head is complete and more of the body may have come, but not its end. False: pause until `resume()`. */
  onArrived(head: ResponseHead): boolean
  /** `isFullyWritten`: no part of the request is still queued in this process. */
  onEnd(head: ResponseHead, isFullyWritten: boolean): void
  /** `isAnswered`: something came back, if only a byte. */
  onBroken(code: string, error: Error, isAnswered: boolean): void
}

/** Where a connection goes when it is free, or closed. */
export interface ConnectionOwner {
  giveBack(connection: UpstreamConnection): void
  forget(connection: UpstreamConnection): void
}

/** Codes of ours, beside those of the system and of OpenSSL. */
export const ENDED = 'ERR_ENDED'
export const NOT_CONNECTED = 'ERR_CONNECT_TIMEOUT'
export const SILENT = 'ERR_SILENT'
export const NOT_HTTP = 'ERR_NOT_HTTP'
export const TOO_LARGE = 'ERR_TOO_LARGE'

const CONNECT_TIMEOUT_MS = 10_000

/** Up to here head and body are copied into one buffer: one write instead of two. */
const JOINED_BYTES = 64 * 1024

/**
 * All connections of the thread read into this buffer, one after the other. Node would otherwise allocate 64 KiB for each
 * read and pass it through a stream. Figures: decision 0001. Its size is what a stream keeps that waits for its caller.
 */
const ARRIVED = Buffer.allocUnsafeSlow(16 * 1024)

/** From here on bytes have their own buffer: a part of Node's shared ones keeps all 64 KiB of it. */
const OWN_BYTES = 4 * 1024

/** What becomes of an attempt to connect. */
export interface Opening {
  /** Requests may be written to this socket: the one that was returned, or one on top of it. */
  ready(socket: Socket): void
  /** Also of an error later on. */
  failed(error: Error): void
  /** Of a socket that cannot use `onread`. False: pause until it is resumed. */
  arrived(bytes: Buffer): boolean
}

/** Opens a socket that hands over what arrives through `onread`. */
export type Connect = (onread: OnReadOpts, opening: Opening) => Socket

/** A connection to a provider, for one call at a time. */
export class UpstreamConnection {
  socket: Socket
  isConnected = false
  /** It has served a call before: the other side may be about to close it. */
  used = false
  idleSince = 0
  /** How long it may stay idle: what the other side said, or null. */
  keepMs: number | null = null
  readonly #owner: ConnectionOwner
  readonly #connecting: NodeJS.Timeout
  #user: ConnectionUser | null = null
  #reader: ResponseReader | null = null
  #isSending = false
  #isPaused = false

  constructor(connect: Connect, owner: ConnectionOwner) {
    this.#owner = owner
    this.#connecting = setTimeout(() => this.#break(NOT_CONNECTED), CONNECT_TIMEOUT_MS)
    const opening = { ready: this.#onReady, failed: this.#onError, arrived: this.#onArrived }
    this.socket = connect({ buffer: ARRIVED, callback: this.#onRead }, opening)
    this.#watch(this.socket)
  }

  get hasResponseBegun(): boolean {
    return this.#reader !== null && this.#reader.head !== null
  }

  get isUsable(): boolean {
    return this.#user === null && !this.socket.destroyed && this.socket.writable
  }

  /** No part of the request is still queued in this process. */
  get isFullyWritten(): boolean {
    return !this.#isSending && this.socket.writableLength === 0
  }

  send(user: ConnectionUser): void {
    this.#user = user
    this.#reader = new ResponseReader(user.body, user.maxBytes)
    if (this.socket.timeout !== user.idleMs) this.socket.setTimeout(user.idleMs)
    if (this.isConnected) this.#write(user)
  }

  limitSilence(milliseconds: number): void {
    this.socket.setTimeout(milliseconds)
  }

  /** Reads on after a pause; the silence of the provider counts from here. */
  resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.socket.resume().setTimeout(this.socket.timeout ?? 0)
  }

  /** Its user has left, or it is not needed. */
  destroy(): void {
    this.#user = null
    this.#reader = null
    clearTimeout(this.#connecting)
    this.socket.destroy()
    this.#owner.forget(this)
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

  #watch(socket: Socket): void {
    socket.on('end', this.#onEnd).on('close', this.#onClose).on('timeout', this.#onTimeout)
  }

  #onReady = (socket: Socket): void => {
    clearTimeout(this.#connecting)
    const before = this.socket
    if (socket !== before) {
      before.off('end', this.#onEnd).off('close', this.#onClose).off('timeout', this.#onTimeout)
      this.socket = socket.setTimeout(before.timeout ?? 0)
      before.setTimeout(0)
      this.#watch(socket)
    }
    this.isConnected = true
    if (this.#user !== null) this.#write(this.#user)
  }

  #onRead = (length: number): boolean => this.#onArrived(arrived(length))

  #onArrived = (bytes: Buffer): boolean => {
    const reader = this.#reader
    // Without one, no request is open.
    if (reader === null) this.destroy()
    else if (this.#reads(reader, bytes) && reader.head !== null) {
      this.used = true
      if (reader.isWhole) this.#end(reader, reader.head)
      else this.#isPaused = this.#user?.onArrived(reader.head) === false
    }
    return !this.#isPaused
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

  #end(reader: ResponseReader, head: ResponseHead): void {
    const user = this.#user
    const { isFullyWritten } = this
    this.#user = null
    this.#reader = null
    // With TLS, bytes that were decrypted already may come while the socket is paused.
    this.resume()
    // A provider that answers before it has read all of the request may take the rest for another one.
    if (reader.keepsConnection && !this.#isSending && this.socket.writable) {
      this.keepMs = keepOf(head)
      this.#owner.giveBack(this)
    } else this.destroy()
    user?.onEnd(head, isFullyWritten)
  }

  #onEnd = (): void => {
    const reader = this.#reader
    if (reader !== null && reader.head !== null && reader.endsHere()) this.#end(reader, reader.head)
    else this.#break(ENDED)
  }

  #onClose = (): void => this.#onEnd()

  #onError = (error: Error): void => {
    this.#break(codeOf(error), error)
  }

  #onTimeout = (): void => {
    if (this.#user === null) this.destroy()
    else if (this.hasResponseBegun && !this.#isPaused) this.#break(SILENT)
  }

  #break(code: string, error = new Error(code)): void {
    const user = this.#user
    const isAnswered = this.#reader?.isSilent === false
    this.destroy()
    user?.onBroken(code, error, isAnswered)
  }
}

/** A copy: the next read of any connection goes into the same buffer. */
function arrived(length: number): Buffer {
  const bytes = length < OWN_BYTES ? Buffer.allocUnsafe(length) : Buffer.allocUnsafeSlow(length)
  ARRIVED.copy(bytes, 0, 0, length)
  return bytes
}

const TIMEOUT = /\btimeout=(\d{1,6})\b/i
/** The other side counts from when it sent its response, we from when it arrived. */
const MARGIN_MS = 1_000

function keepOf(head: ResponseHead): number | null {
  const seconds = TIMEOUT.exec(head.get('keep-alive') ?? '')?.[1]
  return seconds === undefined ? null : Math.max(0, Number(seconds) * 1000 - MARGIN_MS)
}
