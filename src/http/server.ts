import type { IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { GatewayError } from '../domain/errors.ts'
import { Arrivals } from './arrivals.ts'
import { BodyMemory } from './body-memory.ts'
import { type AnyReply, type Bodies, type Call, CallerLeftError, type HttpRoute, type Reply } from './call.ts'
import { Connections } from './connections.ts'
import { IncomingCall } from './incoming-call.ts'
import { type LaneAnswer, type LaneDesk, openLane, takeConnections } from './raw-socket.ts'
import { repeatedAnswer } from './repeated-answer.ts'
import { asGatewayError, errorReply } from './respond.ts'
import { responseHead } from './response-text.ts'
import { createRouter, type Match, type Router } from './router.ts'
import { refuseUnreadable } from './unreadable.ts'

/**
 * Not by import: that reads every export of the module once, and one of them, WebSocket, brings a second undici along,
 * 13 MB and 70 ms.
 */
const { createServer: createHttpServer, STATUS_CODES } = process.getBuiltinModule('node:http')

export interface ServerOptions {
  routes: readonly HttpRoute[]
  newRequestId(): string
  /** Faults of ours, for the log. */
  onFault(error: GatewayError, call: { id: string; method: string; path: string }): void
  /** Of the calls that may be shed. */
  admission?: Admission
  /** What bodies may take; without it nothing is bounded. */
  bodies?: Bodies
}

/** Memory and time without bounds. */
function unbounded(): Bodies {
  const bytes = Number.POSITIVE_INFINITY
  return { memory: new BodyMemory({ bytes, bytesPerOwner: bytes }), arrivals: new Arrivals({ everyMs: 0, bytes: 0 }) }
}

/** Tells, at once as a rule, what a call gets instead of being taken; null: it is taken. A refusal is never told at once. */
export type Admission = (decide: (refusal: Reply | null) => void) => void

export interface Server {
  /** Resolves with the address once it listens. */
  listen(host: string, port: number): Promise<string>
  /**
   * No new connections; resolves when the calls in flight are answered. Connections on which nothing is asked may bring one
   * more request for so long: a load balancer that sends one over a connection that we end at that moment cannot know
   * whether it arrived, and must not repeat it.
   */
  drain(idleGraceMs?: number): Promise<void>
  /** Ends what is still in flight. */
  destroy(): void
}

/** A whole request, 32 MiB on a slow line included, must have arrived by then. */
const REQUEST_TIMEOUT_MS = 300_000
/** Longer than the minute for which load balancers keep their connections: they must be the ones who close. */
const KEEP_ALIVE_MS = 72_000

/** Connections that wait to be taken: beyond it the system drops them, and they come again a second later. */
const BACKLOG = 4_096

/** What every request of one server needs. */
interface Desk {
  options: ServerOptions
  router: Router
  connections: Connections
  bodies: Bodies
  draining: boolean
}

/** `node:http` and a router, and for the one busy path a lane of its own. */
export function createServer(options: ServerOptions): Server {
  const server = createHttpServer({ requestTimeout: REQUEST_TIMEOUT_MS, keepAliveTimeout: KEEP_ALIVE_MS })
  const toNode = takeConnections(server)
  const connections = new Connections(server)
  const { routes, bodies = unbounded() } = options
  const desk: Desk = { options, router: createRouter(routes), connections, bodies, draining: false }
  const lane = openLane(server, toNode, laneDesk(desk), KEEP_ALIVE_MS)
  server.on('request', (request, response) => void serve(request, response, desk))
  server.on('clientError', (error, socket) => refuseUnreadable(error, socket as Socket, connections))
  return {
    listen: (host, port) =>
      new Promise((resolve, reject) => {
        server.once('error', reject)
        server.listen({ port, host, backlog: BACKLOG }, () => {
          server.removeListener('error', reject)
          resolve(addressOf(server.address() as AddressInfo))
        })
      }),
    async drain(idleGraceMs = 0) {
      desk.draining = true
      // Connections that wait to be taken are taken first: the system would reset them, whatever was sent on them.
      for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve))
      // Not the close() of node:http, which would end connections that are idle.
      const ended = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()))
      const grace = new AbortController()
      if (idleGraceMs > 0)
        await Promise.race([ended, sleep(idleGraceMs, null, { signal: grace.signal }).catch(() => {})])
      grace.abort()
      connections.endSilent()
      lane.endIdle()
      server.close(() => {})
      await ended
    },
    destroy() {
      connections.sendAway()
      lane.destroy()
      server.closeAllConnections()
    },
  }
}

