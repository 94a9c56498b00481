import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { RecordedCall } from '../call-log.ts'
import { createFamilyServer } from '../server.ts'
import { createStage, type Stage } from '../stage.ts'
import { vendorFamily } from './vendor-family.ts'

export interface AzureSimulator {
  /** The resource, without a path. */
  url: string
  /** Path and query of every request, as it came. */
  paths: string[]
  /** Header fields of every request for a model. */
  headers: Record<string, string | string[] | undefined>[]
  calls: readonly RecordedCall[]
  script: Stage['script']
  /** How many tokens were asked for; the next ones are good, older ones are not. */
  tokens: { given: number; isRefusing: boolean }
  expireTokens(): void
  close(): Promise<void>
}

export const AZURE_KEY = 'azure-key-0123456789'
export const CLIENT_SECRET = 'client-secret-0123456789'
const VERSIONS = new Set(['2024-10-21', 'preview'])

/** A resource with its two doors, and those who give tokens: an authority, and a metadata server. */
export async function startAzure(): Promise<AzureSimulator> {
  const stage = createStage({ seed: 1, latencyMs: 0, keepCalls: 1000 })
  const inner = createFamilyServer(vendorFamily({ counts: 'asked', chunk: withFilterResults }), stage, null)
  const paths: string[] = []
  const headers: AzureSimulator['headers'] = []
  const tokens = { given: 0, isRefusing: false }
  let oldest = 1
  const isGood = ({ headers: { authorization, 'api-key': key } }: IncomingMessage) => {
    const [, number = '0'] = /^Bearer token-(\d+)$/.exec(authorization ?? '') ?? []
    return key === AZURE_KEY || Number(number) >= oldest
  }
  const server = createServer((request, response) => {
    paths.push(request.url ?? '')
    const url = new URL(request.url ?? '/', 'http://azure')
    if (/\/oauth2\/(v2\.0\/)?token$/.test(url.pathname)) {
      void giveToken(request, response, url, tokens)
      return
    }
    headers.push(request.headers)
    response.setHeader('apim-request-id', 'apim-42')
    if (!isGood(request)) return fail(response, 401, '401', 'Access denied due to invalid subscription key.')
    const path = doorOf(url)
    if (path === null) return fail(response, 404, '404', 'Resource not found')
    const [, deployment] = /deployments\/([^/]+)/.exec(url.pathname) ?? []
    if (deployment?.includes('missing')) {
      return fail(response, 404, 'DeploymentNotFound', 'The API deployment for this resource does not exist.')
    }
    request.url = path
    inner.emit('request', request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    paths,
    headers,
    calls: stage.log.calls,
    script: stage.script,
    tokens,
    expireTokens() {
      oldest = tokens.given + 1
    },
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

/** The path as the vendor's own service has it; null: there is none. */
function doorOf({ pathname, searchParams }: URL): string | null {
  if (pathname.startsWith('/openai/v1/')) return pathname.replace('/openai', '')
  if (!VERSIONS.has(searchParams.get('api-version') ?? '')) return null
  const named = /^\/openai\/deployments\/[^/]+\/(chat\/completions|embeddings)$/.exec(pathname)
  if (named) return `/v1/${named[1]}`
  return /^\/openai\/(responses|models)$/.test(pathname) ? pathname.replace('/openai', '/v1') : null
}

function fail(response: ServerResponse, status: number, code: string, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error: { code, message } }))
}

async function giveToken(
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  tokens: AzureSimulator['tokens'],
): Promise<void> {
  const form = new URLSearchParams(await text(request))
  const isMachine =
    request.method === 'GET' && request.headers['metadata'] === 'true' && url.searchParams.has('resource')
  const isApplication = form.get('client_secret') === CLIENT_SECRET && form.get('grant_type') === 'client_credentials'
  response.setHeader('content-type', 'application/json')
  if (tokens.isRefusing || !(isMachine || isApplication)) {
    const description = `AADSTS7000215: Invalid client secret provided. Trace ID: 1. Secret: ${form.get('client_secret')}`
    response.writeHead(401).end(JSON.stringify({ error: 'invalid_client', error_description: description }))
    return
  }
  tokens.given += 1
  const expiry = isMachine ? { expires_in: '3599', expires_on: '4102444800' } : { expires_in: 3599 }
  response.end(JSON.stringify({ token_type: 'Bearer', access_token: `token-${tokens.given}`, ...expiry }))
}

function withFilterResults(chunk: Record<string, unknown>): void {
  chunk['prompt_filter_results'] = [{ prompt_index: 0, content_filter_results: {} }]
}
