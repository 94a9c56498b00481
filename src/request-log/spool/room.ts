import { errorText, type StoreLog } from '../../store/engine/store-error.ts'
import { hasReserve, makeReserve } from './reserve.ts'

export interface RoomOptions {
  folder: string
  log: StoreLog
  /** There is room again, and a reserve. */
  onRoom(): void
  make?: (folder: string) => Promise<void>
  everyMs?: number
}

const EVERY_MS = 1_000

/**
 * Whether the disk takes what is written. Once it did not, it is tried until there is room for a new reserve: then calls
 * that begin can also end.
 */
export class SpoolRoom {
  readonly #options: Required<RoomOptions>
  #problem: string | null = null
  #trying: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | null = null
  #stopped = false

  constructor(options: RoomOptions) {
    this.#options = { make: makeReserve, everyMs: EVERY_MS, ...options }
  }

  /** Null while all is well. */
  get problem(): string | null {
    return this.#problem
  }

  /** From the start on, and not only when it is needed, there is a reserve. */
  prepare(): void {
    if (!hasReserve(this.#options.folder)) this.#trying = this.#try()
  }

  /** A write failed. */
  failed(error: unknown): void {
    if (this.#problem === null) {
      this.#options.log.error(
        { error: errorText(error) },
        'the spool cannot be written: calls are refused until it can',
      )
    }
    this.#problem = errorText(error)
    this.#tryLater()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    await this.#trying
  }

  #tryLater(): void {
    if (this.#stopped) return
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      this.#trying = this.#try()
    }, this.#options.everyMs).unref()
  }

  async #try(): Promise<void> {
    const { folder, make, log, onRoom } = this.#options
    try {
      await make(folder)
    } catch (error) {
      if (!this.#stopped) this.failed(error)
      return
    }
    if (this.#problem === null) return
    this.#problem = null
    log.info({}, 'the spool can be written again')
    onRoom()
  }
}
