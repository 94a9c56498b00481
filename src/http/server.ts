import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { errorBody, GatewayError } from '../domain/errors.ts'
import type { Presence } from '../domain/presence.ts'
import { readBody } from './body.ts'
import { type AnyReply, type Call, CallerLeftError, type HttpRoute, type Reply, watchPresence } from './call.ts'
import { nearPath } from './near-path.ts'
import { asGatewayError, errorReply } from './respond.ts'

export interface ServerOptions {
  routes: readonly HttpRoute[]
  newRequestId(): string
  /** Faults of ours, for the log. */
  onFault(error: GatewayError, call: { id: string; method: string; path: string }): void
}

export interface Server {
  /** Resolves with the address once it listens. */
  listen(host: string, port: number): Promise<string>
  /** No new connections; resolves when the calls in flight are answered. */
  drain(): Promise<void>
  /** Ends what is still in flight. */
  destroy(): void
}

/** Whose calls are being worked on. */
type Callers = Set<{ leave(): void }>

/** A whole request, 32 MiB on a slow line included, must have arrived by then. */
const REQUEST_TIMEOUT_MS = 300_000
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const

export function createServer(options: ServerOptions): Server {
  let draining = false
  const callers: Callers = new Set()
  const app = Fastify({
    // Bodies are read by the handlers, after the key was checked; this limit would act before.
    bodyLimit: Number.MAX_SAFE_INTEGER,
    requestTimeout: REQUEST_TIMEOUT_MS,
    genReqId: () => options.newRequestId(),
    requestIdHeader: false,
    routerOptions: { maxParamLength: 1024 },
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    frameworkErrors: (error, request, reply) => {
      send(reply, request.id, errorReply(new GatewayError('invalid_request', error.message)))
    },
    clientErrorHandler,
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  // Asked when the answer goes out: a connection that was busy when the drain began would otherwise be kept, and waited for.
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (draining) reply.header('connection', 'close')
    done(null, payload)
  })
  for (const route of options.routes) {
    // Answered in the first hook: after it Fastify judges the content type, and a wrong key must be told before that.
    app.route({
      method: route.method,
      url: route.path,
      onRequest: serve(route, options, callers),
      handler: notReached,
    })
  }
  refuseOtherMethods(app, options.routes)
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? ''
    const near = nearPath(path, options.routes)
    const hint = near === null ? '' : ` Did you mean ${near}?`
    send(reply, request.id, errorReply(new GatewayError('not_found', `There is nothing at ${path}.${hint}`)))
  })
  app.setErrorHandler((error, request, reply) => send(reply, request.id, fault(ours(error), request, options)))
  return {
    listen: (host, port) => app.listen({ host, port }),
    drain() {
      draining = true
      return app.close()
    },
    destroy() {
      // Told at once: what waits for a provider must end because of us, not because the provider's connection is closed.
      for (const caller of callers) caller.leave()
      app.server.closeAllConnections()
    },
  }
}

function notReached(): never {
  throw new Error('the first hook has answered')
}

/** A handler of ours as a hook of Fastify's. It returns nothing: Fastify would wait for the end of what it returns. */
function serve(route: HttpRoute, options: ServerOptions, callers: Callers) {
  return function answer(request: FastifyRequest, reply: FastifyReply): void {
    const presence = watchPresence(request.raw)
    callers.add(presence)
    void respond(route, presence, request, reply, options).finally(() => {
      callers.delete(presence)
      presence.done()
    })
  }
}

async function respond(
  route: HttpRoute,
  presence: Presence,
  request: FastifyRequest,
  reply: FastifyReply,
  options: ServerOptions,
): Promise<void> {
  const call: Call = {
    id: request.id,
    method: request.method,
    params: request.params as Record<string, string>,
    query: () => Object.fromEntries(new URLSearchParams(request.url.split('?', 2)[1] ?? '')),
    header: (name) => headerText(request.headers[name]),
    readBody: (limitBytes) => readBody(request.raw, limitBytes),
    presence,
    receivedAt: performance.now(),
  }
  void reply.headers(route.headers ?? {})
  try {
    const answered = await route.handle(call)
    if (answered === null) abandon(reply)
    else send(reply, request.id, answered)
  } catch (error) {
    if (error instanceof CallerLeftError) abandon(reply)
    else send(reply, request.id, fault(error, request, options))
  }
}

/** Nobody is left to answer; Fastify is told not to try. */
function abandon(reply: FastifyReply): void {
  reply.hijack()
  reply.raw.destroy()
}

function send(reply: FastifyReply, requestId: string, answered: AnyReply): void {
  // A repeated answer carries the id of the first.
  const id = answered.headers['x-gateway-request-id'] ?? requestId
  void reply
    .code(answered.status)
    .headers(answered.headers)
    .header('x-gateway-request-id', id)
    // Under this name the official clients show it, with errors too.
    .header('x-request-id', id)
    .send(payloadOf(answered))
}

function payloadOf(answered: AnyReply): string | Buffer | Readable {
  if ('pieces' in answered) return Readable.from(answered.pieces)
  return 'bytes' in answered ? answered.bytes : answered.body
}

/** Where Fastify itself refuses a request (a content type that is none, at an unknown path), the caller is to blame. */
function ours(error: unknown): unknown {
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined
  if (status === 415) return new GatewayError('unsupported_media_type')
  return status === 400 ? new GatewayError('invalid_request') : error
}

function fault(error: unknown, request: FastifyRequest, options: ServerOptions): Reply {
  const known = asGatewayError(error)
  if (known.status === 500) {
    options.onFault(known, { id: request.id, method: request.method, path: request.routeOptions.url ?? '' })
  }
  return errorReply(known)
}

/** A known path with a method it does not take is 405 with `Allow`, not 404. */
function refuseOtherMethods(app: FastifyInstance, routes: readonly HttpRoute[]): void {
  const methodsOf = new Map<string, Set<string>>()
  for (const route of routes) {
    const methods = methodsOf.get(route.path) ?? new Set()
    methods.add(route.method)
    if (route.method === 'GET') methods.add('HEAD')
    methodsOf.set(route.path, methods)
  }
  for (const [path, taken] of methodsOf) {
    const allow = [...taken].join(', ')
    app.route({
      method: METHODS.filter((method) => !taken.has(method)),
      url: path,
      onRequest: (request, reply) => {
        const error = new GatewayError('method_not_allowed', `${path} takes ${allow}, not ${request.method}.`)
        send(reply, request.id, errorReply(error, { allow }))
      },
      handler: notReached,
    })
  }
}

/** What is not even HTTP gets one answer in our shape, then the connection ends. */
function clientErrorHandler(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const isTimeout = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
  const text = isTimeout ? 'The request did not arrive in time.' : 'This is not a readable HTTP request.'
  const body = JSON.stringify(errorBody(new GatewayError('invalid_request', text)))
  socket.end(
    `HTTP/1.1 ${isTimeout ? '408 Request Timeout' : '400 Bad Request'}\r\nconnection: close\r\n` +
      `content-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

function headerText(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value
}
