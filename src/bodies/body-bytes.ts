/** The bytes of a large body in one buffer. */
export class BodyBytes {
  #bytes: Buffer<ArrayBuffer>

  /** Takes ownership of the chunks. A single one is kept without a copy. */
  constructor(chunks: readonly ArrayBuffer[]) {
    const [only] = chunks
    this.#bytes = chunks.length === 1 && only !== undefined ? Buffer.from(only) : joined(chunks)
  }

  get whole(): Buffer<ArrayBuffer> {
    return this.#bytes
  }

  /** Releases the memory at once, which is cheaper than garbage collection. */
  free(): void {
    this.#bytes.buffer.transfer(0)
    this.#bytes = Buffer.from(new ArrayBuffer(0))
  }
}

function joined(chunks: readonly ArrayBuffer[]): Buffer<ArrayBuffer> {
  const whole = Buffer.allocUnsafeSlow(chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0))
  let at = 0
  for (const chunk of chunks) {
    whole.set(new Uint8Array(chunk), at)
    at += chunk.byteLength
    chunk.transfer(0)
  }
  return whole
}
