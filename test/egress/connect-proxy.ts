import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type SecureContextOptions } from 'node:tls'

/** The text that is written back, or null: bytes are passed on. */
type Answer = (head: string) => string | null | 'silence'

export interface ConnectProxy {
  port: number
  /** Every request head that it got. */
  heads: string[]
  /** Connections that are open now. */
  open: Set<Socket>
  answer: Answer
  close(): Promise<void>
}

/** A small proxy: CONNECT and plain requests, always to `destination`, for any requested name. */
export async function startConnectProxy(destination: () => number, tls?: SecureContextOptions): Promise<ConnectProxy> {
  const open = new Set<Socket>()
  const accept = (socket: Socket) => {
    open.add(socket)
    socket.on('error', () => {}).on('close', () => open.delete(socket))
    let head = ''
    socket.on('data', function read(piece: Buffer) {
      head += piece.toString('latin1')
      if (!head.includes('\r\n\r\n')) return
      socket.off('data', read)
      proxy.heads.push(head)
      const answer = proxy.answer(head)
      if (answer === 'silence') return
      if (answer === null) passOn(socket, destination(), head)
      else socket.end(answer, 'latin1')
    })
  }
  const server: Server = tls === undefined ? createServer(accept) : createTlsServer(tls, accept)
  const proxy: ConnectProxy = {
    port: 0,
    heads: [],
    open,
    answer: () => null,
    async close() {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  proxy.port = (server.address() as AddressInfo).port
  return proxy
}

function passOn(socket: Socket, port: number, head: string): void {
  const provider = connect(port, '127.0.0.1')
  provider.on('error', () => socket.destroy()).on('close', () => socket.destroy())
  socket.on('close', () => provider.destroy())
  if (head.startsWith('CONNECT ')) socket.write('HTTP/1.1 200 Connection established\r\nvia: small\r\n\r\n')
  else provider.write(head, 'latin1')
  socket.pipe(provider)
  provider.pipe(socket)
}
