import { greeting } from '../../demo/greeting.ts'
import { sayDays } from '../../demo/preparation.ts'
import { startDemo } from '../../demo/start.ts'
import type { Environment } from '../app/config.ts'
import { createOutput } from './output.ts'
import { programName } from './program-name.ts'
import { demoStopped, endWithTerminal } from './stop-signal.ts'
import { curlLines } from './welcome.ts'

/** Serves the demo until it is stopped. */
export async function demo(environment: Environment): Promise<void> {
  endWithTerminal()
  const { stdout, stderr } = process
  const { url, stop } = await startDemo({
    host: environment['HOST'],
    port: environment['PORT'],
    logLevel: environment['LOG_LEVEL'],
    traffic: true,
    onDay: sayDays(createOutput({ stdout, stderr, noColor: true }, false), stderr.isTTY),
  })
  stdout.write(greeting(url, { program: programName(), curl: curlLines }))
  await demoStopped()
  await stop()
  process.exit(0)
}
