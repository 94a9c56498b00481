import { createServer } from 'node:net'

/** Below the ports that Linux assigns: while a killed part is down, no other process may get its port. */
const LOWEST = 20_000
/** Processes that run side by side choose from different ports: another one's may look free because it is down. */
const PORTS_OF_PROCESS = 40
const PROCESSES = 300

/** A free port of 127.0.0.1 for something that will be started on it again and again. */
export async function fixedPort(): Promise<number> {
  const first = LOWEST + (process.pid % PROCESSES) * PORTS_OF_PROCESS
  for (;;) {
    const port = first + Math.floor(Math.random() * PORTS_OF_PROCESS)
    if (given.has(port)) continue
    // Before it is tried: several may ask at once.
    given.add(port)
    if (await isFree(port)) return port
    given.delete(port)
  }
}

const given = new Set<number>()

function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
