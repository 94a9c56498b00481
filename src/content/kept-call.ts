import type { KeptBody, KeptContent } from './protocol.ts'

/** More bytes of a body are not kept; of a stream's frames more, for most of them is not text. */
export const KEPT_BYTES = 1024 * 1024
export const KEPT_FRAMES = 4 * 1024 * 1024

/** Memory that what is kept takes from a common bound. */
export interface KeptMemory {
  /** False: there is not so much. */
  take(bytes: number): boolean
  give(bytes: number): void
}

export type CallToKeep = Pick<KeptContent, 'id' | 'workspace' | 'endpoint' | 'storedAt' | 'settings'>

/** The content of one call while it runs. If memory runs out, all of it is dropped and the call continues. */
export class KeptCall {
  readonly #call: CallToKeep
  readonly #memory: KeptMemory
  readonly #keep: (content: Omit<KeptContent, 'seq'>, bytes: number) => void
  #request: KeptBody | null
  #frames = ''
  #frameBytes = 0
  #taken = 0
  #isDropped = false
  #hasEnded = false

  constructor(
    call: CallToKeep,
    chunks: readonly Uint8Array[],
    memory: KeptMemory,
    keep: (content: Omit<KeptContent, 'seq'>, bytes: number) => void,
  ) {
    this.#call = call
    this.#memory = memory
    this.#keep = keep
    this.#request = this.#bodyOf(chunks)
  }

  /** What was sent instead of it. Until the call has ended, both count. */
  replaceRequest(chunks: readonly Uint8Array[]): void {
    this.#request = this.#bodyOf(chunks)
  }

  /** Frames of a stream, as they are sent. */
  readonly record = (text: string): void => {
    this.#frameBytes += text.length
    if (this.#isDropped || this.#frames.length + text.length > KEPT_FRAMES || !this.#take(text.length)) return
    this.#frames += text
  }

  /** The call has ended: `whole` is its answer, `rest` the end of a stream, both null where nothing was served. */
  end(whole: string | Uint8Array | null, rest: string | null): void {
    if (this.#hasEnded) return
    const answer = whole === null ? this.#streamed(rest ?? '') : this.#whole(whole)
    this.#hasEnded = true
    const content = { ...this.#call, request: this.#request, answer, dropped: null }
    const dropped = { ...this.#call, request: null, answer: null, dropped: 'queue_full' }
    this.#keep(this.#isDropped ? dropped : content, this.#taken)
  }

  /** A call that has not ended stores nothing. */
  release(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#memory.give(this.#taken)
  }

  #bodyOf(chunks: readonly Uint8Array[]): KeptBody | null {
    const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
    const length = Math.min(bytes, KEPT_BYTES)
    return this.#take(length) ? { body: beginning(chunks, length), bytes, isCut: length < bytes } : null
  }

  #whole(body: string | Uint8Array): KeptContent['answer'] {
    const isCut = body.length > KEPT_BYTES
    if (!this.#take(Math.min(body.length, KEPT_BYTES))) return null
    const kept = !isCut ? body : typeof body === 'string' ? body.slice(0, KEPT_BYTES) : body.slice(0, KEPT_BYTES)
    return { body: kept, bytes: Buffer.byteLength(body), isCut, isStream: false }
  }

  /** The end is always kept: it may repeat the whole answer. */
  #streamed(rest: string): KeptContent['answer'] {
    if (this.#frameBytes + rest.length === 0) return null
    const isCut = this.#frames.length < this.#frameBytes || rest.length > KEPT_FRAMES
    if (!this.#take(rest.length)) return null
    const bytes = this.#frameBytes + rest.length
    return { body: this.#frames + rest.slice(0, KEPT_FRAMES), bytes, isCut, isStream: true }
  }

  #take(bytes: number): boolean {
    if (this.#isDropped) return false
    if (this.#memory.take(bytes)) {
      this.#taken += bytes
      return true
    }
    this.#isDropped = true
    this.#request = null
    this.#frames = ''
    this.#memory.give(this.#taken)
    this.#taken = 0
    return false
  }
}

/** A copy: the body's memory may be transferred to another thread. */
function beginning(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const copy = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    if (at === length) break
    const part = chunk.subarray(0, length - at)
    copy.set(part, at)
    at += part.length
  }
  return copy
}
