import type { Environment } from '../config.ts'
import { startGateway } from '../main.ts'
import { welcome } from './welcome.ts'

/** Serves until told to stop: then the calls in flight finish, the log is flushed, and the process ends with 0. */
export async function serve(environment: Environment): Promise<void> {
  const gateway = await startGateway(environment)
  process.stdout.write(welcome(gateway))
  await stopSignal()
  await gateway.stop()
  process.exit(0)
}

/** Resolves at the first SIGTERM or SIGINT; a second one ends the process at once. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let stopping = false
    const onSignal = () => {
      if (stopping) process.exit(1)
      stopping = true
      resolve()
    }
    process.on('SIGTERM', onSignal)
    process.on('SIGINT', onSignal)
  })
}
