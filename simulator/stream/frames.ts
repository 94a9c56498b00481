import type { Framing, StreamEvent } from './script.ts'

export function frameOf({ event, data }: Omit<StreamEvent, 'phase'>, { newline = '\n', isTight }: Framing): string {
  const space = isTight ? '' : ' '
  const text = typeof data === 'string' ? data : JSON.stringify(data)
  const name = event === undefined ? '' : `event:${space}${event}${newline}`
  return `${name}data:${space}${text}${newline}${newline}`
}

/** In writes of so many bytes, even within a character or event. */
export function* piecesOf(frame: string | Uint8Array, size: number): Iterable<Uint8Array> {
  const bytes = Buffer.from(frame)
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}
