import { errorBody, GatewayError } from '../domain/errors.ts'
import type { Reply } from './call.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

export function jsonReply(status: number, value: unknown, headers: Record<string, string> = {}): Reply {
  return jsonTextReply(status, JSON.stringify(value), headers)
}

/** JSON that is already serialized. */
export function jsonTextReply(status: number, body: Reply['body'], headers: Record<string, string>): Reply {
  return { status, headers: { 'content-type': JSON_TYPE, ...headers }, body }
}

/** An error with the headers that belong to its code; the contract's format unless an endpoint has its own. */
export function errorReply(
  error: GatewayError,
  headers: Record<string, string> = {},
  bodyOf: (error: GatewayError) => object = errorBody,
): Reply {
  const reply = jsonReply(error.status, bodyOf(error), headers)
  if (error.retryAfterSeconds !== undefined) reply.headers['retry-after'] = String(error.retryAfterSeconds)
  if (error.isFinal) reply.headers['x-should-retry'] = 'false'
  if (error.status === 401) reply.headers['www-authenticate'] = 'Bearer'
  return reply
}

/** Whatever was thrown, as an error that clients may see: details of our own faults only go to the log. */
export function asGatewayError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error
  return new GatewayError('internal_error', undefined, { cause: error })
}
