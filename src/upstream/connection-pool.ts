import { connect as connectTcp, isIP, type LookupFunction, type OnReadOpts, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import { type ConnectionOwner, type ConnectionSettings, UpstreamConnection } from './connection.ts'

/** Where no provider says how long it keeps a connection that nobody uses. */
const KEEP_MS = 4_000
const MOST_KEEP_MS = 600_000
const SWEEP_MS = 1_000
/** The system asks the other side after so long whether it is still there. */
const PROBE_MS = 60_000

/**
 * The connections to one provider: as many as there are calls. The one that became idle last is taken first, so that
 * those nobody needs any more stay at the bottom and end.
 */
export class ConnectionPool implements ConnectionOwner {
  readonly #origin: URL
  readonly #lookup: LookupFunction
  readonly #settings: ConnectionSettings
  readonly #idle: UpstreamConnection[] = []
  readonly #all = new Set<UpstreamConnection>()
  #sweeping: NodeJS.Timeout | null = null
  /** What spares the next connection half of its handshake. */
  #session: Buffer | undefined

  constructor(origin: URL, lookup: LookupFunction, settings: Omit<ConnectionSettings, 'isSecure'>) {
    this.#origin = origin
    this.#lookup = lookup
    this.#settings = { ...settings, isSecure: origin.protocol === 'https:' }
  }

  take(): UpstreamConnection {
    for (let connection = this.#idle.pop(); connection !== undefined; connection = this.#idle.pop()) {
      if (connection.isUsable && !isOver(connection, Date.now())) return connection
      connection.destroy()
    }
    const connect = this.#settings.isSecure ? this.#secureSocket : this.#socket
    const connection = new UpstreamConnection(connect, this.#settings, this)
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

  #socket = (onread: OnReadOpts): Socket => connectTcp({ ...this.#place(80), onread })

  #secureSocket = (onread: OnReadOpts): Socket => {
    const place = this.#place(443)
    // TLS takes the options of `socket.connect()` as well, though its types do not name this one.
    const options: ConnectionOptions & { onread: OnReadOpts } = {
      ...place,
      onread,
      // One call a connection, and the breaking of one must end one call: HTTP/2 is not offered.
      ALPNProtocols: ['http/1.1'],
      ...(isIP(place.host) === 0 ? { servername: place.host } : {}),
      ...(this.#session === undefined ? {} : { session: this.#session }),
    }
    const socket = connectTls(options)
    socket.on('session', (session) => (this.#session = session))
    return socket
  }

  #place(usualPort: number) {
    const { hostname, port } = this.#origin
    return {
      host: hostname.replace(/^\[|\]$/g, ''),
      port: port === '' ? usualPort : Number(port),
      lookup: this.#lookup,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: PROBE_MS,
    }
  }
}

function isOver({ idleSince, keepMs }: UpstreamConnection, now: number): boolean {
  return now - idleSince >= Math.min(keepMs ?? KEEP_MS, MOST_KEEP_MS)
}
