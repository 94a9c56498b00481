import { parseArgs } from 'node:util'
import { FAMILY_NAMES, type FamilyName, type PerFamily } from './families.ts'
import { type Simulator, startSimulator } from './simulator.ts'

/** The others take a free one. */
const USUAL_PORTS: Partial<Record<FamilyName, string>> = { openai: '9101', anthropic: '9102' }

const HELP = `Usage: node simulator/main.ts [options]

Simulated providers, one server for each family. See docs/simulator.md.

${FAMILY_NAMES.map(portHelp).join('\n')}
  --host <address>          default 127.0.0.1
  --seed <number>           default 1
  --latency-ms <number>     added to every answer, default 0
  --json                    print only one line of JSON with all addresses
  --help                    print this text
`

function portHelp(name: FamilyName): string {
  return `  ${`--${name}-port <port>`.padEnd(25)} default ${USUAL_PORTS[name] ?? '0'}; 0 takes a free port`
}

type PortOptions = PerFamily<'-port', { type: 'string'; default: string }>

const OPTIONS = {
  ...(Object.fromEntries(
    FAMILY_NAMES.map((name) => [`${name}-port`, { type: 'string', default: USUAL_PORTS[name] ?? '0' }]),
  ) as PortOptions),
  host: { type: 'string', default: '127.0.0.1' },
  seed: { type: 'string', default: '1' },
  'latency-ms': { type: 'string', default: '0' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

class BadArgument extends Error {}

function readArguments() {
  try {
    return parseArgs({ options: OPTIONS, strict: true }).values
  } catch (error) {
    throw new BadArgument((error as Error).message.split('. To specify')[0])
  }
}

function wholeNumber(name: keyof typeof OPTIONS, value: string, largest: number): number {
  if (/^\d{1,15}$/.test(value) && Number(value) <= largest) return Number(value)
  throw new BadArgument(`--${name} must be a whole number from 0 to ${largest}, not '${value}'`)
}

async function main(): Promise<void> {
  const values = readArguments()
  if (values.help) {
    process.stdout.write(HELP)
    return
  }
  const ports = FAMILY_NAMES.map((name) => {
    const option = `${name}-port` as const
    return [`${name}Port`, wholeNumber(option, values[option], 65_535)]
  })
  const simulator = await startSimulator({
    ...(Object.fromEntries(ports) as PerFamily<'Port', number>),
    host: values.host,
    seed: wholeNumber('seed', values.seed, Number.MAX_SAFE_INTEGER),
    latencyMs: wholeNumber('latency-ms', values['latency-ms'], 3_600_000),
  })
  // Before the first line of output: a parent that waits for it may end us at once.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void simulator.close())
  process.stdout.write(values.json ? `${JSON.stringify(Object.fromEntries(urlsOf(simulator)))}\n` : greeting(simulator))
}

function urlsOf(simulator: Simulator): [name: string, url: string][] {
  return FAMILY_NAMES.map((name) => [`${name}Url`, simulator[`${name}Url`]])
}

function greeting(simulator: Simulator): string {
  const { openaiUrl, anthropicUrl } = simulator
  const json = `-H 'content-type: application/json'`
  const addresses = FAMILY_NAMES.map((name) => `${`${name} family:`.padEnd(18)}${simulator[`${name}Url`]}\n`)
  return `${addresses.join('')}
Try:
curl ${openaiUrl}/chat/completions -H 'authorization: Bearer any' ${json} -d '{"model":"gpt-sim-echo","messages":[{"role":"user","content":"hello"}]}'
curl ${anthropicUrl}/v1/messages -H 'x-api-key: any' -H 'anthropic-version: 2023-06-01' ${json} -d '{"model":"claude-sim-529","max_tokens":64,"messages":[{"role":"user","content":"hello"}]}'
curl ${anthropicUrl}/_simulator/calls
`
}

try {
  await main()
} catch (error) {
  process.stderr.write(`simulator: ${(error as Error).message}\n`)
  process.exitCode = error instanceof BadArgument ? 2 : 1
}
