import { connect, isIP, type Socket } from 'node:net'
import { refusedHost } from '../domain/base-url.ts'
import { guardedLookup, type Resolve } from './guarded-lookup.ts'

/** A connection to what is not HTTP, e.g. a mail server, with the guard that providers have. */
export function plainSocket(
  { host, port }: { host: string; port: number },
  { resolve, timeoutMs }: { resolve: Resolve; timeoutMs: number },
): Promise<Socket> {
  // An address is connected to without a lookup.
  const refusal = isIP(host) === 0 ? null : refusedHost(host)
  if (refusal !== null) return Promise.reject(new Error(`${host} is ${refusal}: refused`))
  return new Promise((settle, reject) => {
    const socket = connect({ host, port, lookup: guardedLookup(resolve), timeout: timeoutMs })
    socket.once('timeout', () => socket.destroy(new Error(`The connection to ${host} timed out`)))
    socket.once('error', reject).once('connect', () => settle(socket.off('error', reject).setTimeout(0)))
  })
}
