import type { z } from 'zod'
import { CONTRACT, type Contract } from '../management/contract/contract.ts'
import type { InputOf, Operation } from '../management/contract/operation.ts'
import { CliError } from './cli-error.ts'
import { programName } from './program-name.ts'

export type OperationName = keyof Contract & string

/** What an operation is called with; what its schemas fill in may be left out. */
export type CallInput<O extends Operation> = {
  params?: z.input<O['params']>
  query?: z.input<O['query']>
  body?: z.input<O['body']>
  /** The version to change; 412 when it is no longer the newest. */
  ifMatch?: string | undefined
}

type Answer<O extends Operation> = O['stream'] extends readonly string[] ? AsyncIterable<string> : z.output<O['reply']>

export interface ApiClient {
  /** Of the gateway. */
  url: string
  call<Name extends OperationName>(name: Name, input?: CallInput<Contract[Name]>): Promise<Answer<Contract[Name]>>
  /** For callers that know an operation only by its row. */
  callAny(operation: Operation, input: AnyInput): Promise<unknown>
  stream(operation: Operation, input: AnyInput): AsyncIterable<string>
}

export interface AnyInput {
  params: Record<string, unknown>
  query: Record<string, unknown>
  body: unknown
  ifMatch?: string | undefined
}

export interface ClientOptions {
  url: string
  /** Asked for when the first call is made: help needs no key. */
  adminKey(): string
}

/** The management API as functions derived from the contract: no path or field is named here. */
export function createClient(options: ClientOptions): ApiClient {
  const ask = (operation: Operation, input: AnyInput) => request(options, operation, input)
  const callAny = async (operation: Operation, input: AnyInput): Promise<unknown> => {
    const response = await ask(operation, input)
    return response.status === 204 ? undefined : readJson(response, options.url)
  }
  async function* stream(operation: Operation, input: AnyInput): AsyncIterable<string> {
    const response = await ask(operation, input)
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) yield decoder.decode(chunk, { stream: true })
    yield decoder.decode()
  }
  return {
    url: options.url,
    callAny,
    stream,
    async call(name, input = {}) {
      const operation: Operation = CONTRACT[name]
      const { params = {}, query = {}, body, ifMatch } = input
      const full = { params: params as InputOf<Operation>['params'], query, body, ifMatch }
      if (operation.stream !== null) return stream(operation, full) as never
      return operation.reply.parse(await callAny(operation, full)) as never
    },
  }
}

async function request({ url, adminKey }: ClientOptions, operation: Operation, input: AnyInput): Promise<Response> {
  const headers: Record<string, string> = { authorization: `Bearer ${adminKey()}` }
  if (input.body !== undefined) headers['content-type'] = 'application/json'
  if (input.ifMatch !== undefined) headers['if-match'] = input.ifMatch
  const init: RequestInit = { method: operation.method, headers }
  if (input.body !== undefined) init.body = JSON.stringify(input.body)
  const response = await send(url, pathOf(operation, input), init)
  if (!response.ok) throw await failure(response, url)
  return response
}

async function send(url: string, path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url.replace(/\/+$/, '') + path, init)
  } catch (error) {
    throw unreachable(url, error)
  }
}

/** `/keys/{id}` and what belongs behind the question mark. */
export function pathOf(operation: Operation, { params, query }: Pick<AnyInput, 'params' | 'query'>): string {
  const path = operation.path.replace(/\{(\w+)\}/g, (_whole, name: string) => encodeURIComponent(String(params[name])))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
  return search.size === 0 ? path : `${path}?${search}`
}

async function readJson(response: Response, url: string): Promise<unknown> {
  const text = await response.text()
  try {
    return JSON.parse(text)
  } catch {
    throw new CliError(`${url} did not answer with JSON: is it a Switchyard gateway?`, 1)
  }
}

/** The API's own words, and what to do next where we know it. */
async function failure(response: Response, url: string): Promise<CliError> {
  const body = await response.text().catch(() => '')
  const message = errorMessage(body)
  if (message === null) {
    return new CliError(`${url} answered ${response.status}, but not like a Switchyard gateway: check --url`, 1)
  }
  if (response.status === 404 && message.startsWith('There is nothing at')) {
    return new CliError(`${message} Is management on a port of its own (ADMIN_PORT)? Then name it with --url.`, 1)
  }
  if (response.status === 401) return new CliError(`${message} Set ADMIN_KEY or use --admin-key-file.`, 1)
  return new CliError(message, response.status === 400 ? 2 : 1)
}

function errorMessage(body: string): string | null {
  try {
    const message: unknown = JSON.parse(body)?.error?.message
    return typeof message === 'string' ? message : null
  } catch {
    return null
  }
}

function unreachable(url: string, error: unknown): CliError {
  const cause = error instanceof Error ? (error.cause as { code?: string; message?: string } | undefined) : undefined
  const reason = cause?.code ?? cause?.message ?? (error instanceof Error ? error.message : String(error))
  const isDown = reason === 'ECONNREFUSED' || reason === 'ENOTFOUND'
  const hint = isDown
    ? `is the gateway running? Start it with: ${programName()} serve; or set --url or SWITCHYARD_URL`
    : reason
  return new CliError(`cannot reach ${url}: ${hint}`, 1)
}
