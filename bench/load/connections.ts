import { connect } from 'node:net'
import { httpReader, statusOf } from './http-reader.ts'

/** Shedding is not a failure: an overloaded gateway is supposed to do it. */
export type Outcome = { kind: 'ok' } | { kind: 'shed' } | { kind: 'failed'; why: string }
type OnEnd = (outcome: Outcome) => void
/** Sees the answer while it arrives. False: hang up. */
type OnPiece = (bytes: Buffer) => boolean

/** Keep-alive connections with one call at a time each. */
export interface Connections {
  /** Sends on a free connection or a new one; false when the maximum is busy. */
  send(onEnd: OnEnd, onPiece?: OnPiece): boolean
  inFlight(): number
  close(): void
}

export interface ConnectionOptions {
  /** Connections are spread over all of them. */
  urls: readonly URL[]
  /** Calls take turns with them. */
  requests: readonly Buffer[]
  /** The maximum. */
  connections: number
}

/** One buffer for all connections: each read is processed before the next. */
const buffer = Buffer.allocUnsafe(65_536)

export function createConnections({ urls, requests, connections: maximum }: ConnectionOptions): Connections {
  const idle: ((onEnd: OnEnd, onPiece?: OnPiece) => void)[] = []
  const sockets = new Set<ReturnType<typeof connect>>()
  let opened = 0
  let inFlight = 0
  let sent = 0

  function open(): (onEnd: OnEnd, onPiece?: OnPiece) => void {
    const { hostname, port } = urls[opened++ % urls.length] as URL
    let current: OnEnd | null = null
    let watch: OnPiece | undefined
    const send = (onEnd: OnEnd, onPiece?: OnPiece) => {
      current = onEnd
      watch = onPiece
      inFlight += 1
      socket.write(requests[sent++ % requests.length] as Buffer)
    }
    const end = (outcome: Outcome) => {
      const onEnd = current
      if (onEnd === null) return
      current = null
      inFlight -= 1
      onEnd(outcome)
    }
    const read = httpReader((head, excerpt) => {
      if (current === null) return
      if (/\r\nconnection: *close/i.test(head)) {
        sockets.delete(socket)
        socket.destroy()
      } else idle.push(send)
      end(outcomeOf(statusOf(head), excerpt))
    })
    const callback = (count: number, data: Uint8Array) => {
      const bytes = Buffer.from(data.buffer, data.byteOffset, count)
      const goesOn = watch === undefined || watch(bytes)
      if (goesOn) read(bytes)
      else socket.destroy()
      return goesOn
    }
    const socket = connect({ host: hostname, port: Number(port), noDelay: true, onread: { buffer, callback } })
    let why = 'closed'
    socket.on('error', (error) => {
      why = error.message
    })
    socket.on('close', () => {
      if (!sockets.delete(socket)) return
      const place = idle.indexOf(send)
      if (place >= 0) idle.splice(place, 1)
      end({ kind: 'failed', why })
    })
    sockets.add(socket)
    return send
  }

  return {
    send(onEnd, onPiece) {
      const free = idle.pop() ?? (sockets.size < maximum ? open() : undefined)
      free?.(onEnd, onPiece)
      return free !== undefined
    },
    inFlight: () => inFlight,
    close() {
      const all = [...sockets]
      sockets.clear()
      for (const socket of all) socket.destroy()
    },
  }
}

function outcomeOf(status: number, excerpt: string): Outcome {
  if (status === 200) return { kind: 'ok' }
  if (status === 503 && excerpt.includes('"overloaded"')) return { kind: 'shed' }
  return { kind: 'failed', why: `${status} ${excerpt}` }
}

/** The bytes of one call, built once and sent repeatedly. */
export function requestBytes(url: URL, path: string, headers: Readonly<Record<string, string>>, body: string): Buffer {
  const lines = Object.entries({ host: url.host, ...headers, 'content-length': String(Buffer.byteLength(body)) })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return Buffer.from(`POST ${path} HTTP/1.1\r\n${head}\r\n${body}`)
}
