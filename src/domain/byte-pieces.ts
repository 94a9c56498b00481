/** Pieces of at least this size are kept without a copy. */
const LARGE_PIECE = 16 * 1024
const SLAB_BYTES = 64 * 1024

/**
 * A body while it arrives. The result is a short list of buffers that own their memory, so they can be transferred to
 * another thread. Callers and providers choose the size of the pieces, so small ones are merged.
 */
export class BytePieces {
  bytes = 0
  readonly #pieces: Buffer[] = []
  #slab: Buffer | null = null
  #used = 0

  add(piece: Buffer): void {
    if (piece.length === 0) return
    this.bytes += piece.length
    // Most bodies arrive in one piece.
    if (this.bytes === piece.length) this.#pieces.push(piece)
    else if (piece.length < LARGE_PIECE) this.#copy(piece)
    else {
      this.#endSlab()
      this.#pieces.push(isWhole(piece) ? piece : ownCopy(piece))
    }
  }

  all(): Buffer[] {
    this.#endSlab()
    return this.#pieces
  }

  #copy(piece: Buffer): void {
    if (this.#slab !== null && this.#used + piece.length > this.#slab.length) this.#endSlab()
    this.#slab ??= Buffer.allocUnsafeSlow(SLAB_BYTES)
    this.#used += piece.copy(this.#slab, this.#used)
  }

  #endSlab(): void {
    if (this.#slab === null) return
    const filled = this.#slab.subarray(0, this.#used)
    this.#pieces.push(isWhole(filled) ? filled : ownCopy(filled))
    this.#slab = null
    this.#used = 0
  }
}

/** All pieces as one buffer. */
export function joined(pieces: readonly Buffer[]): Buffer {
  const [first] = pieces
  return pieces.length === 1 && first !== undefined ? first : Buffer.concat(pieces)
}

function isWhole(piece: Buffer): boolean {
  return piece.buffer.byteLength === piece.length
}

function ownCopy(piece: Buffer): Buffer {
  return Buffer.from(new Uint8Array(piece).buffer)
}
