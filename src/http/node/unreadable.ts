import type { Socket } from 'node:net'
import { GatewayError } from '../../domain/errors.ts'
import type { Connections } from '../connections.ts'
import { fieldText, responseHead } from '../raw/response-text.ts'
import { errorReply } from '../respond.ts'

type ParserError = Error & { code?: string }

/** The client has closed its sending side in the middle of a request. */
const ENDED_EARLY = 'HPE_INVALID_EOF_STATE'

/**
 * Node's parser cannot go on with a connection. Complete requests that came before are answered first, and the connection
 * then closes; without one, malformed HTTP gets a 400 in our error format.
 */
export function refuseUnreadable(error: ParserError, socket: Socket, connections: Connections): void {
  const hasLeft = error.code === ENDED_EARLY && connections.hasClients(socket)
  if (error.code === 'ECONNRESET' || hasLeft || !socket.writable) {
    socket.destroy()
    return
  }
  const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
  const refusal = isLate
    ? new GatewayError('request_timeout')
    : new GatewayError('invalid_request', 'This is not a valid HTTP request.')
  if (!connections.becameUnreadable(socket, refusal)) socket.end(answerText(refusal))
}

function answerText(refusal: GatewayError): string {
  const { status, headers, body } = errorReply(refusal)
  const fields = { connection: 'close', ...headers, 'content-length': Buffer.byteLength(body) }
  return `${responseHead(status, fieldText(fields))}${body}`
}
