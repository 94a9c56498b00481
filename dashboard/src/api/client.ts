import { OPERATIONS } from 'virtual:operations'
import type { z } from 'zod'
import type { Contract } from '../../../src/management/contract/contract.ts'

/**
 * The management API as typed calls. Methods and paths come from the contract while building, the types from the
 * contract's schemas: an operation that changes there does not compile here.
 */
export type OperationName = keyof Contract

const TABLE = OPERATIONS as Record<OperationName, readonly [method: string, path: string]>

type Params<Name extends OperationName> = z.input<Contract[Name]['params']>
export type Query<Name extends OperationName> = z.input<Contract[Name]['query']>
export type Body<Name extends OperationName> = z.input<Contract[Name]['body']>
export type Reply<Name extends OperationName> = z.output<Contract[Name]['reply']>
/** One row of a list's answer. */
export type Item<Name extends OperationName> = Reply<Name> extends { data: readonly (infer Row)[] } ? Row : never

/** An operation without path parameters has an empty object there, whose keys are any string. */
type PartOf<Name extends OperationName> = string extends keyof Params<Name>
  ? { params?: undefined }
  : { params: Params<Name> }
type BodyPart<Name extends OperationName> = undefined extends Body<Name> ? { body?: Body<Name> } : { body: Body<Name> }

/** What an operation is asked with. */
export type Input<Name extends OperationName> = PartOf<Name> &
  BodyPart<Name> & {
    query?: Query<Name>
    /** The version that a change starts from: refused if another change was faster. */
    ifMatch?: string | null
    /** Refused when it is there already. */
    onlyNew?: boolean
  }

/** An answer that is not a success, with the text that the gateway gives. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly code: string
  readonly retryAfterSeconds: number | null

  constructor(status: number, code: string, message: string, retryAfterSeconds: number | null = null) {
    super(message)
    this.status = status
    this.code = code
    this.retryAfterSeconds = retryAfterSeconds
  }
}

export interface Versioned<T> {
  value: T
  etag: string | null
}

interface PlainInput {
  params?: Record<string, unknown> | undefined
  query?: Record<string, unknown> | undefined
  body?: unknown
  ifMatch?: string | null
  onlyNew?: boolean
}

export async function call<Name extends OperationName>(
  name: Name,
  input: Input<Name>,
  signal?: AbortSignal,
): Promise<Versioned<Reply<Name>>> {
  const { params, query, body, ifMatch, onlyNew } = input as PlainInput
  const [method] = TABLE[name]
  const headers: Record<string, string> = { 'x-switchyard-dashboard': '1' }
  if (body !== undefined) headers['content-type'] = 'application/json'
  if (ifMatch) headers['if-match'] = ifMatch
  if (onlyNew) headers['if-none-match'] = '*'
  const response = await reach(locate(name, { params, query }), {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  })
  const text = await response.text()
  if (!response.ok) throw errorOf(response, text)
  const value = (text === '' ? undefined : JSON.parse(text)) as Reply<Name>
  return { value, etag: response.headers.get('etag') }
}

/** The same for an operation that may stream: the answer, before its body is read. */
export async function callStreamed<Name extends OperationName>(
  name: Name,
  input: Input<Name>,
  signal: AbortSignal,
): Promise<Response> {
  const { params, query, body } = input as PlainInput
  const response = await reach(locate(name, { params, query }), {
    method: TABLE[name][0],
    headers: { 'x-switchyard-dashboard': '1', 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  })
  if (!response.ok) throw errorOf(response, await response.text())
  return response
}

async function reach(address: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address, init)
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new ApiError(0, 'unreachable', 'The gateway does not answer. Is it running, and is the network up?')
  }
}

function errorOf(response: Response, text: string): ApiError {
  const retryAfter = response.headers.get('retry-after')
  const seconds = retryAfter === null ? null : Number(retryAfter)
  try {
    const { error } = JSON.parse(text) as { error: { code: string; message: string } }
    return new ApiError(response.status, error.code, error.message, seconds)
  } catch {
    return new ApiError(response.status, 'unreadable', `The gateway answered ${response.status} without a reason.`)
  }
}

/** Where an operation lives, for links that download. */
export function addressOf<Name extends OperationName>(
  name: Name,
  input: PartOf<Name> & { query?: Query<Name> },
): string {
  return locate(name, input as PlainInput)
}

function locate(name: OperationName, { params, query }: PlainInput): string {
  const path = TABLE[name][1].replace(/\{(\w+)\}/g, (_, field: string) => encodeURIComponent(String(params?.[field])))
  const search = new URLSearchParams()
  for (const [field, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== null) search.set(field, String(value))
  }
  return search.size === 0 ? path : `${path}?${search}`
}
