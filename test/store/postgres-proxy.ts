import { once } from 'node:events'
import { createServer, connect as openSocket, type Socket } from 'node:net'
import { fixedPort } from '../fixed-port.ts'

/** A way to a PostgreSQL that can fail as networks do, without touching the server. */
export interface PostgresProxy {
  url: string
  /** Nothing passes, without an error: as if a machine had vanished. New connections are accepted and hang. */
  freeze(): void
  /** What was held back passes again. */
  thaw(): void
  /** Existing connections hang for ever, without an error; new ones work: the server is another machine. */
  lose(): void
  /** Connections break, new ones are refused. */
  cut(): Promise<void>
  /** Takes connections again. */
  mend(): Promise<void>
  close(): Promise<void>
}

export async function startPostgresProxy(target: string): Promise<PostgresProxy> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let frozen = false

  const server = createServer((near) => {
    const far = openSocket(Number(port), hostname)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('error', () => {})
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
      from.on('data', (piece) => to.write(piece))
      if (frozen) from.pause()
    }
  })
  // While it is cut, no other process may get its port.
  const ownPort = await fixedPort()
  const listen = () => once(server.listen(ownPort, '127.0.0.1'), 'listening')
  await listen()
  const url = new URL(target)
  url.port = String(ownPort)

  async function cut(): Promise<void> {
    const closed = new Promise((resolve) => server.close(resolve))
    for (const socket of sockets) socket.destroy()
    await closed
  }

  return {
    url: url.href,
    freeze() {
      frozen = true
      for (const socket of sockets) socket.pause()
    },
    thaw() {
      frozen = false
      for (const socket of sockets) socket.resume()
    },
    lose() {
      for (const socket of sockets) socket.pause()
    },
    cut,
    async mend() {
      await listen()
    },
    async close() {
      if (server.listening) await cut()
    },
  }
}
