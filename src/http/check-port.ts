import { createServer } from 'node:net'

/**
 * Listens for a moment, and fails as the server would. Asked before a first start makes keys: their values are shown once
 * the gateway serves, so keys of a start that fails would be lost.
 */
export async function checkPort(host: string, port: number): Promise<void> {
  const probe = createServer()
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject)
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve()))
  })
}
