import type { Socket } from 'node:net'
import type { buildConnector, Client } from 'undici'
import connectorOf from 'undici/lib/core/connect.js'
import UndiciClient from 'undici/lib/dispatcher/client.js'

/** A connection to a provider, for one call at a time; closed by the provider while idle, it is made again when needed. */
export interface Line {
  client: Client
  socket: Socket | null
  /** This connection has brought an answer before: the other side may be about to close it. */
  used: boolean
  idleSince: number
}

/** Its connection is long closed by then (a kept one ends after seconds), and the rest is only memory. */
const FORGET_IDLE_MS = 60_000

/**
 * The connections to one provider: as many as there are calls. The one that became idle last is taken first, so that
 * those nobody needs any more stay at the bottom and end. undici's own pool asks every connection in turn whether it is
 * free, twice for each call, however many there are.
 */
export class Lines {
  readonly #open: (connect: buildConnector.connector) => Client
  readonly #connect: buildConnector.connector
  readonly #idle: Line[] = []
  readonly #all = new Set<Line>()

  constructor(origin: string, options: Client.Options, connect: buildConnector.BuildOptions) {
    this.#open = (connector) => new UndiciClient(origin, { ...options, connect: connector })
    this.#connect = connectorOf(connect)
  }

  take(): Line {
    return this.#idle.pop() ?? this.#add()
  }

  giveBack(line: Line): void {
    line.idleSince = Date.now()
    this.#idle.push(line)
    const oldest = this.#idle[0]
    if (oldest === undefined || line.idleSince - oldest.idleSince < FORGET_IDLE_MS) return
    this.#idle.shift()
    this.drop(oldest)
  }

  /** It broke, or nobody needs it. */
  drop(line: Line): void {
    this.#all.delete(line)
    void line.client.destroy()
  }

  async destroy(): Promise<void> {
    await Promise.all([...this.#all].map((line) => line.client.destroy()))
  }

  #add(): Line {
    const client = this.#open((options, callback) => {
      this.#connect(options, (...[error, socket]) => {
        line.socket = socket
        line.used = false
        // Either is null: the types of undici want to be told which.
        if (error === null) callback(null, socket)
        else callback(error, null)
      })
    })
    const line: Line = { client, socket: null, used: false, idleSince: 0 }
    this.#all.add(line)
    return line
  }
}
