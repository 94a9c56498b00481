import { lookup } from 'node:dns/promises'
import { connect } from 'node:net'

/**
 * Fails as listening would, without listening: whoever was let in for a moment would lose the call that they sent, and a
 * load balancer must not repeat it. Node binds without listening only where a connection goes out, so one goes from the port
 * to itself. Asked before a first start makes keys: their values are shown once the gateway serves, so keys of a start
 * that fails would be lost.
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

/** Who would listen everywhere is reached here. */
function reachable(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1'
  return address === '::' ? '::1' : address
}
