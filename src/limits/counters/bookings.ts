import type { HeldCall } from '../admission.ts'
import type { CallUse } from '../ledger.ts'
import type { Connection } from './connection.ts'
import { endArguments } from './end-arguments.ts'
import { END } from './scripts/end.ts'

/** A call of this node that the counters must still hear the end of. */
export interface CountedCall {
  held: HeldCall
  keyId: string
  workspace: string
  /** Of the ledger that admitted it; 0: none did. */
  generation: number
}

export interface Ending {
  call: CountedCall
  /** Of its end in the spool of this node; 0: the log has none. */
  position: number
  use: CallUse
  /** The call was not made after all. */
  released: boolean
}

interface Waiting extends Ending {
  booked(isBooked: boolean): void
}

export interface BookingOptions {
  connection: Connection
  node: string
  /** Milliseconds for tests; '' lets the server's clock count. */
  clock(): string
  isUsable(): boolean
  /** The server has no ledger. */
  onLost(): void
  onSequence(sequence: number): void
  /** There are too many to be remembered: the log knows them all, and they are booked from there. */
  onOverflow(): void
  /** Whether the log has the true end of a call of this node; asked for strict ones of an earlier ledger. */
  isLogged(call: { id: string; startedAt: number }): Promise<boolean>
  most: number
}

const TOGETHER = 200

/** The ends of calls on their way to the counters: sent again until they have arrived, in the order in which they came. */
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

  /** Resolves when it is booked; to false when another node has given the call up, or when it was too many. */
  book(ending: Ending): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const waiting: Waiting = { ...ending, booked: resolve }
    if (this.#deferred.length === 0 && this.#options.isUsable()) void this.#send(waiting)
    else this.#defer(waiting)
    return promise
  }

  /** Sends what has been waiting for the counters to come back. */
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
      // Whether it has arrived is not known; a second time does no harm.
    }
    this.#defer(waiting)
    return false
  }

  #isLogged({ call: { held } }: Ending): Promise<boolean> {
    return this.#options.isLogged({ id: held.id, startedAt: held.admittedAt }).catch(() => false)
  }

  #arguments({ call, position, use, released }: Ending): string[] {
    const { held, keyId, workspace, generation } = call
    const { id, strict, admittedAt } = held
    const { clock, node } = this.#options
    const told = { id, position, strict, admittedAt, keyId, workspace, generation }
    return endArguments({ call: told, use, released, node, clock: clock() })
  }
}
