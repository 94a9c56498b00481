import type { StoredAnswer } from './stored-answer.ts'

/** Where answers are stored. It never fails: what cannot be read is not there. */
export interface AnswerCache {
  find(key: string): StoredAnswer | null | Promise<StoredAnswer | null>
  keep(key: string, answer: StoredAnswer, ttlMs: number): void
  close?(): Promise<void>
}

/** What an answer takes beside its body. */
const OVERHEAD_BYTES = 1024

/** In memory: the least recently used answers make room. Nothing of it is ever on disk. */
export class MemoryCache implements AnswerCache {
  readonly #answers = new Map<string, { answer: StoredAnswer; expiresAt: number }>()
  readonly #mostBytes: number
  readonly #now: () => number
  readonly #onBytes: (change: number) => void
  #bytes = 0

  /** `onBytes`: called with every change in stored bytes. `now`: Unix milliseconds. */
  constructor(mostBytes: number, now: () => number, onBytes: (change: number) => void = () => {}) {
    this.#mostBytes = mostBytes
    this.#now = now
    this.#onBytes = onBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  find(key: string): StoredAnswer | null {
    const found = this.#answers.get(key)
    if (found === undefined) return null
    this.#answers.delete(key)
    if (found.expiresAt > this.#now()) {
      this.#answers.set(key, found)
      return found.answer
    }
    this.#count(-sizeOf(found.answer))
    return null
  }

  keep(key: string, answer: StoredAnswer, ttlMs: number): void {
    this.#drop(key)
    const bytes = sizeOf(answer)
    // One that never fits must not evict all the others.
    if (bytes > this.#mostBytes) return
    this.#answers.set(key, { answer, expiresAt: this.#now() + ttlMs })
    this.#count(bytes)
    for (const leastUsed of this.#answers.keys()) {
      if (this.#bytes <= this.#mostBytes) break
      this.#drop(leastUsed)
    }
  }

  #drop(key: string): void {
    const found = this.#answers.get(key)
    if (found === undefined) return
    this.#answers.delete(key)
    this.#count(-sizeOf(found.answer))
  }

  #count(change: number): void {
    this.#bytes += change
    this.#onBytes(change)
  }
}

function sizeOf({ body }: StoredAnswer): number {
  return body.length + OVERHEAD_BYTES
}
