import { createHash } from 'node:crypto'
import { Agent, createServer, type IncomingMessage, request as openRequest, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Pool } from 'undici'

/**
 * The references: the minimum that a gateway on Node must do. `hop` looks a key up by its SHA-256, parses the body,
 * replaces the model, forwards over keep-alive, parses the answer, replaces id and model, and adds the cost and five
 * headers. `pipe` forwards the bytes as they come, with nothing but `node:http`. No limits, log,
 * translation, fallback or metrics.
 */
const upstream = new URL(process.argv[2] ?? '')
const mode = process.argv[3] ?? 'hop'
const key = process.argv[4] ?? ''

const pool = new Pool(upstream.origin, { connections: null, pipelining: 1 })
const headers = { authorization: 'Bearer sk-bench', 'content-type': 'application/json' }
const keys = new Map([[hash(`Bearer ${key}`), { name: 'bench', model: 'gpt-5.4-mini' }]])

const agent = new Agent({ keepAlive: true })
const forward = { hop, pipe }[mode] ?? hop
const server = createServer((request, response) => {
  forward(request, response).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
    response.destroy()
  })
})

interface Answer {
  id: string
  model: string
  usage: { prompt_tokens: number; completion_tokens: number }
}

async function hop(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const known = keys.get(hash(request.headers.authorization ?? ''))
  if (known === undefined) {
    response.writeHead(401).end()
    return
  }
  const body = JSON.parse((await bytesOf(request)).toString('utf8')) as { model: string }
  const asked = body.model
  body.model = known.model
  const began = performance.now()
  const answered = await send(JSON.stringify(body))
  const answer = JSON.parse(await answered.text()) as Answer
  answer.id = 'chatcmpl_bare'
  answer.model = asked
  const cost = answer.usage.prompt_tokens * 0.25e-6 + answer.usage.completion_tokens * 2e-6
  const text = JSON.stringify(answer)
  response
    .writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      'x-gateway-provider': 'openai',
      'x-gateway-model': known.model,
      'x-gateway-fallback-used': 'false',
      'x-gateway-cost-usd': cost.toFixed(6),
      'x-gateway-latency-ms': String(Math.round(performance.now() - began)),
    })
    .end(text)
}

async function pipe(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const options = { agent, method: 'POST', path: request.url, headers: { ...request.headers, host: upstream.host } }
  const forwarded = openRequest(upstream, options, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  forwarded.on('error', () => response.destroy())
  request.pipe(forwarded)
}

async function send(body: string | Buffer) {
  const { body: answer } = await pool.request({ method: 'POST', path: '/v1/chat/completions', headers, body })
  return answer
}

function bytesOf(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => resolve(Buffer.concat(chunks)))
    request.on('error', reject)
  })
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

server.keepAliveTimeout = 600_000
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`bare proxy on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
