import { connect } from 'node:net'
import { httpReader, statusOf } from './http-reader.ts'

/** A keep-alive connection of the load: one request at a time. */
export interface Connection {
  send(request: Buffer): void
  close(): void
}

export interface ConnectionEvents {
  onAnswer(status: number, excerpt: string): void
  /** It broke or was closed by the other side. */
  onBroken(reason: string): void
}

const READ_BYTES = 65_536
/** One buffer for all: what is read from it is looked at before the next read. */
const buffer = Buffer.allocUnsafe(READ_BYTES)

export function openConnection(url: URL, { onAnswer, onBroken }: ConnectionEvents): Connection {
  let ours = false
  const read = httpReader((head, excerpt) => onAnswer(statusOf(head), excerpt))
  const socket = connect({
    host: url.hostname,
    port: Number(url.port),
    noDelay: true,
    onread: {
      buffer,
      callback: (count, data) => {
        read(Buffer.from(data.buffer, data.byteOffset, count))
        return true
      },
    },
  })
  let reason = 'closed'
  socket.on('error', (error) => {
    reason = error.message
  })
  socket.on('close', () => {
    if (!ours) onBroken(reason)
  })
  return {
    send: (request) => void socket.write(request),
    close() {
      ours = true
      socket.destroy()
    },
  }
}

/** The bytes of one call, made once and sent again and again. */
export function requestBytes(url: URL, path: string, headers: Readonly<Record<string, string>>, body: string): Buffer {
  const lines = Object.entries({ host: url.host, ...headers, 'content-length': String(Buffer.byteLength(body)) })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return Buffer.from(`POST ${path} HTTP/1.1\r\n${head}\r\n${body}`)
}

/** A call that was turned away early is no failure: that is what an overloaded gateway is to do. */
export type Outcome = { kind: 'ok' } | { kind: 'shed' } | { kind: 'failed'; why: string }

export function outcomeOf(status: number, excerpt: string): Outcome {
  if (status === 200) return { kind: 'ok' }
  if (status === 503 && excerpt.includes('"overloaded"')) return { kind: 'shed' }
  return { kind: 'failed', why: `${status} ${excerpt}` }
}
