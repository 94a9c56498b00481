import type { Environment } from '../config.ts'
import { startGateway } from '../main.ts'
import { keyLines, welcome } from './welcome.ts'

/** Serves until told to stop: then the calls in flight finish, the log is flushed, and the process ends with 0. */
export async function serve(environment: Environment): Promise<void> {
  // Heard from the first moment on: a stop that comes while starting is obeyed once there is something to stop.
  const stopped = stopSignal()
  const gateway = await startGateway(environment, {
    onFileKeys: (keys) => process.stdout.write(keyLines(keys)),
  })
  process.stdout.write(welcome(gateway))
  await stopped
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
