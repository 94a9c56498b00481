import type { HttpRoute } from './call.ts'
import { checkPort } from './check-port.ts'
import { asListenError, type ListenAddress } from './listen-problem.ts'
import { createServer, type Server, type ServerOptions } from './server.ts'

export interface Ports {
  calls: ListenAddress
  /** Null: one port serves everything. */
  administration: ListenAddress | null
}

export interface PortsOptions extends Omit<ServerOptions, 'routes'> {
  ports: Ports
  routes: {
    calls: readonly HttpRoute[]
    /** On every port. */
    health: readonly HttpRoute[]
    administration: readonly HttpRoute[]
  }
}

export interface Servers extends Pick<Server, 'drain' | 'destroy'> {
  listen(): Promise<{ url: string; adminUrl: string }>
  /** For the dashboard, once it listens: the ports for administration and for calls; empty if that is one port. */
  portsApart(): string
}

/** Fails as listening there would. */
export async function checkPorts({ calls, administration }: Ports): Promise<void> {
  for (const place of administration === null ? [calls] : [calls, administration]) {
    await checkPort(place.host, place.port).catch((error) => Promise.reject(asListenError(error, place)))
  }
}

/** One server for everything, or one for calls and one for administration. */
export function createServers({ ports, routes, ...shared }: PortsOptions): Servers {
  const { calls, health, administration } = routes
  if (ports.administration === null) {
    const server = createServer({ ...shared, routes: [...calls, ...health, ...administration] })
    return {
      async listen() {
        const url = await listenAt(server, ports.calls)
        return { url, adminUrl: url }
      },
      portsApart: () => '',
      drain: server.drain,
      destroy: server.destroy,
    }
  }
  const place = ports.administration
  const own = createServer({ ...shared, routes: [...calls, ...health] })
  const { onConnections: _, ...forAdmin } = shared
  const admin = createServer({ ...forAdmin, routes: [...health, ...administration] })
  let apart = ''
  return {
    async listen() {
      // The port for calls comes last: no client has connected when the other one is in use.
      const adminUrl = await listenAt(admin, place)
      const url = await listenAt(own, ports.calls).catch(async (error) => {
        await admin.drain()
        throw error
      })
      apart = `${new URL(adminUrl).port} ${new URL(url).port}`
      return { url, adminUrl }
    },
    portsApart: () => apart,
    async drain(idleGraceMs) {
      await Promise.all([own.drain(idleGraceMs), admin.drain(idleGraceMs)])
    },
    destroy() {
      own.destroy()
      admin.destroy()
    },
  }
}

export function listenAt(server: Server, place: ListenAddress): Promise<string> {
  return server
    .listen({ host: place.host, port: place.port })
    .catch((error) => Promise.reject(asListenError(error, place)))
}
