import { connect as connectTcp, isIP, type LookupFunction, type OnReadOpts, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import { Line, type LineHome, type LineSettings } from './connection.ts'

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
export class Lines implements LineHome {
  readonly #origin: URL
  readonly #lookup: LookupFunction
  readonly #settings: LineSettings
  readonly #idle: Line[] = []
  readonly #all = new Set<Line>()
  #sweeping: NodeJS.Timeout | null = null
  /** What spares the next connection half of its handshake. */
  #session: Buffer | undefined

  constructor(origin: URL, lookup: LookupFunction, settings: Omit<LineSettings, 'isSecure'>) {
    this.#origin = origin
    this.#lookup = lookup
    this.#settings = { ...settings, isSecure: origin.protocol === 'https:' }
  }

  take(): Line {
    for (let line = this.#idle.pop(); line !== undefined; line = this.#idle.pop()) {
      if (line.isUsable && !isOver(line, Date.now())) return line
      line.destroy()
    }
    const connect = this.#settings.isSecure ? this.#secureSocket : this.#socket
    const line = new Line(connect, this.#settings, this)
    this.#all.add(line)
    return line
  }

  giveBack(line: Line): void {
    line.idleSince = Date.now()
    this.#idle.push(line)
    this.#sweeping ??= setInterval(() => this.#sweep(), SWEEP_MS).unref()
  }

  forget(line: Line): void {
    if (!this.#all.delete(line)) return
    const place = this.#idle.lastIndexOf(line)
    if (place >= 0) this.#idle.splice(place, 1)
  }

  destroy(): void {
    for (const line of [...this.#all]) line.destroy()
    this.#rest()
  }

  #sweep(): void {
    const now = Date.now()
    for (const line of this.#idle.filter((idle) => isOver(idle, now))) line.destroy()
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

function isOver({ idleSince, keepMs }: Line, now: number): boolean {
  return now - idleSince >= Math.min(keepMs ?? KEEP_MS, MOST_KEEP_MS)
}
