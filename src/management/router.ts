import { createHash } from 'node:crypto'
import type { z } from 'zod'
import { joined } from '../domain/byte-pieces.ts'
import { GatewayError } from '../domain/errors.ts'
import type { Presence } from '../domain/presence.ts'
import { problemText } from '../domain/problem-text.ts'
import { repeatedName, repetition } from '../domain/request/json-names.ts'
import type { AnyReply, Call, HttpRoute, StreamedReply, StreamRest } from '../http/call.ts'
import { jsonTextReply, NOSNIFF } from '../http/respond.ts'
import type { Audited } from '../store/control/audit.ts'
import { isAway } from '../store/engine/database-away.ts'
import { type AuthorizeDeps, type Authorized, authorize } from './access/authorize.ts'
import { refuseOtherSites } from './access/cross-site.ts'
import { checkPlace, checkRole } from './access/permit.ts'
import { compressed } from './compressed.ts'
import type { InputOf, Operation, ReplyOf, Streamed } from './contract/operation.ts'
import { jsonInTurns } from './requests/json-in-turns.ts'

/** What a handler knows of any request besides its parsed input. */
export interface Visit {
  /** Of this request: goes out as `x-gateway-request-id`. */
  id: string
  presence: Presence
  openStream: Call['openStream']
  now: number
  method: string
  header(name: string): string | undefined
  /** Who calls, as far as wrong keys are counted. */
  source: string
  /** Goes out with the answer. */
  setHeader(name: string, value: string): void
}

/** The same for an authorized request. */
export interface Context extends Visit, Authorized {
  /**
   * Throws 412 when the caller's `If-Match` is not the version of what is there now, or something is there and the caller
   * said `If-None-Match: *`. Call it inside the transaction.
   */
  checkMatch(present: unknown): void
  /** Of an operation that may create: it did, so the answer is 201. */
  created(): void
  /** Set by an operation that calls another: how the change is recorded instead. */
  asAudited?(audit: Audited): Audited
}

export type OperationHandler<O extends Operation> = (
  input: InputOf<O>,
  context: O['isPublic'] extends true ? Visit : Context,
) => Promise<ReplyOf<O> | StreamRest>

/** A handler for every operation: one that is missing does not compile. */
export type HandlersOf<Operations extends Record<string, Operation>> = {
  [Name in keyof Operations]: OperationHandler<Operations[Name]>
}

export interface RouterDeps extends AuthorizeDeps {
  maxBodyBytes: number
  /** Rejects soon when the database is known to be away, however long the work would wait for it. */
  orAway<T>(work: Promise<T>): Promise<T>
}

const AWAY_SECONDS = 5

/** Answers are about secrets, money and people: no cache keeps them. */
const HEADERS = { 'cache-control': 'no-store' }

export function managementRoutes<Operations extends Record<string, Operation>>(
  operations: Operations,
  handlers: HandlersOf<Operations>,
  deps: RouterDeps,
): HttpRoute[] {
  return Object.entries(operations).map(([name, operation]) => ({
    method: operation.method,
    path: operation.path.replace(/\{(\w+)\}/g, ':$1'),
    handle: (call) => handleOrSayAway(call, operation, handlers[name] as OperationHandler<Operation>, deps),
    headers: HEADERS,
  }))
}

/** A database that is down is no fault of ours, and requests do not wait for it. */
function handleOrSayAway(
  call: Call,
  operation: Operation,
  handler: OperationHandler<Operation>,
  deps: RouterDeps,
): Promise<AnyReply> {
  const work = handle(call, operation, handler, deps)
  return saidAway(operation.waitsForProvider ? work : deps.orAway(work))
}

/** Rejects with a 503 where the database is down. */
export function saidAway<T>(work: Promise<T>): Promise<T> {
  return work.catch((cause) => {
    if (!isAway(cause)) throw cause
    throw new GatewayError('database_unavailable', undefined, { retryAfterSeconds: AWAY_SECONDS, cause })
  })
}

