import type { ServerResponse } from 'node:http'
import type { JsonObject } from './json.ts'

/** A path whose requests or answers are no JSON. */
export interface MediaOperation {
  path: string
  /** What the body says, as fields; a file is an object. Null: it cannot be read. */
  read(body: Buffer, contentType: string): Promise<JsonObject | null>
  answer(fields: JsonObject): MediaAnswer
}

export interface MediaAnswer {
  status: number
  type: string
  /** Pieces are sent one after the other, as fast as they are taken. */
  body: string | Iterable<Uint8Array>
  /** The socket dies behind the last piece; `close`: without chunks, so that only the end of the connection shows the end. */
  ending?: 'cut' | 'close'
}

/** By another reader of forms than the gateway's. */
export async function readForm(body: Buffer, contentType: string): Promise<JsonObject | null> {
  try {
    const form = await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData()
    const fields: JsonObject = {}
    for (const [name, value] of form) {
      const said = typeof value === 'string' ? value : { name: value.name, type: value.type, bytes: value.size }
      fields[name] = name in fields ? [fields[name], said].flat() : said
    }
    return fields
  } catch {
    return null
  }
}

export async function sendMedia(
  response: ServerResponse,
  { status, type, body, ending }: MediaAnswer,
  onSent: (bytes: number) => void,
): Promise<void> {
  response.setHeader('content-type', type)
  if (typeof body === 'string') {
    response.writeHead(status).end(body)
    return
  }
  if (ending === 'close') response.removeHeader('transfer-encoding')
  response.useChunkedEncodingByDefault = ending !== 'close'
  response.writeHead(status, ending === 'close' ? { connection: 'close' } : {})
  for (const piece of body) {
    if (response.destroyed) return
    onSent(piece.length)
    if (!response.write(piece)) await new Promise((resolve) => response.once('drain', resolve).once('close', resolve))
  }
  if (ending === 'cut') response.socket?.destroySoon()
  else response.end()
}
