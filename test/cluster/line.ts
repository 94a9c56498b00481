import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP line to a server that can be cut and restored. */
export interface Line {
  port: number
  /** `refuse`: connections break and new ones are refused. `hang`: they stay open, but nothing passes. */
  cut(how: 'refuse' | 'hang'): void
  mend(): void
  close(): Promise<void>
}

export async function startLine(targetPort: number): Promise<Line> {
  const pairs = new Set<[Socket, Socket]>()
  let state: 'whole' | 'refuse' | 'hang' = 'whole'

  const server = createServer((near) => {
    if (state === 'refuse') {
      near.destroy()
      return
    }
    const far = connect(targetPort, '127.0.0.1')
    const pair: [Socket, Socket] = [near, far]
    pairs.add(pair)
    const end = () => {
      pairs.delete(pair)
      near.destroy()
      far.destroy()
    }
    for (const socket of pair) socket.on('error', end).on('close', end)
    near.on('data', (chunk) => state === 'hang' || far.write(chunk))
    far.on('data', (chunk) => state === 'hang' || near.write(chunk))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const breakAll = () => {
    for (const [near, far] of pairs) {
      near.destroy()
      far.destroy()
    }
  }
  return {
    port: (server.address() as AddressInfo).port,
    cut(how) {
      state = how
      if (how === 'refuse') breakAll()
    },
    mend() {
      // These streams lack the bytes swallowed during the hang.
      if (state === 'hang') breakAll()
      state = 'whole'
    },
    async close() {
      const closed = once(server, 'close')
      server.close()
      breakAll()
      await closed
    },
  }
}
