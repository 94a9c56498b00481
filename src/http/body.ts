import type { IncomingMessage } from 'node:http'
import { BytePieces } from '../domain/byte-pieces.ts'
import { GatewayError } from '../domain/errors.ts'
import type { Presence } from '../domain/presence.ts'
import { CallerLeftError } from './call.ts'

/**
 * Reads a body up to a limit. A declared length over the limit is refused before a byte is read; what the caller goes
 * on sending is discarded by Node, so that the refusal reaches it instead of a reset connection.
 */
export function readBody(request: IncomingMessage, presence: Presence, limitBytes: number): Promise<Buffer[]> {
  const declared = Number(request.headers['content-length'] ?? 0)
  if (declared > limitBytes) return Promise.reject(tooLarge(limitBytes))
  return new Promise((resolve, reject) => {
    const leave = () => reject(new CallerLeftError('the caller left while sending the body'))
    if (presence.left || request.destroyed) {
      leave()
      return
    }
    const stopListening = presence.onLeave(leave)
    const pieces = new BytePieces()
    const onData = (chunk: Buffer) => {
      if (pieces.bytes + chunk.length <= limitBytes) {
        pieces.add(chunk)
        return
      }
      request.removeListener('data', onData).resume()
      stopListening()
      reject(tooLarge(limitBytes))
    }
    request.on('data', onData)
    request.on('end', () => {
      stopListening()
      resolve(pieces.all())
    })
    // Told for a body that breaks off; the connection closes with it, and that is what counts here.
    request.on('error', leave)
  })
}

function tooLarge(limitBytes: number): GatewayError {
  return new GatewayError('request_too_large', `The request body is larger than ${limitBytes} bytes.`)
}
