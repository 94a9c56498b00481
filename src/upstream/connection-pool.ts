import { type Connect, type ConnectionOwner, UpstreamConnection } from './connection.ts'

/** For providers that do not say how long they keep an idle connection. */
const KEEP_MS = 4_000
const MAX_KEEP_MS = 600_000
const SWEEP_MS = 1_000

/**
 * The connections to one provider: as many as there are calls. The one that became idle last is taken first, so that
 * surplus ones stay idle and are closed.
 */
export class ConnectionPool implements ConnectionOwner {
  readonly #connect: Connect
  readonly #idle: UpstreamConnection[] = []
  readonly #all = new Set<UpstreamConnection>()
  #sweeping: NodeJS.Timeout | null = null

  constructor(connect: Connect) {
    this.#connect = connect
  }

  take(): UpstreamConnection {
    for (let connection = this.#idle.pop(); connection !== undefined; connection = this.#idle.pop()) {
      if (connection.isUsable && !isOver(connection, Date.now())) return connection
      connection.destroy()
    }
    const connection = new UpstreamConnection(this.#connect, this)
    this.#all.add(connection)
    return connection
  }

  giveBack(connection: UpstreamConnection): void {
    connection.idleSince = Date.now()
    this.#idle.push(connection)
    this.#sweeping ??= setInterval(() => this.#sweep(), SWEEP_MS).unref()
  }

  forget(connection: UpstreamConnection): void {
    if (!this.#all.delete(connection)) return
    const place = this.#idle.lastIndexOf(connection)
    if (place >= 0) this.#idle.splice(place, 1)
  }

  destroy(): void {
    for (const connection of [...this.#all]) connection.destroy()
    this.#rest()
  }

  #sweep(): void {
    const now = Date.now()
    for (const connection of this.#idle.filter((idle) => isOver(idle, now))) connection.destroy()
    if (this.#idle.length === 0) this.#rest()
  }

  #rest(): void {
    if (this.#sweeping !== null) clearInterval(this.#sweeping)
    this.#sweeping = null
  }
}

function isOver({ idleSince, keepMs }: UpstreamConnection, now: number): boolean {
  return now - idleSince >= Math.min(keepMs ?? KEEP_MS, MAX_KEEP_MS)
}
