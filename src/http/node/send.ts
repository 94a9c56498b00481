import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { AnyReply } from '../call.ts'

export type Fields = Record<string, string | number>

/** `fieldsFor` is asked when the answer is sent; `spreads` may still close the connection of a whole answer. */
export function send(
  reply: AnyReply | null,
  response: ServerResponse,
  fieldsFor: () => Fields,
  spreads: (fields: Fields) => void,
): Promise<void> | void {
  if (reply !== null && 'rest' in reply && reply.isCut !== true) {
    response.addTrailers(reply.trailers)
    response.end(reply.rest)
    return
  }
  // A stream that cannot be ended properly is cut: its client must not take it for whole.
  if (reply === null || response.headersSent || 'rest' in reply) {
    response.destroy()
    return
  }
  const fields = fieldsFor()
  if ('pieces' in reply) {
    response.writeHead(reply.status, fields)
    return pipeline(Readable.from(reply.pieces), response)
  }
  spreads(fields)
  if (hasBody(reply.status)) fields['content-length'] ??= Buffer.byteLength(reply.body)
  if (reply.cookies !== undefined) response.setHeader('set-cookie', reply.cookies)
  response.writeHead(reply.status, fields).end(reply.body)
}

function hasBody(status: number): boolean {
  return status !== 204 && status !== 304
}
