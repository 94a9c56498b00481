import { type AddressInfo, createServer, type Server } from 'node:net'

/** An address, which several threads may listen on, or the path of a socket. */
export type ListenPlace = { host: string; port: number; reusePort?: boolean } | { path: string }

/** Whether several threads may listen on one port, and the system spreads connections over them. */
export async function canReusePort(): Promise<boolean> {
  const server = createServer()
  try {
    await listen(server, { host: '127.0.0.1', port: 0, reusePort: true })
    return true
  } catch {
    return false
  } finally {
    server.close(() => {})
  }
}

/** Connections that wait to be accepted: the system drops further ones. */
const BACKLOG = 4_096

/** Resolves with the URL, or the path, once it listens. */
export function listen(server: Server, place: ListenPlace): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ ...place, backlog: BACKLOG }, () => {
      server.removeListener('error', reject)
      resolve('path' in place ? place.path : urlOf(server.address() as AddressInfo))
    })
  })
}

function urlOf({ address, family, port }: AddressInfo): string {
  // A server on all addresses is reached on the local one.
  if (address === '0.0.0.0') return `http://127.0.0.1:${port}`
  if (address === '::') return `http://[::1]:${port}`
  return family === 'IPv6' ? `http://[${address}]:${port}` : `http://${address}:${port}`
}
