import { connect as connectTcp, isIP, type LookupFunction, type OnReadOpts, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls, createSecureContext } from 'node:tls'
import type { Connect } from './connection.ts'
import type { EgressProxy } from './proxy.ts'
import { openTunnel } from './tunnel.ts'

/** TCP keep-alive. */
const PROBE_MS = 60_000
/** No HTTP/2: a broken connection must end one call only. */
const ALPN = ['http/1.1']

/** How a provider is reached. */
export interface Way {
  origin: URL
  lookup: LookupFunction
  proxy: EgressProxy | null
  /** PEM; null: the usual authorities. */
  ca: readonly string[] | null
}

/** Makes the sockets of one provider. */
export function dialer({ origin, lookup, proxy, ca }: Way): Connect {
  const isSecure = origin.protocol === 'https:'
  const place = placeOf(origin, lookup)
  if (!isSecure) {
    // What a proxy passes on in plain text, it is asked for as if it were the provider.
    const dial = proxy === null ? (onread: OnReadOpts) => connectTcp({ ...place, onread }) : dialerTo(proxy, lookup)
    const readyOn = proxy?.isSecure === true ? 'secureConnect' : 'connect'
    return (onread, { ready, failed }) => {
      const socket = dial(onread)
      socket.on('error', failed).once(readyOn, () => ready(socket))
      return socket
    }
  }
  const secure = securer(place.host, ca)
  if (proxy === null) {
    return (onread, { ready, failed }) => {
      const socket = secure({ ...place, onread })
      socket.on('error', failed).once('secureConnect', () => ready(socket))
      return socket
    }
  }
  const dial = dialerTo(proxy, lookup)
  const authority = `${origin.hostname}:${place.port}`
  return (_onread, { ready, failed, arrived }) => {
    const toProxy = dial()
    openTunnel(toProxy, proxy, authority, {
      failed,
      opened() {
        // On top of another socket, Node ignores `onread`.
        const socket = secure({ socket: toProxy })
        socket.on('error', failed).once('secureConnect', () => ready(socket))
        socket.on('data', (bytes) => arrived(bytes) || socket.pause())
      },
    })
    return toProxy
  }
}

/** Sockets to the proxy itself. */
function dialerTo({ origin, isSecure }: EgressProxy, lookup: LookupFunction): (onread?: OnReadOpts) => Socket {
  const place = placeOf(origin, lookup)
  const secure = securer(place.host, null)
  return (onread) => {
    const options = onread === undefined ? place : { ...place, onread }
    return isSecure ? secure(options) : connectTcp(options)
  }
}

/** TLS takes the options of `socket.connect()` too, though its types do not name this one. */
type TlsOptions = ConnectionOptions & { onread?: OnReadOpts }

/** TLS with one server: the CAs to trust, and the session that shortens the next handshake. */
function securer(host: string, ca: readonly string[] | null): (options: TlsOptions) => Socket {
  // Read once: a connection should not parse certificates.
  const context = ca === null ? {} : { secureContext: createSecureContext({ ca: [...ca] }) }
  let session: Buffer | undefined
  return (options) => {
    const socket = connectTls({
      ...options,
      // The name that the certificate must be for, also where the socket leads to a proxy.
      host,
      ALPNProtocols: ALPN,
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ...context,
      ...(session === undefined ? {} : { session }),
    })
    socket.on('session', (latest) => (session = latest))
    return socket
  }
}

function placeOf({ hostname, port, protocol }: URL, lookup: LookupFunction) {
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
    lookup,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: PROBE_MS,
  }
}
