import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { admissionText, measureAdmission } from './admission.ts'
import { reportText } from './report.ts'
import { runBench } from './run.ts'

const HELP = `Usage: npm run bench [-- options]

CPU a request, requests/s and latency of the gateway with everything on, beside a bare proxy in the same run.

  --quick                  3 seconds for each target instead of 12
  --seconds <number>       seconds measured for each target, in three rounds
  --connections <number>   default 32
  --help                   print this text

The result is also written to bench/results/latest.json.
`

/** An odd number, so that the median is a figure that was measured. */
const ROUNDS = 3
const ADMISSION_CALLS = 200_000

class BadArgument extends Error {}

function readOptions() {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      seconds: { type: 'string' },
      connections: { type: 'string', default: '32' },
      help: { type: 'boolean', default: false },
    },
  })
  const seconds = wholeNumber('seconds', values.seconds ?? (values.quick ? '3' : '12'), 600)
  return {
    help: values.help,
    secondsPerSlice: Math.max(1, Math.round(seconds / ROUNDS)),
    connections: wholeNumber('connections', values.connections, 1_000),
  }
}

function wholeNumber(name: string, value: string, most: number): number {
  if (/^[1-9]\d{0,4}$/.test(value) && Number(value) <= most) return Number(value)
  throw new BadArgument(`--${name}: a whole number from 1 to ${most}, not '${value}'`)
}

async function main(): Promise<number> {
  const { help, secondsPerSlice, connections } = readOptions()
  if (help) {
    process.stdout.write(HELP)
    return 0
  }
  const admission = measureAdmission(ADMISSION_CALLS)
  const measured = await runBench({
    rounds: ROUNDS,
    secondsPerSlice,
    // A young process is still being compiled; what it costs then says nothing about what it costs later.
    warmupSeconds: 2,
    connections,
    onSlice: (text) => process.stdout.write(`${text}\n`),
  })
  const result = { ...measured, admission }
  const folder = join(import.meta.dirname, 'results')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'latest.json'), `${JSON.stringify(result, null, 2)}\n`)
  process.stdout.write(`\n${reportText(result)}${admissionText(admission)}`)
  const errors = result.measurements.reduce((sum, row) => sum + row.errors, 0)
  if (errors > 0) process.stderr.write(`\nbench: ${errors} calls failed, so these figures mean little\n`)
  return errors > 0 ? 1 : 0
}

try {
  process.exitCode = await main()
} catch (error) {
  const isUsage = error instanceof BadArgument || (error instanceof Error && 'code' in error)
  process.stderr.write(`bench: ${isUsage ? (error as Error).message : (error as Error).stack}\n`)
  process.exitCode = isUsage ? 2 : 1
}
