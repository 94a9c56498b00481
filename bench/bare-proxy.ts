import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Pool } from 'undici'

/**
 * The reference: the least that a gateway on Node must do, with nothing of what makes it one. It parses the body,
 * replaces the model, forwards, parses the answer, replaces id and model. No keys, log, cost, fallback or metrics.
 */
const upstream = new URL(process.argv[2] ?? '')
const pool = new Pool(upstream.origin, { connections: null, pipelining: 1 })
const headers = { authorization: 'Bearer sk-bench', 'content-type': 'application/json' }

const server = createServer((request, response) => {
  forward(request, response).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
    response.destroy()
  })
})

async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = JSON.parse(await textOf(request)) as { model: string }
  const asked = body.model
  body.model = 'gpt-5.4-mini'
  const answered = await pool.request({
    method: 'POST',
    path: '/v1/chat/completions',
    headers,
    body: JSON.stringify(body),
  })
  const answer = (await answered.body.json()) as { id: string; model: string }
  answer.id = 'chatcmpl_bare'
  answer.model = asked
  const text = JSON.stringify(answer)
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }).end(text)
}

function textOf(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
    request.on('error', reject)
  })
}

server.keepAliveTimeout = 600_000
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`bare proxy on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
