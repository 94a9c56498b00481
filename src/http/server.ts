import type { IncomingMessage, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { GatewayError } from '../domain/errors.ts'
import { Arrivals } from './arrivals.ts'
import { BodyMemory } from './body-memory.ts'
import {
  type AnyReply,
  type Bodies,
  type Call,
  CallerLeftError,
  type HttpRoute,
  type Reply,
  type Sink,
  type StreamHead,
} from './call.ts'
import { Connections } from './connections.ts'
import { type ListenPlace, listen } from './listen.ts'
import { acceptWaiting } from './node/accept-waiting.ts'
import { forward, type HeaderOf, headersOf, peerOf, type ThreadRouting } from './node/forward-to-thread.ts'
import { IncomingCall } from './node/incoming-call.ts'
import { type Fields, send } from './node/send.ts'
import { refuseUnreadable } from './node/unreadable.ts'
import type { Asked } from './raw/plain-head.ts'
import { detachNodeHttp, type RawAnswer, type RawSocketRoute, serveRawSockets } from './raw/raw-socket.ts'
import { fieldText, responseHead } from './raw/response-text.ts'
import { asGatewayError, writeContractError } from './respond.ts'
import { createRouter, type Match, type Router } from './router.ts'
import { ResponseSink, UNSENT_BYTES } from './sinks.ts'

// Not imported: that would load every export of the module, WebSocket with a second undici among them.
const { createServer: createHttpServer } = process.getBuiltinModule('node:http')

export interface ServerOptions {
  routes: readonly HttpRoute[]
  /** `prefix`: of the route, if it has one. */
  newRequestId(prefix?: string): string
  /** Our own faults, for the log. */
  onFault(error: GatewayError, call: { id: string; method: string; path: string }): void
  /** Of sheddable routes. */
  admission?: Admission
  /** Limits of request bodies; none by default. */
  bodies?: Bodies
  /** Where other threads serve what this one does not. */
  threadRouting?: ThreadRouting
  /** Requests come from threads of this process, which say who sent them. */
  isInternal?: boolean
  /** Called with the number of open connections. */
  onConnections?(open: number): void
  /** Checked before each whole answer: true closes its connection, so that the client reconnects. */
  mayCloseOne?(): boolean
}

/** No limits on memory and time. */
function unbounded(): Bodies {
  const bytes = Number.POSITIVE_INFINITY
  return { memory: new BodyMemory({ bytes, bytesPerOwner: bytes }), arrivals: new Arrivals({ everyMs: 0, bytes: 0 }) }
}

/** Decides, usually at once, why a call is refused; null: it is taken. A refusal is never decided at once. */
export type Admission = (decide: (refusal: GatewayError | null) => void) => void

export interface Server {
  /** Resolves with the URL once it listens. */
  listen(place: ListenPlace): Promise<string>
  /**
   * Takes no new connections; resolves when the calls in flight are answered. An idle connection may bring one more request
   * within the grace: a load balancer that sends on a connection while we close it cannot know whether the request arrived,
   * and must not repeat it.
   */
  drain(idleGraceMs?: number): Promise<void>
  /** Cuts off what is still in flight. */
  destroy(): void
}

/** Until then a whole request must have arrived, also the largest on a slow connection. */
const REQUEST_TIMEOUT_MS = 300_000
/** Longer than load balancers keep idle connections: they must be the ones to close. */
const KEEP_ALIVE_MS = 72_000

interface Context {
  options: ServerOptions
  router: Router
  connections: Connections
  bodies: Bodies
  isDraining: boolean
}

/** `node:http` and a router; busy routes are served on the bare socket. */
export function createServer(options: ServerOptions): Server {
  const timeouts = { requestTimeout: REQUEST_TIMEOUT_MS, keepAliveTimeout: KEEP_ALIVE_MS }
  const server = createHttpServer({ ...timeouts, highWaterMark: UNSENT_BYTES })
  const handToNodeHttp = detachNodeHttp(server)
  const { routes, bodies = unbounded(), threadRouting, onConnections } = options
  const connections = new Connections(server, onConnections)
  const context: Context = { options, router: createRouter(routes), connections, bodies, isDraining: false }
  const raw = routes.filter(({ usesRawSocket }) => usesRawSocket).map((route) => rawSocketRoute(route, context))
  const isForOtherThread = threadRouting && ((header: HeaderOf) => threadRouting.threadFor(header) !== null)
  const rawOptions = {
    routes: raw,
    connections,
    bodies,
    idleMs: KEEP_ALIVE_MS,
    ...(isForOtherThread && { isForOtherThread }),
  }
  const rawSockets = serveRawSockets(server, handToNodeHttp, rawOptions)
  server.on('request', (request, response) => void serve(request, response, context))
  server.on('clientError', (error, socket) => refuseUnreadable(error, socket as Socket, connections))
  return {
    listen: (place) => listen(server, place),
    async drain(idleGraceMs = 0) {
      await acceptWaiting()
      // Not the close() of node:http, which would close idle connections.
      const ended = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()))
      // Only now: answers that close their connections make a load balancer open others.
      context.isDraining = true
      const grace = new AbortController()
      if (idleGraceMs > 0)
        await Promise.race([ended, sleep(idleGraceMs, null, { signal: grace.signal }).catch(() => {})])
      grace.abort()
      // A request that has arrived on an idle connection is read before that is closed.
      await acceptWaiting()
      connections.endSilent()
      rawSockets.endIdle()
      server.close(() => {})
      await ended
    },
    destroy() {
      connections.sendAway()
      rawSockets.destroy()
      server.closeAllConnections()
    },
  }
}

