import type { Environment } from '../app/config.ts'
import { startGateway } from '../app/main.ts'
import { collectGarbage } from './collect-garbage.ts'
import { secondSignal, stopSignal } from './stop-signal.ts'
import { keyLines, welcome } from './welcome.ts'

/** Serves until it is stopped: then the calls in flight finish, the log is flushed, and the process ends with 0. */
export async function serve(environment: Environment): Promise<void> {
  const stopped = stopSignal()
  const stopping = new AbortController()
  void stopped.then(() => stopping.abort())
  const gateway = await startGateway(environment, {
    onFileKeys: (keys) => process.stdout.write(keyLines(keys)),
    beforeListening: collectGarbage,
    signal: stopping.signal,
  }).catch((error) => {
    // Stopped while it waited for its database: there is nothing to finish.
    if (stopping.signal.aborted) process.exit(0)
    throw error
  })
  process.stdout.write(welcome(gateway))
  await stopped
  await gateway.stop({ isGraceful: true, hurry: secondSignal })
  process.exit(0)
}
