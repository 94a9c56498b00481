import { randomBytes } from 'node:crypto'

const SUPPLY_BYTES = 8_192
const [TRACE_BYTES, SPAN_BYTES] = [16, 8]

export interface NewTrace {
  traceId: string
  /** The four words of the id, folded into one, as `TraceIdRatioBasedSampler` does: it decides about the sample. */
  folded: number
}

/**
 * Random ids, cut from a supply. Every call needs one, sampled or not: the generator and the sampler of the package, which
 * read and write it letter by letter, take 2 µs.
 */
export class NewIds {
  #bytes = Buffer.alloc(0)
  #text = ''
  #used = 0

  trace(): NewTrace {
    const at = this.#take(TRACE_BYTES)
    const word = (place: number) => this.#bytes.readUInt32BE(at + place)
    const folded = (word(0) ^ word(4) ^ word(8) ^ word(12)) >>> 0
    return { traceId: this.#text.slice(2 * at, 2 * (at + TRACE_BYTES)), folded }
  }

  spanId(): string {
    const at = this.#take(SPAN_BYTES)
    return this.#text.slice(2 * at, 2 * (at + SPAN_BYTES))
  }

  #take(bytes: number): number {
    if (this.#used + bytes > this.#bytes.length) {
      this.#bytes = randomBytes(SUPPLY_BYTES)
      this.#text = this.#bytes.toString('hex')
      this.#used = 0
    }
    this.#used += bytes
    return this.#used - bytes
  }
}

/** What `folded` is below in this part of all traces. */
export function sampleBound(ratio: number): number {
  return ratio === 1 ? 2 ** 32 : Math.floor(ratio * (2 ** 32 - 1))
}
