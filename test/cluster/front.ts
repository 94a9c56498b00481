import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream/promises'

/** A call that a node took and never answered. */
export interface Cut {
  /** Index of the node. */
  node: number
  sentAt: number
  cutAt: number
}

export interface Front {
  url: string
  /** Calls sent to each node. */
  sent: readonly number[]
  cuts: readonly Cut[]
  /** Streams that each node is sending now. */
  streaming: readonly number[]
  /** Calls for which no node took the connection. */
  unplaced(): number
  close(): Promise<void>
}

/** On every answer of the front itself; the value says which: `cut` (502) or `no-node` (503). */
export const FRONT_HEADER = 'x-front'
/** On every answer of a node: its index. */
export const NODE_HEADER = 'x-front-node'

/**
 * Spreads calls over the nodes in turn, as a plain load balancer does: it passes by a node that refuses the connection,
 * and never sends a call again that a node may have begun. A new connection for each call, so that a broken one always
 * means a broken call.
 */
export async function startFront(nodes: readonly { url: string }[]): Promise<Front> {
  const sent = nodes.map(() => 0)
  const cuts: Cut[] = []
  const streaming = nodes.map(() => 0)
  let turn = 0
  let unplaced = 0

  async function place(call: IncomingMessage, body: Buffer, response: ServerResponse): Promise<void> {
    const first = turn++
    for (let passedBy = 0; passedBy < nodes.length; passedBy++) {
      const node = (first + passedBy) % nodes.length
      const sentAt = Date.now()
      const outcome = await send(nodes[node]?.url ?? '', call, body)
      if (outcome === 'refused') continue
      sent[node] = (sent[node] ?? 0) + 1
      const noteCut = () => cuts.push({ node, sentAt, cutAt: Date.now() })
      if (outcome === 'cut') {
        noteCut()
        response.writeHead(502, { [FRONT_HEADER]: 'cut', [NODE_HEADER]: String(node) }).end()
        return
      }
      response.writeHead(outcome.status, { ...outcome.headers, [NODE_HEADER]: String(node) })
      if ('body' in outcome) response.end(outcome.body)
      else {
        streaming[node] = (streaming[node] ?? 0) + 1
        // A stream that breaks off for a node breaks off for its client.
        const passed = pipeline(outcome.stream, response).catch(noteCut)
        void passed.finally(() => (streaming[node] = (streaming[node] ?? 1) - 1))
      }
      return
    }
    unplaced++
    response.writeHead(503, { [FRONT_HEADER]: 'no-node' }).end()
  }

  const server = createServer((call, response) => {
    void readAll(call).then((body) => place(call, body, response))
  })
  // A connection that is closed for its idleness at the moment of the next call looks like a broken promise.
  server.keepAliveTimeout = 0
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent,
    cuts,
    streaming,
    unplaced: () => unplaced,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

/** Whole, or as it comes. */
type NodeAnswer = { status: number; headers: Record<string, string> } & ({ body: Buffer } | { stream: IncomingMessage })

/** Headers that belong to one connection. */
const OWN_HEADERS = ['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'trailer']

function send(url: string, call: IncomingMessage, body: Buffer): Promise<NodeAnswer | 'refused' | 'cut'> {
  return new Promise((resolve) => {
    const headers = { ...passedOn(call.headers), 'content-length': String(body.length) }
    const outgoing = request(url + call.url, { method: call.method, headers, agent: false }, (answer) => {
      const head = { status: answer.statusCode ?? 0, headers: passedOn(answer.headers) }
      if (answer.headers['content-type']?.startsWith('text/event-stream')) resolve({ ...head, stream: answer })
      else
        readAll(answer).then(
          (body) => resolve({ ...head, body }),
          () => resolve('cut'),
        )
    })
    outgoing.on('error', (error) => resolve('code' in error && error.code === 'ECONNREFUSED' ? 'refused' : 'cut'))
    outgoing.end(body)
  })
}

function passedOn(headers: IncomingMessage['headers']): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => !OWN_HEADERS.includes(name))
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]))
}

/** Rejects when the sender ends before its message does. */
async function readAll(message: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of message) pieces.push(piece as Buffer)
  return Buffer.concat(pieces)
}
