import { parseArgs } from 'node:util'
import { crashTest, type RoundReport } from './crash.ts'

const HELP = `Usage: npm run test:crash [-- options]

Kills the gateway (SIGKILL) under load and compares its request log with what clients and provider saw.

  --rounds <number>            default 20
  --concurrency <number>       parallel clients, default 16
  --engine sqlite|postgres     default sqlite
  --seed <number>              default 1
  --threads <number>           that serve, default 1
  --help                       print this text

They are chat completions, messages and responses, more than half of them streamed, some asked of two providers at once; one key has a hard budget that grows a little with every round. What budgets count is compared with the provider's own bill.

Exit code 1 when a call is missing from the log, the log does not know a call, who saw a part of an answer does not pay
for it, a budget is exceeded, or one counts less than the provider has billed.
`

class BadArgument extends Error {}

function readOptions() {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '20' },
      concurrency: { type: 'string', default: '16' },
      engine: { type: 'string', default: 'sqlite' },
      seed: { type: 'string', default: '1' },
      threads: { type: 'string', default: '1' },
      help: { type: 'boolean', default: false },
    },
  })
  const { engine } = values
  if (engine !== 'sqlite' && engine !== 'postgres') throw new BadArgument(`--engine: sqlite or postgres, not ${engine}`)
  return {
    rounds: wholeNumber('rounds', values.rounds),
    concurrency: wholeNumber('concurrency', values.concurrency),
    seed: wholeNumber('seed', values.seed),
    threads: wholeNumber('threads', values.threads),
    engine,
    help: values.help,
  } as const
}

function wholeNumber(name: string, value: string): number {
  if (/^[1-9]\d{0,5}$/.test(value)) return Number(value)
  throw new BadArgument(`--${name}: a whole number from 1 to 999999, not '${value}'`)
}

function roundLine({ round, loadMs, answered, cutOff, killedAtStart }: RoundReport): string {
  const more = killedAtStart ? ', and once while starting' : ''
  return `round ${round}: killed after ${loadMs} ms${more}; ${answered} answered, ${cutOff} cut off\n`
}

async function main(): Promise<number> {
  const { help, ...options } = readOptions()
  if (help) {
    process.stdout.write(HELP)
    return 0
  }
  const report = await crashTest({ ...options, onRound: (round) => process.stdout.write(roundLine(round)) })
  const { problems, ...counts } = report
  process.stdout.write('\n')
  for (const [name, count] of Object.entries(counts)) process.stdout.write(`${name.padEnd(14)} ${count}\n`)
  for (const problem of problems) process.stdout.write(`BROKEN: ${problem}\n`)
  process.stdout.write(problems.length === 0 ? 'Every promise held.\n' : `${problems.length} broken.\n`)
  return problems.length === 0 ? 0 : 1
}

try {
  process.exitCode = await main()
} catch (error) {
  const isUsage = error instanceof BadArgument || (error instanceof Error && 'code' in error)
  process.stderr.write(`test:crash: ${isUsage ? (error as Error).message : (error as Error).stack}\n`)
  process.exitCode = 2
}
