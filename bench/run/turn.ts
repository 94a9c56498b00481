import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** An abstract socket of Linux: it ends with its process, however that ends. */
const NAME = '\0switchyard-bench'
const POLL_MS = 200

/** All measurements use the same core, so two runs at a time would measure each other. The second one waits, within a limit. */
export async function takeTurn(maximumMs: number, onWait: () => void = () => {}): Promise<Disposable> {
  const until = performance.now() + maximumMs
  const server = createServer().unref()
  for (let attempt = 0; !(await tryListen(server)); attempt++) {
    if (attempt === 0) onWait()
    if (performance.now() > until) break
    await sleep(POLL_MS)
  }
  return { [Symbol.dispose]: () => void server.close() }
}

async function tryListen(server: ReturnType<typeof createServer>): Promise<boolean> {
  server.listen(NAME)
  try {
    await once(server, 'listening')
    return true
  } catch (error) {
    // Other systems have no such sockets, and run without turns.
    return !(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')
  }
}
