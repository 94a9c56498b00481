import type { JsonObject } from './json.ts'
import type { Simulator } from './simulator.ts'

export interface Answered {
  status: number
  headers: Headers
  text: string
  /** The parsed body, `{}` when it is not JSON. */
  json: JsonObject & {
    error: JsonObject
    choices: (JsonObject & { message: JsonObject & { tool_calls: JsonObject[] } })[]
    content: JsonObject[]
    usage: JsonObject
    data: JsonObject[]
    output: JsonObject[]
  }
}

/** The ways to ask for an answer that may be streamed. */
export type Format = 'openai' | 'responses' | 'anthropic'

export interface Client {
  openai(body: unknown, options?: CallOptions): Promise<Answered>
  embeddings(body: unknown, options?: CallOptions): Promise<Answered>
  responses(body: unknown, options?: CallOptions): Promise<Answered>
  anthropic(body: unknown, options?: CallOptions): Promise<Answered>
  countTokens(body: unknown, options?: CallOptions): Promise<Answered>
  /** The body is still to be read. */
  open(format: Format, body: unknown, options?: CallOptions): Promise<Response>
  get(url: string): Promise<Answered>
}

export interface CallOptions {
  headers?: Record<string, string>
  signal?: AbortSignal
}

export const HELLO = [{ role: 'user', content: 'hello there' }]

/** Calls both servers as their vendors' clients would. A string body is sent as it is. */
export function connect(simulator: Simulator): Client {
  const anthropicHeaders = { 'x-api-key': 'any', 'anthropic-version': '2023-06-01' }
  const openaiHeaders = { authorization: 'Bearer any' }
  const paths: Record<Format, [url: string, headers: Record<string, string>]> = {
    openai: [`${simulator.openaiUrl}/chat/completions`, openaiHeaders],
    responses: [`${simulator.openaiUrl}/responses`, openaiHeaders],
    anthropic: [`${simulator.anthropicUrl}/v1/messages`, anthropicHeaders],
  }
  const open: Client['open'] = (format, body, options) => post(...paths[format], body, options)
  return {
    open,
    openai: async (body, options) => read(await open('openai', body, options)),
    anthropic: async (body, options) => read(await open('anthropic', body, options)),
    responses: async (body, options) => read(await open('responses', body, options)),
    countTokens: async (body, options) =>
      read(await post(`${simulator.anthropicUrl}/v1/messages/count_tokens`, anthropicHeaders, body, options)),
    embeddings: async (body, options) =>
      read(await post(`${simulator.openaiUrl}/embeddings`, openaiHeaders, body, options)),
    get: async (url) => read(await fetch(url, { headers: { authorization: 'Bearer any', ...anthropicHeaders } })),
  }
}

/** The server notices a client that left a moment later than the client does. */
export async function settled(simulator: Simulator): Promise<void> {
  while (simulator.calls.some((call) => call.outcome === 'pending')) {
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

async function post(url: string, headers: Record<string, string>, body: unknown, options: CallOptions = {}) {
  return fetch(url, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/json', ...headers, ...options.headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    signal: options.signal ?? null,
  })
}

async function read(response: Response): Promise<Answered> {
  const text = await response.text()
  let json: unknown = {}
  try {
    json = JSON.parse(text)
  } catch {
    // Some scenarios send no JSON; their tests look at the text.
  }
  return { status: response.status, headers: response.headers, text, json: json as Answered['json'] }
}
