import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { Json } from '../harness.ts'

/** One question of the gateway. */
export interface Asked {
  headers: IncomingHttpHeaders
  text: string
  json: Json
}

export type Respond = (asked: Asked, response: ServerResponse) => void

/** An external check; the test decides its answers. */
export interface GuardrailService {
  url: string
  asked: Asked[]
  respond: Respond
  close(): void
}

export const verdict =
  (answer: object, status = 200): Respond =>
  (_, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))

export async function startGuardrail(): Promise<GuardrailService> {
  const server = createServer(async (request, response) => {
    const text = (await buffer(request)).toString()
    const one = { headers: request.headers, text, json: JSON.parse(text) }
    service.asked.push(one)
    service.respond(one, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const service: GuardrailService = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/check`,
    asked: [],
    respond: verdict({ action: 'allow' }),
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
  return service
}
