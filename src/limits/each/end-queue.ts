import { amountOf } from '../amount.ts'
import type { Connection } from '../counters/connection.ts'
import { EACH_END } from '../counters/scripts/each-end.ts'
import type { EachEnd } from './each-book.ts'

const MOST_TOGETHER = 200

/** Ends of calls on their way to the counters' server: in order, and each once, whatever is lost on the way. */
export class EndQueue {
  readonly #connection: Connection
  readonly #node: string
  readonly #clock: () => string
  /** 0: there is no ledger to report to. */
  readonly #generation: () => number
  #waiting: EachEnd[] = []
  /** Not confirmed yet. */
  #sent: { number: number; ends: EachEnd[] } = { number: 0, ends: [] }
  #sending: Promise<void> | null = null

  constructor(connection: Connection, node: string, clock: () => string, generation: () => number) {
    this.#connection = connection
    this.#node = node
    this.#clock = clock
    this.#generation = generation
  }

  add(end: EachEnd): void {
    this.#waiting.push(end)
    void this.send()
  }

  /** Whether an end of this call is still on its way. */
  has(id: string): boolean {
    const isOf = (end: EachEnd) => end.id === id
    return this.#waiting.some(isOf) || this.#sent.ends.some(isOf)
  }

  /** Another ledger begins, with what the log says. */
  forget(): void {
    this.#waiting = []
    this.#sent = { number: 0, ends: [] }
  }

  /** Never rejects: what was not reported goes with the next report. */
  send(): Promise<void> {
    this.#sending ??= this.#sendAll()
      .catch(() => {})
      .finally(() => {
        this.#sending = null
      })
    return this.#sending
  }

  async #sendAll(): Promise<void> {
    while (this.#generation() !== 0 && this.#waiting.length + this.#sent.ends.length > 0) {
      // What was not confirmed goes again under its number, which the server takes once.
      if (this.#sent.ends.length === 0) {
        this.#sent = { number: this.#sent.number + 1, ends: this.#waiting.splice(0, MOST_TOGETHER) }
      }
      const sent = this.#sent
      const { is_ours: isOurs } = await this.#connection.run(EACH_END, {
        ...{ clock: this.#clock(), generation: String(this.#generation()), node: this.#node },
        ...{ number: String(sent.number), ends_text: JSON.stringify(sent.ends.map(listed)) },
      })
      if (isOurs !== 1) return
      if (this.#sent === sent) this.#sent = { number: sent.number, ends: [] }
    }
  }
}

function listed({ id, counters, at, cost, position }: EachEnd): unknown[] {
  const { dollars, rest } = amountOf(cost)
  return [id, counters, at, dollars, rest, position]
}
