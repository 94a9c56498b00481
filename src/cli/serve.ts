import type { Environment } from '../config.ts'
import { startGateway } from '../main.ts'
import { collectGarbage } from './collect-garbage.ts'
import { stopSignal } from './stop-signal.ts'
import { keyLines, welcome } from './welcome.ts'

/** Serves until told to stop: then the calls in flight finish, the log is flushed, and the process ends with 0. */
export async function serve(environment: Environment): Promise<void> {
  const stopped = stopSignal()
  const gateway = await startGateway(environment, {
    onFileKeys: (keys) => process.stdout.write(keyLines(keys)),
    beforeListening: collectGarbage,
  })
  process.stdout.write(welcome(gateway))
  await stopped
  await gateway.stop()
  process.exit(0)
}
