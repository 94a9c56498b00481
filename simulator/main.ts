import { parseArgs } from 'node:util'
import { type Simulator, startSimulator } from './simulator.ts'

const HELP = `Usage: node simulator/main.ts [options]

Simulated OpenAI-like and Anthropic-like servers. See docs/simulator.md.

  --openai-port <port>      default 9101; 0 takes a free port
  --anthropic-port <port>   default 9102; 0 takes a free port
  --bedrock-port <port>     default 0
  --gemini-port <port>      default 0, a free port
  --host <address>          default 127.0.0.1
  --seed <number>           default 1
  --latency-ms <number>     added to every answer, default 0
  --json                    print only one line of JSON with both addresses
  --help                    print this text
`

const OPTIONS = {
  'openai-port': { type: 'string', default: '9101' },
  'anthropic-port': { type: 'string', default: '9102' },
  'bedrock-port': { type: 'string', default: '0' },
  'gemini-port': { type: 'string', default: '0' },
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
  const simulator = await startSimulator({
    openaiPort: wholeNumber('openai-port', values['openai-port'], 65_535),
    anthropicPort: wholeNumber('anthropic-port', values['anthropic-port'], 65_535),
    bedrockPort: wholeNumber('bedrock-port', values['bedrock-port'], 65_535),
    geminiPort: wholeNumber('gemini-port', values['gemini-port'], 65_535),
    host: values.host,
    seed: wholeNumber('seed', values.seed, Number.MAX_SAFE_INTEGER),
    latencyMs: wholeNumber('latency-ms', values['latency-ms'], 3_600_000),
  })
  // Before the first line of output: whoever waits for it may end us at once.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void simulator.close())
  const { openaiUrl, anthropicUrl, bedrockUrl, geminiUrl } = simulator
  process.stdout.write(
    values.json ? `${JSON.stringify({ openaiUrl, anthropicUrl, bedrockUrl, geminiUrl })}\n` : greeting(simulator),
  )
}

function greeting({ openaiUrl, anthropicUrl, bedrockUrl, geminiUrl }: Simulator): string {
  const json = `-H 'content-type: application/json'`
  return `OpenAI family:    ${openaiUrl}
Anthropic family: ${anthropicUrl}
Bedrock family:   ${bedrockUrl}
Gemini family:    ${geminiUrl}

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
