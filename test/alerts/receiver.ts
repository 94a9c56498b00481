import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Json } from '../harness.ts'

export interface ReceivedMessage {
  path: string
  headers: IncomingHttpHeaders
  text: string
  json: Json
}

export interface Receiver {
  url: string
  received: ReceivedMessage[]
  /** What it answers from now on. */
  answers(status: number, headers?: Record<string, string>): void
  /** Whether it never answers, from now on. */
  hangs(isHanging: boolean): void
  close(): Promise<void>
}

/** A receiver of webhooks. */
export async function startReceiver(): Promise<Receiver> {
  const received: ReceivedMessage[] = []
  let status = 204
  let isHanging = false
  let headers: Record<string, string> = {}
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString('utf8')
    received.push({ path: request.url ?? '', headers: request.headers, text, json: JSON.parse(text) })
    if (!isHanging) response.writeHead(status, headers).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answers(code, more = {}) {
      status = code
      headers = more
    },
    hangs(value) {
      isHanging = value
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
