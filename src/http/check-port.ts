import { lookup } from 'node:dns/promises'
import { connect } from 'node:net'

/**
 * Fails as listening would, without listening: a client that connects in that moment would lose its call. Node binds without
 * listening only for an outgoing connection, so one goes from the port to itself. Runs before a first start creates keys:
 * their values are shown once the gateway serves, so those of a failed start would be lost.
 */
export async function checkPort(host: string, port: number): Promise<void> {
  const { address } = await lookup(host)
  await new Promise<void>((resolve, reject) => {
    const probe = connect({ host: reachable(address), port, localAddress: address, localPort: port })
    const end = (error: NodeJS.ErrnoException | null) => {
      probe.destroy()
      if (error?.syscall === 'bind') reject(error)
      else resolve()
    }
    probe.once('connect', () => end(null)).on('error', end)
  })
}

/** A server on all addresses is reached on the local one. */
function reachable(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1'
  return address === '::' ? '::1' : address
}