async function handle(
  call: Call,
  operation: Operation,
  handler: OperationHandler<Operation>,
  deps: RouterDeps,
): Promise<AnyReply> {
  const who = operation.isPublic ? visitor(call) : await authorize(call, deps)
  checkRole(operation, who.access)
  const place = {
    params: parsed(operation.params, call.params, ''),
    query: parsed(operation.query, call.query(), ''),
  }
  checkPlace(operation, place, who.access)
  const input: InputOf<Operation> = {
    ...place,
    body: hasBody(operation)
      ? parsed(operation.body, await readJson(call, operation, deps.maxBodyBytes), '')
      : undefined,
  }
  let { status } = operation
  const headers: Record<string, string> = {}
  const context: Context = {
    ...who,
    id: call.id,
    presence: call.presence,
    openStream: call.openStream,
    now: deps.now(),
    method: call.method,
    header: (name) => call.header(name),
    source: deps.sourceOf(call),
    setHeader(name, value) {
      headers[name] = value
    },
    checkMatch(present) {
      checkAbsence(call.header('if-none-match'), present)
      checkMatch(call.header('if-match'), present, operation.unversioned)
    },
    created() {
      status = 201
    },
  }
  const value = await handler(input, context)
  if (isRest(value)) return value
  if (operation.stream !== null) return streamed(value as unknown as Streamed)
  if (status === 204) return { status, headers, body: '' }
  if (operation.hasVersion) headers['etag'] = versionOf(value, operation.unversioned)
  const reply = jsonTextReply(status, await jsonInTurns(value as object), headers)
  // Only what is read: the answer of a change may hold a secret beside what its caller chose.
  return call.method === 'GET' ? compressed(call, reply) : reply
}

/** The handler has streamed its answer and returns the end of it. */
function isRest(value: unknown): value is StreamRest {
  return typeof value === 'object' && value !== null && 'rest' in value && 'trailers' in value
}

/** An anonymous caller; handlers of public operations do not see who it is, so there is no actor. */
function visitor(call: Call): Authorized {
  refuseOtherSites(call)
  return { actor: { id: '', name: '' }, access: { role: 'viewer', workspaces: [] }, session: null, expiresAt: null }
}

function hasBody(operation: Operation): boolean {
  return operation.body.type !== 'undefined'
}

/** Unknown fields are refused by the schemas; the message names them. */
export function parsed<T extends z.ZodType>(schema: T, value: unknown, prefix: string): z.output<T> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw new GatewayError('invalid_request', prefix + problemText(result.error))
}

/** An anonymous caller needs to send a key at most. */
const PUBLIC_BODY_BYTES = 16 * 1024

/** A page of another site can send a form without asking, but not JSON: so a public operation insists on the type. */
async function readJson(call: Call, { isPublic }: Operation, maxBodyBytes: number): Promise<unknown> {
  const type = call.header('content-type') ?? (isPublic ? 'nothing' : undefined)
  if (type !== undefined && !/^application\/json\s*(;|$)/i.test(type)) {
    throw new GatewayError('unsupported_media_type', `Send the body as application/json, not ${type.slice(0, 100)}.`)
  }
  const body = joined(await call.readBody(isPublic ? Math.min(PUBLIC_BODY_BYTES, maxBodyBytes) : maxBodyBytes))
  if (body.length === 0) return {}
  const json = body.toString('utf8')
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    throw new GatewayError('invalid_request', 'The body is not valid JSON.')
  }
  if (repeatedName(json) !== null) throw repetition(json)
  return value
}

function streamed({ mediaType, pieces }: Streamed): StreamedReply {
  return { status: 200, headers: { 'content-type': `${mediaType}; charset=utf-8`, ...NOSNIFF }, pieces }
}

/** A version is what the object looks like: two that look the same are the same. */
export function versionOf(value: unknown, unversioned: readonly string[] = []): string {
  const text = JSON.stringify(value, (name, field) => (unversioned.includes(name) ? undefined : field))
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`
}

/** `If-None-Match: *` with a PUT: only to make what is not there (RFC 9110, 13.1.2). */
function checkAbsence(header: string | undefined, present: unknown): void {
  if (header?.trim() === '*' && present !== null) {
    throw new GatewayError(
      'precondition_failed',
      'The object already exists. To replace it, leave out "If-None-Match".',
    )
  }
}

function checkMatch(header: string | undefined, present: unknown, unversioned: readonly string[]): void {
  if (header === undefined) return
  const wanted = header.split(',').map((version) => version.trim())
  if (present !== null && (wanted.includes('*') || wanted.includes(versionOf(present, unversioned)))) return
  throw new GatewayError('precondition_failed')
}
