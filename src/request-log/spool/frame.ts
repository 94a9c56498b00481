import { crc32 } from 'node:zlib'

/**
 * What one turn of the event loop appended, as it lies in the file: the number of bytes of the text, their checksum,
 * the number of records (four bytes each, little end first), the text. It is there as a whole or does not count.
 */
export interface Frame {
  records: number
  text: string
  /** The whole frame, with the prefix of the text. */
  bytes: number
}

const HEAD_BYTES = 12

/** More than the frame of this text can need. */
export function frameRoom(text: string): number {
  return HEAD_BYTES + 3 * text.length
}

/** Returns how many bytes it took. */
export function writeFrame(into: Buffer, records: number, text: string): number {
  const textBytes = into.write(text, HEAD_BYTES)
  const end = HEAD_BYTES + textBytes
  into.writeUInt32LE(textBytes, 0)
  into.writeUInt32LE(crc32(into.subarray(HEAD_BYTES, end), records), 4)
  into.writeUInt32LE(records, 8)
  return end
}

/** How long the frame says it is; as long as its head where not even that is there. */
export function frameBytes(from: Buffer, offset: number, end: number): number {
  return offset + HEAD_BYTES > end ? HEAD_BYTES : HEAD_BYTES + from.readUInt32LE(offset)
}

/** Null: it is not there as a whole, or it is not what was written. */
export function readFrame(from: Buffer, offset: number, end: number): Frame | null {
  const bytes = frameBytes(from, offset, end)
  if (offset + bytes > end) return null
  const records = from.readUInt32LE(offset + 8)
  const text = from.subarray(offset + HEAD_BYTES, offset + bytes)
  // Nothing but zeros, as a power cut can leave behind, would have the right checksum.
  if (records === 0 || crc32(text, records) !== from.readUInt32LE(offset + 4)) return null
  return { records, text: text.toString(), bytes }
}
