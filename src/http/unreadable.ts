import type { Socket } from 'node:net'
import { type ErrorCode, errorBody, GatewayError } from '../domain/errors.ts'
import type { Connections } from './connections.ts'

type ParserError = Error & { code?: string }

/** The caller has closed its sending side in the middle of a request. */
const ENDED_EARLY = 'HPE_INVALID_EOF_STATE'

/**
 * Node's parser cannot go on with a connection. Complete requests that came before are answered first, and the
 * connection then ends; without one, malformed HTTP gets a 400 in our error format.
 */
export function refuseUnreadable(error: ParserError, socket: Socket, connections: Connections): void {
  const hasLeft = error.code === ENDED_EARLY && connections.hasCallers(socket)
  if (error.code === 'ECONNRESET' || hasLeft || !socket.writable) {
    socket.destroy()
    return
  }
  const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
  const refusal = isLate
    ? new GatewayError('request_timeout')
    : new GatewayError('invalid_request', 'This is not a readable HTTP request.')
  if (!connections.becameUnreadable(socket, refusal)) socket.end(answerText(refusal))
}

const REASONS: Partial<Record<ErrorCode, string>> = { request_timeout: 'Request Timeout' }

function answerText(refusal: GatewayError): string {
  const body = JSON.stringify(errorBody(refusal))
  return (
    `HTTP/1.1 ${refusal.status} ${REASONS[refusal.code] ?? 'Bad Request'}\r\nconnection: close\r\n` +
    `content-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  )
}
