import { Agent, type IncomingMessage, request } from 'node:http'
import { Duplex } from 'node:stream'

/** What an answer is read as. */
export interface Reading {
  status: number
  /** By names in small letters, the first of each; a byte a letter. */
  fields: Record<string, string>
  body: string
  /** The connection may be used for another call. */
  keeps: boolean
}

/** A connection on which one answer arrives, for any request, and then the end. */
class OneAnswer extends Duplex {
  readonly #pieces: readonly Buffer[]
  keeps = false

  constructor(pieces: readonly Buffer[]) {
    super()
    this.#pieces = pieces
  }

  override _read(): void {}

  override _write(_bytes: Buffer, _encoding: BufferEncoding, done: () => void): void {
    done()
    for (const piece of this.#pieces) this.push(piece)
    // Who has the whole answer by now may keep the connection, or not; for the others this is the end.
    setImmediate(() => this.push(null))
  }

  setTimeout = () => this
  setKeepAlive = () => this
  setNoDelay = () => this
  ref = () => this
  unref = () => this
}

const agent = new Agent({ keepAlive: true })
/** Asked when a call is made, at once. */
let next: OneAnswer | null = null
agent.createConnection = () => next
/** Asked for each connection that may be used again after its answer; none is. */
agent.keepSocketAlive = (socket) => {
  if (socket instanceof OneAnswer) socket.keeps = true
  return false
}

/** How Node's own client reads an answer, with its default strictness; null where it is none. */
export function readByNode(pieces: readonly Buffer[]): Promise<Reading | null> {
  const connection = new OneAnswer(pieces)
  next = connection
  return new Promise((resolve) => {
    const call = request({ agent, host: 'provider', maxHeaderSize: 128 * 1024 })
    let isAnswered = false
    call.on('response', (response) => {
      isAnswered = true
      const body: Buffer[] = []
      response.on('data', (piece: Buffer) => body.push(piece)).on('error', () => {})
      response.on('close', () => {
        setImmediate(() =>
          resolve(
            response.complete
              ? { ...headOf(response), body: Buffer.concat(body).toString('latin1'), keeps: connection.keeps }
              : null,
          ),
        )
      })
    })
    call.on('upgrade', (_response, socket) => socket.destroy())
    call.on('error', () => {})
    call.on('close', () => {
      if (!isAnswered) resolve(null)
    })
    call.end()
  })
}

function headOf({ statusCode: status = 0, rawHeaders }: IncomingMessage): Pick<Reading, 'status' | 'fields'> {
  const fields: Record<string, string> = {}
  for (let at = 0; at < rawHeaders.length; at += 2) {
    fields[(rawHeaders[at] ?? '').toLowerCase()] ??= rawHeaders[at + 1] ?? ''
  }
  return { status, fields }
}
