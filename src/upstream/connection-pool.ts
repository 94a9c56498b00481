import { connect as connectTcp, isIP, type LookupFunction, type OnReadOpts, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import { type ConnectionOwner, UpstreamConnection } from './connection.ts'

/** For providers that do not say how long they keep an idle connection. */
const KEEP_MS = 4_000
const MAX_KEEP_MS = 600_000
const SWEEP_MS = 1_000
/** TCP keep-alive. */
const PROBE_MS = 60_000

/**
 * The connections to one provider: as many as there are calls. The one that became idle last is taken first, so that
 * surplus ones stay idle and are closed.
 */
export class ConnectionPool implements ConnectionOwner {
  readonly #origin: URL
  readonly #lookup: LookupFunction
  readonly #isSecure: boolean
  readonly #idle: UpstreamConnection[] = []
  readonly #all = new Set<UpstreamConnection>()
  #sweeping: NodeJS.Timeout | null = null
  /** Of TLS: makes the next handshake shorter. */
  #session: Buffer | undefined

  constructor(origin: URL, lookup: LookupFunction) {
    this.#origin = origin
    this.#lookup = lookup
    this.#isSecure = origin.protocol === 'https:'
  }

  take(): UpstreamConnection {
    for (let connection = this.#idle.pop(); connection !== undefined; connection = this.#idle.pop()) {
      if (connection.isUsable && !isOver(connection, Date.now())) return connection
      connection.destroy()
    }
    const connect = this.#isSecure ? this.#secureSocket : this.#socket
    const connection = new UpstreamConnection(connect, this.#isSecure, this)
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
    // TLS takes the options of `socket.connect()` too, though its types do not name this one.
    const options: ConnectionOptions & { onread: OnReadOpts } = {
      ...place,
      onread,
      // No HTTP/2: a broken connection must end one call only.
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
  return now - idleSince >= Math.min(keepMs ?? KEEP_MS, MAX_KEEP_MS)
}
