import { createServer } from 'node:net'

/** Below the ports that Linux hands out by itself: while a killed part is down, nobody else may get its port. */
const LOWEST = 20_000
const HIGHEST = 32_000

/** A free port of 127.0.0.1 for something that will be started on it again and again. */
export async function fixedPort(): Promise<number> {
  for (;;) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST))
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
