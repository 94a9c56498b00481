const NOTHING = Buffer.alloc(0)

/**
 * Joins what arrives in pieces. It doubles its room when it grows, so a body that arrives byte by byte is copied a few
 * times, not once for each byte.
 */
export class GrowingBuffer {
  #room: Buffer = NOTHING

  /** `waiting` followed by the piece. Buffers that were returned before stay valid. */
  join(waiting: Buffer, piece: Buffer): Buffer {
    let begin = waiting.byteOffset
    let end = begin + waiting.length
    if (waiting.buffer !== this.#room.buffer || end + piece.length > this.#room.length) {
      this.#room = Buffer.allocUnsafeSlow(2 * (waiting.length + piece.length))
      waiting.copy(this.#room)
      begin = 0
      end = waiting.length
    }
    piece.copy(this.#room, end)
    return this.#room.subarray(begin, end + piece.length)
  }

  /** Call it when nothing is waiting. */
  free(): void {
    this.#room = NOTHING
  }
}
