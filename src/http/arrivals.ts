import { GatewayError } from '../domain/errors.ts'

/** A body that is not complete yet. */
export interface Arrival {
  /** Bytes so far. */
  readonly received: number
  /** `received` at the last check; -1 before the first. */
  lastLook: number
  /** Ends the reading with this error. */
  fail(error: GatewayError): void
}

export interface ArrivalRate {
  /** How often each body is checked. */
  everyMs: number
  /** How many bytes must arrive between two checks; 0: no limit. */
  bytes: number
}

/** Refuses bodies that arrive too slowly, so that a client cannot hold memory by stopping in the middle. */
export class Arrivals {
  readonly #rate: ArrivalRate
  readonly #open = new Set<Arrival>()
  #timer: NodeJS.Timeout | null = null

  constructor(rate: ArrivalRate) {
    this.#rate = rate
  }

  begin(arrival: Arrival): void {
    if (this.#rate.bytes === 0) return
    arrival.lastLook = -1
    this.#open.add(arrival)
    // Checked after everything that has arrived was read: clients are not to blame when this process was blocked.
    this.#timer ??= setInterval(() => setImmediate(this.look), this.#rate.everyMs).unref()
  }

  end(arrival: Arrival): void {
    this.#open.delete(arrival)
  }

  look = (): void => {
    if (this.#open.size === 0 && this.#timer !== null) {
      clearInterval(this.#timer)
      this.#timer = null
    }
    for (const arrival of this.#open) {
      const { received, lastLook } = arrival
      arrival.lastLook = received
      if (lastLook >= 0 && received - lastLook < this.#rate.bytes) {
        this.#open.delete(arrival)
        arrival.fail(new GatewayError('request_timeout'))
      }
    }
  }
}
