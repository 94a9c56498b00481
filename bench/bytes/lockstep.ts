import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { answerTo, pathOf } from '../load/answers.ts'
import { createConnections, type Outcome, requestBytes } from '../load/connections.ts'
import { streamsOf } from '../load/events.ts'
import { httpReader } from '../load/http-reader.ts'
import { stampsIn } from '../load/stamps.ts'

export interface Calls {
  url: string
  path: string
  headers: Record<string, string>
  body: string
  isStream: boolean
}

/** A provider and its only caller. */
export interface Lockstep extends Disposable {
  upstream: string
  /** Makes so many calls, one after the other. Every answer must be a 200. */
  call(calls: Calls, count: number): Promise<void>
}

/**
 * One call at a time, and the provider sends an event when the caller has the one before: what the gateway reads and
 * writes at a time is then the same in every run, however busy the machine is.
 */
export async function createLockstep(events: number): Promise<Lockstep> {
  const streams = streamsOf(events)
  let isStream = false
  let sendNext = () => {}
  const answer = (socket: Socket, path: string) => {
    const stream = isStream ? streams.get(path)?.values() : undefined
    if (stream === undefined) return void socket.write(answerTo(path))
    sendNext = () => {
      const { value } = stream.next()
      if (value !== undefined) socket.write(value)
    }
    sendNext()
  }
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on(
      'data',
      httpReader((head) => answer(socket, pathOf(head))),
    )
    socket.on('error', () => socket.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const onPiece = (bytes: Buffer) => {
    for (const _ of stampsIn(bytes)) sendNext()
    return true
  }

  return {
    upstream: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async call(calls, count) {
      isStream = calls.isStream
      const url = new URL(calls.url)
      const request = requestBytes(url, calls.path, calls.headers, calls.body)
      const connections = createConnections({ urls: [url], requests: [request], connections: 1 })
      try {
        for (let made = 0; made < count; made++) {
          const outcome = await new Promise<Outcome>((resolve) => connections.send(resolve, onPiece))
          if (outcome.kind !== 'ok') throw new Error(outcome.kind === 'failed' ? outcome.why : outcome.kind)
        }
      } finally {
        connections.close()
      }
    },
    [Symbol.dispose]: () => void server.close(),
  }
}
