import { GatewayError } from '../domain/errors.ts'

/** A body that is not complete yet. */
export interface Arrival {
  /** Bytes so far. */
  readonly received: number
  /** What `received` was at the last look; -1 before the first. */
  lastLook: number
  /** No more of it will be read. */
  fail(error: GatewayError): void
}

export interface ArrivalRate {
  /** How often each body is looked at. */
  everyMs: number
  /** What must have come between two looks; 0: nothing. */
  bytes: number
}

/** Ends bodies that arrive too slowly, so that nobody holds memory by stopping in the middle. */
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
    // Looks after everything that lies there was read: a process that was held up must not blame its callers.
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
