import { parseArgs } from 'node:util'
import { type ChaosReport, runChaos } from './chaos.ts'

const HELP = `Usage: npm run test:chaos [-- options]

Kills (SIGKILL) and restarts the nodes, the PostgreSQL and the Valkey of a cluster under load, by a schedule that the
seed decides, and compares the request log with what clients, provider and load balancer saw.

  --seed <number>              default 1; the same seed and length give the same schedule
  --minutes <number>           default 5; fractions are allowed
  --pause <milliseconds>       between two calls of each of the twelve clients, default 400
  --help                       print this text

Exit code 1 when a promise was broken, or when fewer than a third of the calls found a node.
`

class BadArgument extends Error {}

function readOptions() {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: '1' },
      minutes: { type: 'string', default: '5' },
      pause: { type: 'string', default: '400' },
      help: { type: 'boolean', default: false },
    },
  })
  const durationMs = Math.round(number('minutes', values.minutes, /^\d{1,3}(\.\d+)?$/) * 60_000)
  if (durationMs < 10_000) throw new BadArgument('--minutes: nothing can happen in less than ten seconds')
  return {
    seed: number('seed', values.seed, /^\d{1,9}$/),
    durationMs,
    pauseMs: number('pause', values.pause, /^[1-9]\d{0,4}$/),
    help: values.help,
  }
}

function number(name: string, value: string, form: RegExp): number {
  if (form.test(value)) return Number(value)
  throw new BadArgument(`--${name}: a number, not '${value}'`)
}

function printReport({ problems, answers, budgets, ...counts }: ChaosReport): void {
  const line = (name: string, value: unknown) => process.stdout.write(`${name.padEnd(32)} ${value}\n`)
  process.stdout.write('\n')
  for (const [name, count] of Object.entries(counts)) line(name, count)
  for (const [name, count] of Object.entries(answers).sort()) line(`answered ${name}`, count)
  for (const { key, limit, spent, most, samples, covered } of budgets) {
    const usd = (amount: bigint) => (Number(amount) / 1e12).toFixed(6)
    line(
      `budget of ${key}`,
      `${usd(spent)} of ${usd(limit)} USD spent; at most ${usd(most)} in ${samples} samples; ${covered} times below the provider's bill`,
    )
  }
  for (const problem of problems) process.stdout.write(`BROKEN: ${problem}\n`)
  process.stdout.write(problems.length === 0 ? 'Every promise held.\n' : `${problems.length} broken.\n`)
}

async function main(): Promise<number> {
  const { help, ...options } = readOptions()
  if (help) {
    process.stdout.write(HELP)
    return 0
  }
  const report = await runChaos({ ...options, say: (line) => process.stdout.write(`${line}\n`) })
  printReport(report)
  return report.problems.length === 0 ? 0 : 1
}

try {
  process.exitCode = await main()
} catch (error) {
  const isUsage = error instanceof BadArgument || (error instanceof Error && 'code' in error)
  process.stderr.write(`test:chaos: ${isUsage ? (error as Error).message : (error as Error).stack}\n`)
  process.exitCode = 2
}