function rawSocketRoute(route: HttpRoute, context: Context): RawSocketRoute {
  const { options } = context
  const newRequestId = () => options.newRequestId(route.idPrefix)
  const refused = (error: GatewayError, id: string) => rawAnswer(writeError(route, error, id), id, route, context)
  const admission = route.isSheddable === true ? options.admission : undefined
  return {
    ...lineOf(route.path),
    newRequestId,
    enter(decide) {
      if (admission === undefined) decide(null)
      else {
        admission((refusal) => decide(refusal === null ? null : refused(refusal, newRequestId())))
      }
    },
    streamHead: (head, id) => {
      const fields = streamFields(head, id, route, context)
      const lasts = fields['connection'] === 'close' ? '' : LASTING
      return responseHead(head.status, `${fieldText(fields)}${lasts}transfer-encoding: chunked\r\n`)
    },
    respond: (call) =>
      replyFor(route, call, options).then((reply) => {
        try {
          return reply === null ? null : rawAnswer(reply, call.id, route, context)
        } catch (error) {
          options.onFault(asGatewayError(error), { id: call.id, method: call.method, path: route.path })
          return null
        }
      }),
  }
}

function lineOf(path: string): Pick<RawSocketRoute, 'requestLine' | 'readRest'> {
  if (!path.endsWith('/*')) return { requestLine: `POST ${path} HTTP/1.1\r\n` }
  return { requestLine: `POST ${path.slice(0, -1)}`, readRest }
}

/** Without letters that would have to be decoded, and with one field of the query at most. */
const REST = /^([\w.~:/-]+)(?:\?(\w+)=(\w*))? HTTP\/1\.1$/

function readRest(rest: string): Asked | null {
  const [, path, name, value = ''] = REST.exec(rest) ?? []
  if (path === undefined) return null
  return { params: { '*': path }, query: name === undefined ? {} : { [name]: value } }
}

function rawAnswer(reply: AnyReply, id: string, route: HttpRoute, context: Context): RawAnswer {
  if ('pieces' in reply) throw new TypeError('the raw-socket path sends whole answers and event streams only')
  if ('rest' in reply) return { ...reply, isLast: closesConnection(reply, context) }
  const { status, body, headers } = reply
  const isLast = closesConnection(reply, context) || context.options.mayCloseOne?.() === true
  // As `fieldsOf`, but written down at once: the fields of a reply may belong to several answers.
  const sent = headers['x-gateway-request-id'] ?? id
  let fields = headers['x-gateway-request-id'] === undefined ? `x-gateway-request-id: ${sent}\r\n` : ''
  fields += `x-request-id: ${sent}\r\n`
  if (route.idHeader !== undefined) fields += `${route.idHeader}: ${sent}\r\n`
  fields += `content-length: ${Buffer.byteLength(body)}\r\n${isLast ? CLOSING : LASTING}`
  return { head: responseHead(status, fieldText(route.headers, headers) + fieldText(headers) + fields), body, isLast }
}

