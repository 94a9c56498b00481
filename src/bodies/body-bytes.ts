import type { Cut } from '../providers/wire-body.ts'

/** More than names of models differ in length. */
const SLACK_BYTES = 1024

/** The bytes of a large body in one buffer, usually with spare room at the end. */
export class BodyBytes {
  #room: Buffer<ArrayBuffer>
  #length: number

  /** Takes ownership of the chunks. A single one is kept without a copy. */
  constructor(chunks: readonly ArrayBuffer[]) {
    const length = chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0)
    const [only] = chunks
    this.#length = length
    this.#room = chunks.length === 1 && only !== undefined ? Buffer.from(only) : joined(chunks, length)
  }

  get whole(): Buffer<ArrayBuffer> {
    return this.#room.subarray(0, this.#length)
  }

  /** The bytes after these cuts, ready to transfer; edited in place where there is room. Ends the use of this object. */
  takeSpliced(cuts: readonly Cut[]): Uint8Array<ArrayBuffer> | null {
    // In order: the space that one cut needs must be there before the next one is made.
    const needed = cuts.reduce((sum, { from, to, by }) => sum + Math.max(0, by.length - (to - from)), this.#length)
    if (needed > this.#room.length) return null
    let end = this.#length
    const room = this.#given()
    for (const { from, to, by } of cuts.toReversed()) {
      room.copyWithin(from + by.length, to, end)
      room.set(by, from)
      end += by.length - (to - from)
    }
    return room.subarray(0, end)
  }

  /** Releases the memory. */
  free(): void {
    this.#given().buffer.transfer(0)
  }

  #given(): Buffer<ArrayBuffer> {
    const room = this.#room
    this.#room = Buffer.from(new ArrayBuffer(0))
    this.#length = 0
    return room
  }
}

/** Releases the memory of the chunks at once, which is cheaper than garbage collection. */
function joined(chunks: readonly ArrayBuffer[], length: number): Buffer<ArrayBuffer> {
  const room = Buffer.allocUnsafeSlow(length + SLACK_BYTES)
  let at = 0
  for (const chunk of chunks) {
    room.set(new Uint8Array(chunk), at)
    at += chunk.byteLength
    chunk.transfer(0)
  }
  return room
}
