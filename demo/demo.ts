import { createOutput } from '../src/cli/output.ts'
import { programName } from '../src/cli/program-name.ts'
import { demoStopped, endWithTerminal } from '../src/cli/stop-signal.ts'
import { curlLines } from '../src/cli/welcome.ts'
import { DEMO_ADMIN_KEY, DEMO_KEY, DEMO_STREAM_KEY } from './config.ts'
import { HISTORY_DAYS } from './history.ts'
import { sayDays } from './preparation.ts'
import { startDemo } from './start.ts'

/** Serves the demo until it is stopped. */
export async function demo(environment: Readonly<Record<string, string | undefined>>): Promise<void> {
  endWithTerminal()
  const { stdout, stderr } = process
  const { url, stop } = await startDemo({
    host: environment['HOST'],
    port: environment['PORT'],
    logLevel: environment['LOG_LEVEL'],
    traffic: true,
    onDay: sayDays(createOutput({ stdout, stderr, noColor: true }, false), stderr.isTTY),
  })
  process.stdout.write(greeting(url))
  await demoStopped()
  await stop()
  process.exit(0)
}

function greeting(url: string): string {
  const program = programName()
  const curl = (model: string) => curlLines(url, DEMO_KEY, model).join('\n')
  return `
  Switchyard serves on ${url}, in front of simulated providers,
  with ${HISTORY_DAYS} days of simulated history, and traffic that goes on at its pace: a call or two a minute.
  Ctrl-C ends the demo and removes its data. Paste into another terminal:

  gateway key   ${DEMO_KEY}   (workspace default)
  gateway key   ${DEMO_STREAM_KEY}   (workspace chat, streaming is on)
  admin key     ${DEMO_ADMIN_KEY}
  dashboard     ${url}/dashboard   (sign in with the admin key)

  The OpenAI family answers:

${curl('fast')}

  The Anthropic family answers, in the same schema:

${curl('smart')}

  The first entry of this route fails; look at x-gateway-fallback-used:

${curl('resilient')}

  A stream, in the workspace that has streaming on; with the other key the answer is 501:

${curlLines(url, DEMO_STREAM_KEY, 'fast', true).join('\n')}

  Which models may I use, what is going on:

  curl ${url}/v1/models \\
    -H 'Authorization: Bearer ${DEMO_KEY}'
  curl ${url}/metrics

  See and change everything (the whole API: ${url}/docs):

  export SWITCHYARD_URL=${url}
  export ADMIN_KEY=${DEMO_ADMIN_KEY}
  ${program} requests list
  ${program} usage --by model

`
}
