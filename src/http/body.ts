import type { IncomingMessage } from 'node:http'
import { GatewayError } from '../domain/errors.ts'
import { CallerLeftError } from './call.ts'

/**
 * Reads a body up to a limit. A declared length over the limit is refused before a byte is read; what the caller goes
 * on sending is discarded by Node, so that the refusal reaches it instead of a reset connection.
 */
export function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? 0)
  if (declared > limitBytes) return Promise.reject(tooLarge(limitBytes))
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const stop = () => {
      request.removeListener('data', onData)
      request.removeListener('end', onEnd)
      request.removeListener('close', onClose)
    }
    const onData = (chunk: Buffer) => {
      size += chunk.length
      if (size <= limitBytes) {
        chunks.push(chunk)
        return
      }
      stop()
      request.resume()
      reject(tooLarge(limitBytes))
    }
    const onEnd = () => {
      stop()
      const [first] = chunks
      resolve(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks))
    }
    const onClose = () => {
      stop()
      reject(new CallerLeftError('the caller left while sending the body'))
    }
    request.on('data', onData)
    request.on('end', onEnd)
    request.on('close', onClose)
    request.on('error', onClose)
    if (request.destroyed) onClose()
  })
}

function tooLarge(limitBytes: number): GatewayError {
  return new GatewayError('request_too_large', `The request body is larger than ${limitBytes} bytes.`)
}
