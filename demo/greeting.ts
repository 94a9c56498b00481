import { DEMO_ADMIN_KEY, DEMO_KEY, DEMO_STREAM_KEY } from './config.ts'
import { HISTORY_DAYS } from './history.ts'

/** How the command line calls itself, and a call with curl. */
interface Commands {
  program: string
  curl(url: string, key: string, model: string, streams?: boolean): string[]
}

/** What a person can do with a demo that serves. */
export function greeting(url: string, { program, curl: curlLines }: Commands): string {
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
