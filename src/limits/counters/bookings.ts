import type { HeldCall } from '../admission.ts'
import type { CallUse } from '../ledger.ts'
import type { Connection } from './connection.ts'
import { endArguments } from './end-arguments.ts'
import { END } from './scripts/end.ts'

/** A finished call of this node that is not booked in the counters yet. */
export interface CountedCall {
  held: HeldCall
  keyId: string
  workspace: string
  /** Generation of the ledger that admitted it; 0: none did. */
  generation: number
}

export interface Ending {
  call: CountedCall
  /** Position of its end in this node's spool; 0: the log has none. */
  position: number
  use: CallUse
  /** The call was not made. */
  released: boolean
}

interface Waiting extends Ending {
  booked(isBooked: boolean): void
}

export interface BookingOptions {
  connection: Connection
  node: string
  /** Milliseconds, for tests; '' uses the server's clock. */
  clock(): string
  isUsable(): boolean
  /** The server has no ledger. */
  onLost(): void
  onSequence(sequence: number): void
  /** The queue is full: these calls are booked from the log, which has all of them. */
  onOverflow(): void
  /**
   * Whether the log has the real end of a call of this node; needed for calls of an earlier ledger that are answered
   * after booking.
   */
  isLogged(call: { id: string; startedAt: number }): Promise<boolean>
  most: number
}

const TOGETHER = 200

/** Finished calls on their way to the counters: retried until booked, in order. */
export class Bookings {
  readonly #options: BookingOptions
  #deferred: Waiting[] = []
  #draining = false

  constructor(options: BookingOptions) {
    this.#options = options
  }

  get deferred(): number {
    return this.#deferred.length
  }

  /** Resolves when booked; to false when another node gave the call up, or when the queue was full. */
  book(ending: Ending): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const waiting: Waiting = { ...ending, booked: resolve }
    if (this.#deferred.length === 0 && this.#options.isUsable()) void this.#send(waiting)
    else this.#defer(waiting)
    return promise
  }

  /** Sends what waited for the counters. */
  async drain(): Promise<void> {
    if (this.#draining) return
    this.#draining = true
    try {
      while (this.#deferred.length > 0 && this.#options.isUsable()) {
        const some = this.#deferred.splice(0, TOGETHER)
        const arrived = await Promise.all(some.map((waiting) => this.#send(waiting)))
        if (arrived.includes(false)) return
      }
    } finally {
      this.#draining = false
    }
  }

  #defer(waiting: Waiting): void {
    this.#deferred.push(waiting)
    if (this.#deferred.length <= this.#options.most) return
    const all = this.#deferred
    this.#deferred = []
    for (const each of all) each.booked(false)
    this.#options.onOverflow()
  }

  async #send(waiting: Waiting): Promise<boolean> {
    const { connection, onLost, onSequence } = this.#options
    try {
      const [outcome, sequence] = await connection.run(END, this.#arguments(waiting))
      if (outcome !== 0) {
        if (typeof sequence === 'number') onSequence(sequence)
        waiting.booked(outcome === 3 ? await this.#isLogged(waiting) : outcome === 1)
        return true
      }
      onLost()
    } catch {
      // It may have arrived; booking twice changes nothing.
    }
    this.#defer(waiting)
    return false
  }

  #isLogged({ call: { held } }: Ending): Promise<boolean> {
    return this.#options.isLogged({ id: held.id, startedAt: held.admittedAt }).catch(() => false)
  }

  #arguments({ call, position, use, released }: Ending): string[] {
    const { held, keyId, workspace, generation } = call
    const { id, answersAfterBooking, admittedAt } = held
    const { clock, node } = this.#options
    const told = { id, position, answersAfterBooking, admittedAt, keyId, workspace, generation }
    return endArguments({ call: told, use, released, node, clock: clock() })
  }
}