function laneDesk(desk: Desk): LaneDesk {
  const { options, connections } = desk
  const route = options.routes.find((candidate) => candidate.hasLane === true)
  const refuse = route === undefined ? null : repeatedAnswer((reply, id) => laneAnswer(reply, id, route, desk))
  return {
    path: route?.path ?? null,
    connections,
    bodies: desk.bodies,
    newRequestId: options.newRequestId,
    enter(decide) {
      const { admission } = options
      if (route?.sheds !== true || refuse === null || admission === undefined) return decide(null)
      admission((reply) => {
        if (reply === null) return decide(null)
        const id = options.newRequestId()
        // The last answer on a connection is not the same as the others.
        decide(desk.draining ? laneAnswer(reply, id, route, desk) : refuse(reply, id, Date.now()))
      })
    },
    async respond(call) {
      if (route === undefined) return null
      const reply = await replyFor(route, call, options)
      try {
        return reply === null ? null : laneAnswer(reply, call.id, route, desk)
      } catch (error) {
        options.onFault(asGatewayError(error), { id: call.id, method: call.method, path: route.path })
        return null
      }
    },
  }
}

function laneAnswer(reply: AnyReply, id: string, route: HttpRoute, desk: Desk): LaneAnswer {
  if ('pieces' in reply) throw new TypeError('the lane takes whole answers only')
  const body = 'bytes' in reply ? reply.bytes : reply.body
  const fields = fieldsOf(reply, id, route, desk)
  fields['content-length'] = Buffer.byteLength(body)
  const isLast = endsConnection(reply, desk)
  if (!isLast) {
    fields['connection'] = 'keep-alive'
    fields['keep-alive'] = `timeout=${KEEP_ALIVE_MS / 1000}`
  }
  const head = responseHead(reply.status, STATUS_CODES[reply.status] ?? '', fields)
  return { head, body, isLast }
}

/** One request from its head to its answer. */
async function serve(request: IncomingMessage, response: ServerResponse, desk: Desk): Promise<void> {
  const { options, connections } = desk
  const { method = '', url = '', socket } = request
  const caller = connections.arrive(socket, response)
  const { route, params } = desk.router.find(method, url) ?? desk.router.nowhere(url)
  const call = new IncomingCall(request, { id: options.newRequestId(), params, presence: caller }, desk.bodies)
  const refusal = route.sheds === true ? await refusalOf(options) : null
  const reply = refusal ?? (caller.left ? null : await replyFor(route, call, options))
  try {
    const sending = send(reply, { response, id: call.id, route, desk })
    // Only what is written piece by piece is waited for.
    if (sending !== undefined) await sending
  } catch (error) {
    // Half of an answer is out: the connection tells the rest.
    response.destroy()
    if (!caller.left) options.onFault(asGatewayError(error), { id: call.id, method, path: route.path })
  }
  call.release()
  connections.answered(socket, caller)
}

async function refusalOf({ admission }: ServerOptions): Promise<Reply | null> {
  return admission === undefined ? null : new Promise(admission)
}

/** Null: the caller left, and there is nobody to answer. */
async function replyFor(route: Match['route'], call: Call, options: ServerOptions): Promise<AnyReply | null> {
  try {
    return await route.handle(call)
  } catch (error) {
    if (error instanceof CallerLeftError) return null
    const known = asGatewayError(error)
    if (known.status === 500) options.onFault(known, { id: call.id, method: call.method, path: route.path })
    return errorReply(known)
  }
}

interface Sending {
  response: ServerResponse
  id: string
  route: Match['route']
  desk: Desk
}

function send(reply: AnyReply | null, { response, id, route, desk }: Sending): Promise<void> | void {
  if (reply === null) {
    response.destroy()
    return
  }
  const fields = fieldsOf(reply, id, route, desk)
  if ('pieces' in reply) {
    response.writeHead(reply.status, fields)
    return pipeline(Readable.from(reply.pieces), response)
  }
  const payload = 'bytes' in reply ? reply.bytes : reply.body
  if (hasBody(reply.status)) fields['content-length'] ??= Buffer.byteLength(payload)
  response.writeHead(reply.status, fields).end(payload)
}

function fieldsOf(reply: AnyReply, id: string, route: Match['route'], desk: Desk): Record<string, string | number> {
  const fields: Record<string, string | number> = { ...route.headers, ...reply.headers }
  // A repeated answer carries the id of the first.
  fields['x-gateway-request-id'] ??= id
  // Under this name the official clients show it, with errors too.
  fields['x-request-id'] = fields['x-gateway-request-id']
  if (endsConnection(reply, desk)) fields['connection'] = 'close'
  return fields
}

/**
 * Asked when the answer goes out: a connection that was busy when the drain began would otherwise be kept, and waited for.
 * Who was too slow with a body is not given the time to send the rest.
 */
function endsConnection(reply: AnyReply, desk: Desk): boolean {
  return desk.draining || reply.status === 408
}

function hasBody(status: number): boolean {
  return status !== 204 && status !== 304
}

function addressOf({ address, family, port }: AddressInfo): string {
  // Who listens everywhere is reached here.
  if (address === '0.0.0.0') return `http://127.0.0.1:${port}`
  if (address === '::') return `http://[::1]:${port}`
  return family === 'IPv6' ? `http://[${address}]:${port}` : `http://${address}:${port}`
}
