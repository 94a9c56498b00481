import type { StreamSettings } from '../../domain/stream-settings.ts'
import type { Delivery } from './delivery.ts'
import type { LiveStream } from './live-stream.ts'

/** The streams of this process that are being sent. */
export class OpenStreams {
  readonly settings: StreamSettings
  /** The drain has timed out. */
  isCut = false
  readonly #open = new Set<LiveStream>()
  #calls = 0
  #onEnded: (() => void)[] = []
  #drains = 0

  constructor(settings: StreamSettings) {
    this.settings = settings
  }

  add(stream: LiveStream): void {
    this.#open.add(stream)
  }

  delete(stream: LiveStream): void {
    this.#open.delete(stream)
  }

  /** A call that asked for a stream is in progress; it counts until it is released. */
  begin(delivery: Delivery): { release(): void } {
    this.#calls += 1
    delivery.start()
    return {
      release: () => {
        delivery.close()
        this.#calls -= 1
        if (this.#calls > 0) return
        for (const resolve of this.#onEnded) resolve()
        this.#onEnded = []
      },
    }
  }

  /** Resolves when no call is running, including those whose callers have left. */
  ended(): Promise<void> {
    return this.#calls === 0 ? Promise.resolve() : new Promise((resolve) => this.#onEnded.push(resolve))
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
