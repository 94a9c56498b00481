import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { problemInCloud } from '../../../simulator/anthropic/cloud-rules.ts'
import type { Json } from '../../harness.ts'

/** What the cloud was asked, tokens aside. */
export interface CloudCall {
  path: string
  headers: IncomingMessage['headers']
  body: Json
}

export interface Cloud {
  url: string
  calls: CloudCall[]
  tokens: string[]
  /** All tokens so far are refused from now on. */
  expire(): void
  /** Tokens are refused with this. */
  refuseTokens(refusal: object | null): void
  /** Tokens are asked for and never answered. */
  hangTokens(hangs: boolean): void
  serviceAccount(): string
  close(): Promise<void>
}

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
})

const PLACE = '/v1/projects/my-project/locations/us-central1'
const GOOGLE = new RegExp(`^${PLACE}/publishers/google/models/([^/:]+:\\w+)$`)
const CLAUDE = new RegExp(`^${PLACE}/publishers/anthropic/models/([^/:]+):(rawPredict|streamRawPredict)$`)

/** What users of the cloud found to be taken; the last ones are for tests. */
const TAKEN = [
  /^(?:claude-code-20250219|context-management-2025-06-27|interleaved-thinking-2025-05-14|web-search-2025-03-05)$/,
  /^(?:context-1m-2025-08-07|tool-search-tool-2025-10-19|computer-use-2025-(?:01|11)-24)$/,
  /^a-\d$/,
]

/** The cloud names all betas that it does not take. */
function problemWith(body: Json, header: string): string | null {
  const betas = header.split(',').map((beta) => beta.trim())
  const unknown = betas.filter((beta) => beta !== '' && !TAKEN.some((taken) => taken.test(beta)))
  if (unknown.length === 0) return problemInCloud(body, betas)
  const named = unknown.map((beta) => `\`${beta}\``).join(', ')
  return `Unexpected value(s) ${named} for the \`anthropic-beta\` header. Please consult our documentation at docs.anthropic.com or try again without the header.`
}

/** Tokens, and the doors to the simulated vendors behind them. */
export async function startCloud(behind: {
  geminiUrl: string
  anthropicUrl: string
  openaiUrl: string
}): Promise<Cloud> {
  const calls: CloudCall[] = []
  const tokens: string[] = []
  let valid = new Set<string>()
  let refusal: object | null = null
  let hangs = false

  /** Where a request goes behind the door, and what it becomes there. */
  function behindDoor(
    url: URL,
    body: Json,
    betas: string,
  ): { url: string; headers: Record<string, string>; body: Json } | null {
    const google = GOOGLE.exec(url.pathname)
    if (google)
      return {
        url: `${behind.geminiUrl}/v1beta/models/${google[1]}${url.search}`,
        headers: { 'x-goog-api-key': 'k' },
        body,
      }
    const [, model, method] = CLAUDE.exec(url.pathname) ?? []
    const { anthropic_version: version, ...rest } = body ?? {}
    const headers = {
      ...{ 'x-api-key': 'k', 'anthropic-version': '2023-06-01' },
      ...(betas === '' ? {} : { 'anthropic-beta': betas }),
    }
    if (model !== undefined) {
      if (version !== 'vertex-2023-10-16' || (model !== 'count-tokens' && 'model' in rest)) return null
      if (model === 'count-tokens')
        return { url: `${behind.anthropicUrl}/v1/messages/count_tokens`, headers, body: rest }
      if ((method === 'streamRawPredict') !== (rest.stream === true)) return null
      return { url: `${behind.anthropicUrl}/v1/messages`, headers, body: { ...rest, model } }
    }
    if (url.pathname !== `${PLACE}/endpoints/openapi/chat/completions`) return null
    const publisherless = { ...body, model: String(body.model).split('/')[1] }
    return { url: `${behind.openaiUrl}/chat/completions`, headers: { authorization: 'Bearer k' }, body: publisherless }
  }

  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://cloud')
    const text = Buffer.concat(await request.toArray()).toString()
    const json = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (url.pathname === '/token' || url.pathname.startsWith('/computeMetadata/')) {
      if (hangs) return
      if (refusal !== null) return json(400, refusal)
      const token = `ya29.token-${tokens.length}-Zq7secret`
      tokens.push(token)
      valid.add(token)
      return json(200, { access_token: token, expires_in: 3599 })
    }
    const body = text === '' ? null : JSON.parse(text)
    calls.push({ path: url.pathname, headers: request.headers, body })
    if (!valid.has((request.headers.authorization ?? '').replace('Bearer ', ''))) {
      return json(401, {
        error: { code: 401, status: 'UNAUTHENTICATED', message: 'invalid authentication credentials' },
      })
    }
    if (url.pathname === '/v1beta1/publishers/google/models')
      return json(200, { publisherModels: [{ name: 'publishers/google/models/gemini-x' }] })
    const betas = String(request.headers['anthropic-beta'] ?? '')
    const problem = CLAUDE.test(url.pathname) ? problemWith(body, betas) : null
    if (problem !== null)
      return json(400, { type: 'error', error: { type: 'invalid_request_error', message: problem } })
    const to = behindDoor(url, body, betas)
    if (to === null)
      return json(404, { error: { code: 404, status: 'NOT_FOUND', message: `${url.pathname} was not found` } })
    const reply = await fetch(to.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...to.headers },
      body: JSON.stringify(to.body),
    })
    response.writeHead(reply.status, { 'content-type': reply.headers.get('content-type') ?? '' })
    return Readable.fromWeb(reply.body as ReadableStream).pipe(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    calls,
    tokens,
    expire: () => {
      valid = new Set()
    },
    refuseTokens: (with_) => {
      refusal = with_
    },
    hangTokens: (now) => {
      hangs = now
    },
    serviceAccount: () =>
      JSON.stringify({
        type: 'service_account',
        client_email: 'me@p.example',
        private_key: privateKey,
        token_uri: `${url}/token`,
      }),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
