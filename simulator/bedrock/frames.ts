import { crc32 } from 'node:zlib'
import type { StreamEvent } from '../stream/script.ts'

export const EVENT_STREAM = 'application/vnd.amazon.eventstream'

/** One binary message. What begins with a colon is no event but an exception. Bytes are sent as they are. */
export function frameOf({ event = '', data }: Omit<StreamEvent, 'phase'>): Uint8Array {
  if (data instanceof Uint8Array) return data
  const isException = event.startsWith(':')
  const kind = isException ? 'exception' : 'event'
  const headers = Buffer.concat([
    headerOf(`:${kind}-type`, isException ? event.slice(1) : event),
    headerOf(':content-type', 'application/json'),
    headerOf(':message-type', kind),
  ])
  return messageOf(headers, Buffer.from(typeof data === 'string' ? data : JSON.stringify(data)))
}

/** A message whose last checksum is wrong. */
export function damagedFrame(event: Omit<StreamEvent, 'phase'>): Uint8Array {
  const frame = Buffer.from(frameOf(event))
  frame[frame.length - 1] = (frame[frame.length - 1] ?? 0) ^ 1
  return frame
}

function messageOf(headers: Buffer, payload: Buffer): Buffer {
  const frame = Buffer.alloc(16 + headers.length + payload.length)
  frame.writeUInt32BE(frame.length, 0)
  frame.writeUInt32BE(headers.length, 4)
  frame.writeUInt32BE(crc32(frame.subarray(0, 8)), 8)
  headers.copy(frame, 12)
  payload.copy(frame, 12 + headers.length)
  frame.writeUInt32BE(crc32(frame.subarray(0, frame.length - 4)), frame.length - 4)
  return frame
}

function headerOf(name: string, value: string): Buffer {
  const header = Buffer.alloc(4 + name.length + value.length)
  header.writeUInt8(name.length, 0)
  header.write(name, 1)
  header.writeUInt8(7, 1 + name.length)
  header.writeUInt16BE(value.length, 2 + name.length)
  header.write(value, 4 + name.length)
  return header
}
