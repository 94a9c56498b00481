import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import type { Sink, StreamRest } from './call.ts'

/**
 * Of one connection, what the system has not taken: from here on `write` says to wait. Node's own 64 KiB are a lot for
 * callers who read nothing.
 */
export const UNSENT_BYTES = 16 * 1024

/** A streamed answer through `node:http`. */
export class ResponseSink implements Sink {
  readonly #response: ServerResponse

  constructor(response: ServerResponse) {
    this.#response = response
  }

  write(text: string, bytes: number): boolean {
    return this.#response.write(text, encodingOf(text, bytes))
  }

  drained(): Promise<void> {
    return drained(this.#response)
  }

  get taken(): number {
    return takenBy(this.#response.socket)
  }

  cut(): void {
    this.#response.destroy()
  }
}

/** A streamed answer on a raw socket: every write is its own chunk. */
export class SocketSink implements Sink {
  readonly #socket: Socket

  constructor(socket: Socket) {
    this.#socket = socket
  }

  write(text: string, bytes: number): boolean {
    return this.#socket.write(`${bytes.toString(16)}\r\n${text}\r\n`, encodingOf(text, bytes))
  }

  drained(): Promise<void> {
    return drained(this.#socket)
  }

  get taken(): number {
    return takenBy(this.#socket)
  }

  cut(): void {
    this.#socket.destroy()
  }
}

/** ASCII is the same in both, and copied instead of encoded. */
function encodingOf(text: string, bytes: number): 'latin1' | 'utf8' {
  return bytes === text.length ? 'latin1' : 'utf8'
}

/** In chunked transfer coding. An empty chunk would end the body. */
export function chunkOf(text: string): string {
  return text === '' ? '' : `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
}

/** The last chunks of a body and its trailers. */
export function lastChunks({ rest, trailers }: StreamRest): string | Buffer {
  const fields = Object.entries(trailers).map(([name, value]) => `${name}: ${value}\r\n`)
  const end = `0\r\n${fields.join('')}\r\n`
  if (typeof rest === 'string') return chunkOf(rest) + end
  if (rest.length === 0) return end
  return Buffer.concat([Buffer.from(`${rest.length.toString(16)}\r\n`), rest, Buffer.from(`\r\n${end}`)])
}

function takenBy(socket: Socket | null): number {
  return socket === null ? 0 : socket.bytesWritten - socket.writableLength
}

function drained(stream: Writable): Promise<void> {
  if (stream.destroyed || !stream.writableNeedDrain) return Promise.resolve()
  return new Promise((resolve) => {
    const done = () => {
      stream.off('drain', done)
      stream.off('close', done)
      resolve()
    }
    stream.once('drain', done)
    stream.once('close', done)
  })
}
