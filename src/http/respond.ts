import { contractError, type ErrorFormat, GatewayError } from '../domain/errors.ts'
import type { Reply } from './call.ts'

/** Browsers must use our content type, not guess one from the bytes. */
export const NOSNIFF = { 'x-content-type-options': 'nosniff' }
export const JSON_TYPE = 'application/json; charset=utf-8'

export function jsonReply(status: number, value: unknown, headers: Record<string, string> = {}): Reply {
  return jsonTextReply(status, JSON.stringify(value), headers)
}

/** JSON that is already serialized. */
export function jsonTextReply(status: number, body: Reply['body'], headers: Record<string, string>): Reply {
  return { status, headers: { 'content-type': JSON_TYPE, 'x-content-type-options': 'nosniff', ...headers }, body }
}

/** An error with the headers that belong to its code; the contract's format unless an endpoint has its own. */
export function errorReply(
  error: GatewayError,
  headers: Record<string, string> = {},
  format: ErrorFormat = contractError,
  requestId = '',
): Reply {
  const { status, body, headers: more } = format(error, requestId)
  const reply = jsonTextReply(status, typeof body === 'string' ? body : JSON.stringify(body), headers)
  if (error.retryAfterSeconds !== undefined) reply.headers['retry-after'] = String(error.retryAfterSeconds)
  if (error.isFinal) reply.headers['x-should-retry'] = 'false'
  if (error.status === 401) reply.headers['www-authenticate'] = 'Bearer'
  if (more !== undefined) Object.assign(reply.headers, more)
  return reply
}

/** Where a route has no format of its own. */
export function writeContractError(error: GatewayError, _id: string, headers?: Record<string, string>): Reply {
  return errorReply(error, headers)
}

/** Anything thrown, as an error that clients may see: details of our own faults only go to the log. */
export function asGatewayError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error
  return new GatewayError('internal_error', undefined, { cause: error })
}
