import { GatewayError } from '../domain/errors.ts'
import { worded } from '../domain/wording/worded.ts'

export interface MemoryBounds {
  /** Bytes of request bodies that the process holds at once. */
  bytes: number
  /** Of these, those of one owner. */
  bytesPerOwner: number
}

export type MemoryScope = 'gateway' | 'key'

/** Bodies up to this size are still taken when larger ones are refused. */
const SMALL_BYTES = 64 * 1024
/** The share of each bound that is reserved for them. */
const SMALL_SHARE = 1 / 8

/** Calls that hold memory wait for providers, so a second would be too short. */
const RETRY_SECONDS = 5

/**
 * Counts the bytes of request bodies, from when they are announced or arrive until their call has ended, and refuses what
 * does not fit. Nothing waits for memory, so two bodies can never wait for each other.
 */
export class BodyMemory {
  readonly bounds: MemoryBounds
  held = 0
  readonly #ofOwner = new Map<string, number>()
  readonly #onRefusal: (scope: MemoryScope) => void

  constructor(bounds: MemoryBounds, onRefusal: (scope: MemoryScope) => void = () => {}) {
    this.bounds = bounds
    this.#onRefusal = onRefusal
  }

  /** Takes memory for the next bytes of a body of at least `bodyBytes`, or throws the refusal. */
  take(bytes: number, bodyBytes: number, owner: string | null): void {
    const own = owner === null ? 0 : (this.#ofOwner.get(owner) ?? 0)
    if (owner !== null && !fits(own + bytes, bodyBytes, this.bounds.bytesPerOwner)) {
      this.#onRefusal('key')
      throw keyIsFull(own, bytes, this.bounds.bytesPerOwner)
    }
    if (!fits(this.held + bytes, bodyBytes, this.bounds.bytes)) {
      this.#onRefusal('gateway')
      throw new GatewayError('buffer_full', undefined, { retryAfterSeconds: RETRY_SECONDS })
    }
    this.held += bytes
    if (owner !== null) this.#ofOwner.set(owner, own + bytes)
  }

  /** Gives back exactly what was taken. */
  release(bytes: number, owner: string | null): void {
    this.held -= bytes
    if (owner === null) return
    const left = (this.#ofOwner.get(owner) ?? 0) - bytes
    if (left > 0) this.#ofOwner.set(owner, left)
    else this.#ofOwner.delete(owner)
  }
}

/** Raises bounds that are too small for the largest allowed body, which could never be sent otherwise. */
export function memoryBounds(bounds: MemoryBounds, maxBodyBytes: number): MemoryBounds {
  const least = Math.ceil(maxBodyBytes / (1 - SMALL_SHARE))
  return { bytes: Math.max(bounds.bytes, least), bytesPerOwner: Math.max(bounds.bytesPerOwner, least) }
}

function fits(bytes: number, bodyBytes: number, bound: number): boolean {
  return bytes <= (bodyBytes <= SMALL_BYTES ? bound : bound * (1 - SMALL_SHARE))
}

function keyIsFull(used: number, needed: number, limit: number): GatewayError {
  const what = worded`The calls of this key hold ${used} bytes of request bodies; ${needed} more do not fit into the ${limit}`
  const message = worded`${what} that one key may hold (MAX_BUFFERED_BYTES_PER_KEY). Retry when some of these calls are answered, or send smaller bodies.`
  const details = { scope: 'key', kind: 'buffered_bytes', limit, used, needed }
  return new GatewayError('key_rate_limited', message, { details, retryAfterSeconds: RETRY_SECONDS })
}
