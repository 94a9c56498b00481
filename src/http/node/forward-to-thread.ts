import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import type { Client } from '../connections.ts'

// Not imported: that would load every export of the module, WebSocket with a second undici among them.
const { Agent, request: askHttp } = process.getBuiltinModule('node:http')

export type HeaderOf = (name: string) => string | undefined

/** What other threads of this process serve: by the paths of their sockets, to which a request is passed on. */
export interface ThreadRouting {
  /** Null: this thread serves it itself. `route` is empty for what this one does not know. */
  pathFor(route: string, header: HeaderOf): string | null
  /** The same for a call, whose route this thread knows. */
  threadFor(header: HeaderOf): string | null
}

/** The client of a forwarded request; dropped if a client sends it. */
const PEER = 'x-switchyard-peer'
/** They concern one connection. */
const OF_CONNECTION = new Set(['connection', 'keep-alive', 'proxy-connection', 'expect', PEER])

/** They need chunks, which an HTTP/1.0 client does not know. */
const OF_CHUNKS: ReadonlySet<string> = new Set(['trailer', 'transfer-encoding'])
const NONE: ReadonlySet<string> = new Set()

const agent = new Agent({ keepAlive: true })

export function headersOf({ headers }: IncomingMessage): HeaderOf {
  return (name) => {
    const value = headers[name]
    return Array.isArray(value) ? value.join(', ') : value
  }
}

export function peerOf(request: IncomingMessage): string | undefined {
  return headersOf(request)(PEER)
}

export interface Forwarding {
  /** Of the socket. */
  path: string
  client: Client
  /** Whether the connection closes after the answer. */
  isLast(): boolean
}

/** Passes a request on, and its answer back, both as they come. Resolves when the answer is sent or cannot be. */
export function forward(request: IncomingMessage, response: ServerResponse, forwarding: Forwarding): Promise<void> {
  const { method = '', url = '' } = request
  const headers = [...withoutConnection(request.rawHeaders), PEER, request.socket.remoteAddress ?? '']
  const asked = askHttp({ agent, socketPath: forwarding.path, method, path: url, headers })
  return new Promise((resolve) => {
    // The other side learns that the client has left.
    const stopListening = forwarding.client.onLeave(() => asked.destroy())
    const end = () => {
      stopListening()
      resolve()
    }
    response.once('close', end)
    asked.once('error', () => response.destroy())
    asked.once('response', (answer) => sendBack(answer, response, forwarding))
    request.pipe(asked)
    endWithRequest(request, asked)
  })
}

/** A body that does not arrive to its end must not look whole. */
function endWithRequest(request: IncomingMessage, asked: ClientRequest): void {
  request.once('error', () => asked.destroy())
  request.once('close', () => {
    if (!request.complete) asked.destroy()
  })
}

function sendBack(answer: IncomingMessage, response: ServerResponse, { isLast }: Forwarding): void {
  const headers = withoutConnection(answer.rawHeaders, response.useChunkedEncodingByDefault ? NONE : OF_CHUNKS)
  if (isLast()) headers.push('connection', 'close')
  response.writeHead(answer.statusCode ?? 502, headers)
  // The head of a stream is worth something before its content.
  response.flushHeaders()
  answer.once('end', () => {
    if (response.useChunkedEncodingByDefault) response.addTrailers(pairsOf(answer.rawTrailers))
  })
  // An answer that breaks off is cut, so that its client does not take it for whole.
  answer.once('error', () => response.destroy())
  answer.pipe(response)
}

function withoutConnection(raw: readonly string[], others: ReadonlySet<string> = NONE): string[] {
  const kept = pairsOf(raw).filter(
    ([name]) => !OF_CONNECTION.has(name.toLowerCase()) && !others.has(name.toLowerCase()),
  )
  return kept.flat()
}

function pairsOf(raw: readonly string[]): [name: string, value: string][] {
  return Array.from({ length: raw.length / 2 }, (_, place) => [raw[2 * place] ?? '', raw[2 * place + 1] ?? ''])
}
