import type { JsonObject } from '../../domain/request/call-request.ts'
import type { Chunk } from '../../domain/request/stream.ts'

export const PING = 'event: ping\ndata: {"type":"ping"}\n\n'

export function frame(type: string, json: string): string {
  return `event: ${type}\ndata: ${json}\n\n`
}

export function frameOf(value: JsonObject & { type: string }): string {
  return frame(value.type, JSON.stringify(value))
}

/** A provider's event as it is. */
export function frameOfChunk(chunk: Pick<Chunk, 'json' | 'value' | 'like'>): string {
  const { type } = (chunk.like ?? chunk).value
  // A line break between two tokens would end the line of the frame.
  const line = /[\r\n]/.test(chunk.json) ? JSON.stringify(chunk.value) : chunk.json
  return typeof type === 'string' && /^\w+$/.test(type) ? frame(type, line) : `data: ${line}\n\n`
}
