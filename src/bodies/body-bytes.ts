import type { Cut } from '../providers/wire-body.ts'

/** Names of models differ in length by less. */
const SLACK_BYTES = 1024

/** The bytes of a large body, in one buffer, as a rule with some room behind them. */
export class BodyBytes {
  #room: Buffer<ArrayBuffer>
  #length: number

  /** Takes the chunks. A single one is kept as it is. */
  constructor(chunks: readonly ArrayBuffer[]) {
    const length = chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0)
    const [only] = chunks
    this.#length = length
    this.#room = chunks.length === 1 && only !== undefined ? Buffer.from(only) : joined(chunks, length)
  }

  get whole(): Buffer<ArrayBuffer> {
    return this.#room.subarray(0, this.#length)
  }

  /** The bytes with these cuts, to be given away, without a copy of the rest where there is room. They are gone then. */
  takeSpliced(cuts: readonly Cut[]): Uint8Array<ArrayBuffer> | null {
    // One after the other: what one cut takes up is needed before the next one makes room.
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

  /** Gives back the memory. */
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

/** Gives back the memory of the chunks at once: to leave that to the garbage collector costs as much again. */
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
