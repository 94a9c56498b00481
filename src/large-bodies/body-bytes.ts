import type { Cut } from '../providers/wire-body.ts'

/** Names of models differ in length by less. */
const SLACK_BYTES = 1024

/** The bytes of a large body, in one buffer with some room behind them. */
export class BodyBytes {
  #room: Buffer<ArrayBuffer>
  #length: number

  /** Takes the chunks, and gives back their memory at once: to leave that to the garbage collector costs as much again. */
  constructor(chunks: readonly ArrayBuffer[]) {
    this.#length = chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0)
    this.#room = Buffer.allocUnsafeSlow(this.#length + SLACK_BYTES)
    let at = 0
    for (const chunk of chunks) {
      this.#room.set(new Uint8Array(chunk), at)
      at += chunk.byteLength
      chunk.transfer(0)
    }
  }

  get whole(): Buffer<ArrayBuffer> {
    return this.#room.subarray(0, this.#length)
  }

  /** The bytes with these cuts, to be given away, without a copy of the rest where there is room. They are gone then. */
  takeSpliced(cuts: readonly Cut[]): Uint8Array<ArrayBuffer> | null {
    const growth = cuts.reduce((sum, { from, to, by }) => sum + by.length - (to - from), 0)
    if (this.#length + growth > this.#room.length) return null
    const room = this.#room
    let end = this.#length
    for (const { from, to, by } of cuts.toReversed()) {
      room.copyWithin(from + by.length, to, end)
      room.set(by, from)
      end += by.length - (to - from)
    }
    this.#room = Buffer.from(new ArrayBuffer(0))
    this.#length = 0
    return room.subarray(0, end)
  }

  /** Gives back the memory. */
  free(): void {
    this.#room.buffer.transfer(0)
    this.#room = Buffer.from(new ArrayBuffer(0))
    this.#length = 0
  }
}
