import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Refuses and records every request: programs that want to leave the machine end up here. */
export interface DeadEnd {
  /** Variables that send a program here, except for what listens on this machine. */
  environment: Record<string, string>
  asked: string[]
  close(): Promise<void>
}

export async function startDeadEnd(): Promise<DeadEnd> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    response.writeHead(503).end()
  })
  server.on('connect', (request, socket) => {
    asked.push(`CONNECT ${request.url}`)
    socket.on('error', () => undefined).end('HTTP/1.1 503 Service Unavailable\r\n\r\n')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const names = ['http_proxy', 'https_proxy', 'all_proxy']
  const proxies = names.flatMap((name) => [name, name.toUpperCase()]).map((name) => [name, url])
  return {
    asked,
    environment: { ...Object.fromEntries(proxies), no_proxy: '127.0.0.1', NO_PROXY: '127.0.0.1' },
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
