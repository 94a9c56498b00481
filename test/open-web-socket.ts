import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Answered } from './harness.ts'

/** Asks for a WebSocket as clients do, and returns the refusal. */
export async function openWebSocket(url: string, more: Record<string, string> = {}): Promise<Answered> {
  const headers = {
    ...{ connection: 'Upgrade', upgrade: 'websocket' },
    ...{ 'sec-websocket-version': '13', 'sec-websocket-key': Buffer.alloc(16).toString('base64') },
    ...more,
  }
  const asked = request(url, { headers }).end()
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  const body = await text(response)
  const fields = Object.entries(response.headers).map(([name, value]): [string, string] => [name, String(value)])
  return { status: response.statusCode ?? 0, headers: new Headers(fields), text: body, json: JSON.parse(body) }
}
