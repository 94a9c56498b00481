import { z } from 'zod'
import type { Role } from '../../domain/access.ts'

/**
 * What it is about, for callers with access to some workspaces only. `workspace`: the one that its query or path names.
 * `rows`: its handler omits or does not find what is not theirs. `shared`: belongs to no workspace, open to all of
 * them. `gateway`: the gateway as a whole, so only for access to all workspaces.
 */
export type OperationScope = 'workspace' | 'rows' | 'shared' | 'gateway'

/**
 * One operation of the management API: a row of the contract. The router, the OpenAPI page, the command line and the
 * dashboard are all read off these rows, so they cannot drift apart.
 */
export interface Operation<
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
  Reply extends z.ZodType = z.ZodType,
> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** `/keys/{id}`; values are percent-encoded, a slash in them too. */
  path: string
  summary: string
  /** Its heading on the page. */
  tag: string
  params: Params
  query: Query
  /** `z.undefined()`: no body is read. */
  body: Body
  /** `z.undefined()` goes with 204. */
  reply: Reply
  status: 200 | 201 | 204
  /** Answers 201 instead when the handler calls `context.created()`: a PUT of what was not there. */
  mayCreate: boolean
  /** The answer carries an `ETag`; changes take it as `If-Match` and answer 412 when it is stale. */
  hasVersion: boolean
  /** Fields that change on their own, e.g. counters: the version leaves them out. */
  unversioned: readonly string[]
  /** The answer is written as it is read, in one of these media types; `reply` is not used. Null: JSON as a whole. */
  stream: readonly string[] | null
  /** Needs no admin key: its handler decides what to allow. */
  isPublic: boolean
  /** The least role that may do it. */
  role: Role
  scope: OperationScope
  /** Takes as long as a provider does, and is not aborted when the database goes down during it. */
  waitsForProvider: boolean
}

/** What the handler of a streamed operation returns. */
export interface Streamed {
  mediaType: string
  pieces: AsyncIterable<string>
}

type Given<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType, R extends z.ZodType> = Pick<
  Operation,
  'method' | 'path' | 'summary' | 'tag'
> & {
  params?: P
  query?: Q
  body?: B
  reply?: R
  status?: 200 | 201 | 204
  mayCreate?: boolean
  hasVersion?: boolean
  unversioned?: readonly string[]
  waitsForProvider?: boolean
}

/** Access is never accidental: every row says who may use it. */
type Permission = Pick<Operation, 'role' | 'scope'>

const nothing = z.strictObject({})

/** A row, with what most rows have left out. */
export function operation<
  P extends z.ZodObject = typeof nothing,
  Q extends z.ZodObject = typeof nothing,
  B extends z.ZodType = z.ZodUndefined,
  R extends z.ZodType = z.ZodUndefined,
>(given: Given<P, Q, B, R> & Permission): Operation<P, Q, B, R> {
  return {
    params: nothing as unknown as P,
    query: nothing as unknown as Q,
    body: z.undefined() as unknown as B,
    reply: z.undefined() as unknown as R,
    status: given.reply === undefined ? 204 : 200,
    mayCreate: false,
    hasVersion: false,
    unversioned: [],
    waitsForProvider: false,
    ...given,
    stream: null,
    isPublic: false,
  }
}

/** A row that is open to everyone, and only as JSON from this site. */
export function publicOperation<
  P extends z.ZodObject = typeof nothing,
  Q extends z.ZodObject = typeof nothing,
  B extends z.ZodType = z.ZodUndefined,
  R extends z.ZodType = z.ZodUndefined,
>(given: Given<P, Q, B, R>) {
  return { ...operation({ ...given, role: 'viewer', scope: 'shared' }), isPublic: true as const }
}

/** A row whose answer may be of any length. */
export function streamedOperation<P extends z.ZodObject = typeof nothing, Q extends z.ZodObject = typeof nothing>(
  given: Given<P, Q, z.ZodUndefined, z.ZodUndefined> & Permission & { stream: readonly string[] },
) {
  return { ...operation(given), status: 200 as const, stream: given.stream }
}

/** What a handler gets: everything parsed. */
export interface InputOf<O extends Operation> {
  params: z.output<O['params']>
  query: z.output<O['query']>
  body: z.output<O['body']>
}

/** What a handler returns, and what a client sees. */
export type ReplyOf<O extends Operation> = O['stream'] extends readonly string[] ? Streamed : z.input<O['reply']>
