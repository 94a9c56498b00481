import type { StreamSettings } from '../../domain/stream-settings.ts'
import type { LiveStream } from './live-stream.ts'

/** The streams of this process that are being sent. */
export class OpenStreams {
  readonly settings: StreamSettings
  /** The drain has timed out. */
  isCut = false
  readonly #open = new Set<LiveStream>()
  #drains = 0

  constructor(settings: StreamSettings) {
    this.settings = settings
  }

  get size(): number {
    return this.#open.size
  }

  add(stream: LiveStream): void {
    this.#open.add(stream)
  }

  delete(stream: LiveStream): void {
    this.#open.delete(stream)
  }

  /** Whether one more stream may be read on after its caller has left. */
  beginDrain(): boolean {
    if (this.#drains >= this.settings.drains) return false
    this.#drains += 1
    return true
  }

  endDrain(): void {
    this.#drains -= 1
  }

  /** Ends all of them: their callers get an error frame, and their rows are completed. */
  cut(): void {
    this.isCut = true
    for (const stream of this.#open) stream.close()
  }
}
