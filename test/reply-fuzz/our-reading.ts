import type { OnReadOpts, Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { BytePieces, joined } from '../../src/domain/byte-pieces.ts'
import { type Connect, UpstreamConnection } from '../../src/upstream/connection.ts'
import type { ResponseHead } from '../../src/upstream/response-head.ts'
import { ResponseReader } from '../../src/upstream/response-reader.ts'
import { StreamedExchange, type UpstreamAnswer } from '../../src/upstream/streamed-response.ts'
import type { Reading } from './node-reading.ts'

/** Looked for in every answer, whether they are there or not. */
const NAMES = [
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'content-type',
  'x-request-id',
  'x',
  'a',
]

function fieldsOf(head: Pick<ResponseHead, 'get'>, names: readonly string[]): Record<string, string> {
  const fields: Record<string, string> = {}
  for (const name of [...NAMES, ...names]) {
    const value = head.get(name)
    if (value !== undefined) fields[name] = value
  }
  return fields
}

/** How our reader reads an answer, after which the connection ends; or why it is none. */
export function readByUs(pieces: readonly Buffer[], names: readonly string[] = []): Reading | string {
  const received = new BytePieces()
  const reader = new ResponseReader(received, 1024 * 1024)
  let read = 0
  try {
    for (; read < pieces.length && !reader.isWhole; read += 1) reader.read(pieces[read] ?? Buffer.of())
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  reader.endsHere()
  const { head } = reader
  if (!reader.isWhole || head === null) return 'it has no end'
  // Unsolicited bytes end a connection.
  const keeps = reader.keepsConnection && read === pieces.length
  const body = joined(received.all()).toString('latin1')
  return { status: head.status, fields: fieldsOf(head, names), body, keeps }
}

/** A socket on which these pieces arrive after any request, and then the end. */
class ScriptedSocket extends Duplex {
  timeout = 0
  readonly #pieces: readonly Buffer[]
  readonly #onread: OnReadOpts
  readonly #onDelivered: () => void

  constructor(pieces: readonly Buffer[], onread: OnReadOpts, onDelivered: () => void) {
    super()
    this.#onDelivered = onDelivered
    this.#pieces = pieces
    this.#onread = onread
    setImmediate(() => this.emit('connect'))
  }

  setTimeout(ms: number): this {
    this.timeout = ms
    return this
  }

  override _read(): void {}

  override _write(_bytes: Buffer, _encoding: BufferEncoding, done: () => void): void {
    done()
    setImmediate(() => this.#deliver(0))
  }

  /** One piece a turn, so that the reader of the body is woken for each. */
  #deliver(index: number): void {
    const piece = this.#pieces[index]
    if (this.destroyed || piece === undefined) {
      this.#onDelivered()
      this.resume().push(null)
      return
    }
    const { buffer, callback } = this.#onread
    piece.copy(buffer as Buffer)
    callback(piece.length, buffer as Buffer)
    setImmediate(() => this.#deliver(index + 1))
  }
}

/** How the same answer is read through a connection, head first, then piece by piece; in one word why it breaks. */
export async function readInPieces(pieces: readonly Buffer[], names: readonly string[]): Promise<Reading | string> {
  let isIdle = false
  const owner = {
    giveBack: () => (isIdle = true),
    forget: () => (isIdle = false),
  }
  const kept = Promise.withResolvers<boolean>()
  const connect: Connect = (onread, { ready, failed }) => {
    const socket = new ScriptedSocket(pieces, onread, () => kept.resolve(isIdle)) as unknown as Socket
    return socket.on('error', failed).once('connect', () => ready(socket))
  }
  const endpoint = {
    pool: { take: () => new UpstreamConnection(connect, owner) },
    path: '/',
    fields: '',
    refused: null,
    proxy: null,
  }
  const options = { method: 'GET' as const, body: null, timeoutMs: 600_000, presence: null }
  const answer = await new Promise<UpstreamAnswer | { kind: string }>((resolve) =>
    new StreamedExchange(endpoint, options, resolve).start(),
  )
  if (!('next' in answer)) return answer.kind
  let body = ''
  let part = await answer.next()
  for (; part.kind === 'piece'; part = await answer.next()) body += part.bytes.toString('latin1')
  if (part.kind !== 'end') return part.kind
  return { status: answer.status, fields: fieldsOf(answer.headers, names), body, keeps: await kept.promise }
}
