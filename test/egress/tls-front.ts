import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { createServer, type SecureContextOptions } from 'node:tls'

export interface TlsFront {
  port: number
  close(): void
}

/** TLS in front of a server that speaks plain HTTP, on all addresses of this machine. */
export async function startTlsFront(options: SecureContextOptions, destination: () => string): Promise<TlsFront> {
  const server = createServer(options, (socket) => {
    const { hostname, port } = new URL(destination())
    const behind = connect(Number(port), hostname)
    behind.on('error', () => socket.destroy()).on('close', () => socket.destroy())
    socket.on('error', () => behind.destroy()).on('close', () => behind.destroy())
    socket.pipe(behind).pipe(socket)
  })
  server.on('tlsClientError', () => {})
  server.listen(0)
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, close: () => server.close() }
}