const CLOSING = 'connection: close\r\n'
/** Keep-alive headers as Node writes them. */
const LASTING = `connection: keep-alive\r\nkeep-alive: timeout=${KEEP_ALIVE_MS / 1000}\r\n`

function streamFields(head: StreamHead, id: string, route: Match['route'], context: Context): Fields {
  return { ...fieldsOf({ ...head, body: '' }, id, route, context), trailer: head.trailers.join(', ') }
}

/** One request from its head to its answer. */
async function serve(request: IncomingMessage, response: ServerResponse, context: Context): Promise<void> {
  const { options, connections } = context
  const { method = '', url = '', socket } = request
  const client = connections.arrive(socket, response)
  const { route, params } = context.router.find(method, url)
  const path = options.threadRouting?.pathFor(route.path, headersOf(request))
  if (path !== undefined && path !== null) {
    await forward(request, response, { path, client, isLast: () => context.isDraining })
    connections.answered(socket, client)
    return
  }
  const id = options.newRequestId(route.idPrefix)
  const openStream = (head: StreamHead, first: string): Sink => {
    const fields = streamFields(head, id, route, context)
    // Without chunks, as for HTTP/1.0, there are no trailers, and Node refuses to announce any.
    if (!response.useChunkedEncodingByDefault) delete fields['trailer']
    response.writeHead(head.status, fields)
    if (first === '') response.flushHeaders()
    else response.write(first)
    return new ResponseSink(response)
  }
  const remoteAddress = options.isInternal === true ? peerOf(request) : socket.remoteAddress
  const known = { id, params, presence: client, openStream, remoteAddress }
  const call = new IncomingCall(request, known, context.bodies)
  const refusal = route.isSheddable === true ? await refusalOf(route, id, options) : null
  const reply = refusal ?? (client.left ? null : await replyFor(route, call, options))
  try {
    const fieldsFor = () => fieldsOf(reply, call.id, route, context)
    const sending = send(reply, response, fieldsFor, (fields) => spread(fields, context))
    // Only streamed replies are awaited.
    if (sending !== undefined) await sending
  } catch (error) {
    // A part of the answer may be sent: closing the connection shows that it is not complete.
    response.destroy()
    if (!client.left) options.onFault(asGatewayError(error), { id: call.id, method, path: route.path })
  }
  call.release()
  connections.answered(socket, client)
}

async function refusalOf(route: Match['route'], id: string, { admission }: ServerOptions): Promise<Reply | null> {
  const refusal = admission === undefined ? null : await new Promise(admission)
  return refusal === null ? null : writeError(route, refusal, id)
}

/** Null: the client left, so there is no answer to send. */
async function replyFor(route: Match['route'], call: Call, options: ServerOptions): Promise<AnyReply | null> {
  try {
    return await route.handle(call)
  } catch (error) {
    if (error instanceof CallerLeftError) return null
    const known = asGatewayError(error)
    if (known.status === 500) options.onFault(known, { id: call.id, method: call.method, path: route.path })
    return writeError(route, known, call.id)
  }
}

function writeError({ writeError = writeContractError }: Match['route'], error: GatewayError, id: string): Reply {
  return writeError(error, id)
}

function fieldsOf(reply: AnyReply | null, id: string, route: Match['route'], context: Context): Fields {
  const fields: Fields = { ...route.headers, ...(reply !== null && 'headers' in reply ? reply.headers : null) }
  // A replayed answer carries the id of the first.
  fields['x-gateway-request-id'] ??= id
  // The official clients show this one, with errors too.
  fields['x-request-id'] = fields['x-gateway-request-id']
  if (route.idHeader !== undefined) fields[route.idHeader] = fields['x-gateway-request-id']
  if (closesConnection(reply, context)) fields['connection'] = 'close'
  return fields
}

/**
 * Asked when the answer is sent: a connection that was busy when the drain began must not be kept open. A client whose body
 * was too slow is not given the time to send the rest.
 */
function closesConnection(reply: AnyReply | null, context: Context): boolean {
  return context.isDraining || (reply !== null && 'status' in reply && reply.status === 408)
}

/** Connections spread evenly over threads when those that have too many let some go. */
function spread(fields: Fields, { options }: Context): void {
  if (options.mayCloseOne?.() === true) fields['connection'] = 'close'
}
