import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Answer } from './answer.ts'

export type ReadBody =
  | { kind: 'complete'; text: string; bytes: Buffer }
  | { kind: 'too-large' }
  | { kind: 'client-left' }

const EARLY_NAME = 'sim-reset-early'
const EARLY_MODEL = /"model"\s*:\s*"([^"]*sim-reset-early)"/

/** Reads the request body. `onEarlyReset` is called while the body may still be arriving. */
export async function readBody(
  request: IncomingMessage,
  limitBytes: number,
  onEarlyReset: (model: string) => void,
): Promise<ReadBody> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > limitBytes) return { kind: 'too-large' }
      chunks.push(chunk)
      if (!chunk.includes(EARLY_NAME)) continue
      const model = EARLY_MODEL.exec(Buffer.concat(chunks).toString())?.[1]
      if (model !== undefined) onEarlyReset(model)
    }
  } catch {
    return { kind: 'client-left' }
  }
  const whole = Buffer.concat(chunks)
  return { kind: 'complete', text: whole.toString(), bytes: whole }
}

/** Sends the answer, or breaks the connection the way it asks for. A hang is simply never answered. */
export function sendAnswer(response: ServerResponse, answer: Answer): void {
  const body = Buffer.from(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body))
  const headers = { 'content-type': 'application/json', ...answer.headers }
  switch (answer.behaviour) {
    case undefined:
      response.writeHead(answer.status, { ...headers, 'content-length': body.length }).end(body)
      return
    case 'hang':
      return
    case 'reset':
      resetConnection(response)
      return
    case 'stall':
    case 'cut': {
      const half = body.subarray(0, Math.max(1, Math.floor(body.length / 2)))
      response.writeHead(answer.status, { ...headers, 'content-length': Math.max(body.length, 2) })
      response.write(half, () => {
        if (answer.behaviour === 'cut') response.socket?.destroy()
      })
      return
    }
  }
}

/** A true RST: the client sees ECONNRESET, not a polite end. */
export function resetConnection(response: ServerResponse): void {
  response.socket?.resetAndDestroy()
}
