import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { asPicodollars } from '../src/domain/pricing/price.ts'
import { createSpendLedger } from '../src/limits/memory-ledger.ts'
import type { Payer, SpendLedger } from '../src/limits/spend-ledger.ts'
import { beginLedger, connectTo, ledgerOn } from '../test/counters.ts'
import { startValkey } from '../test/valkey.ts'
import { type Percentiles, Samples } from './percentiles.ts'

const HELP = `Usage: node bench/counters.ts [options]

What the shared counters cost a call: admitted and settled on a real Valkey or Redis on this machine, both scopes with
every kind of limit. Microseconds of processor time of the node and of the server, and how long an answer takes.

  --calls <number>     calls in all, default 20000
  --keys <number>      keys they are spread over, default 100
  --help               print this text
`

interface Cost {
  parallel: number
  node: number
  server: number
  admit: Percentiles
}

function payers(keys: number): Payer[] {
  const limits = {
    rpm: 1_000_000_000,
    tpm: 1_000_000_000,
    max_parallel: 1_000_000_000,
    budget: { usd: '999999999', per: 'month' as const, mode: 'hard' as const },
  }
  const workspace = { name: 'default', limits }
  return Array.from({ length: keys }, (_, key) => ({ key: { id: `key-${key}`, limits }, workspace }))
}

/** User and system time of another process, in microseconds. Linux counts in hundredths of a second. */
function microsecondsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}

function own(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

async function calls(ledger: SpendLedger, options: { each: Payer[]; count: number; parallel: number }) {
  const hold = { picodollars: asPicodollars(1_500_000_000n), tokens: 300 }
  const use = { picodollars: asPicodollars(1_000_000_000n), tokens: 250 }
  const times = new Samples()
  let next = 0
  const lane = async () => {
    for (let call = next++; call < options.count; call = next++) {
      const payer = options.each[call % options.each.length]
      if (payer === undefined) continue
      const began = performance.now()
      const decision = await ledger.admit(payer, hold, `chatcmpl_${call}`)
      times.add(performance.now() - began)
      if (decision.kind !== 'admitted') throw new Error('the limits of the measurement are too low')
      ledger.opened(decision.call, call)
      await ledger.settle(decision.call, use)
    }
  }
  await Promise.all(Array.from({ length: options.parallel }, lane))
  return times.percentiles()
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      calls: { type: 'string', default: '20000' },
      keys: { type: 'string', default: '100' },
      help: { type: 'boolean' },
    },
  })
  if (values.help === true) return void process.stdout.write(HELP)
  const [count, each] = [Number(values.calls), payers(Number(values.keys))]
  const server = await startValkey({ appendOnly: true })
  const connection = await connectTo(server.url)
  try {
    await beginLedger(connection)
    const ledger = ledgerOn(connection, 'node', Date.now, '')
    await calls(ledger, { each, count: count / 4, parallel: 8 })
    const costs: Cost[] = []
    for (const parallel of [1, 8, 64]) {
      const [node, other] = [own(), microsecondsOf(server.pid())]
      const admit = await calls(ledger, { each, count, parallel })
      costs.push({
        parallel,
        node: (own() - node) / count,
        server: (microsecondsOf(server.pid()) - other) / count,
        admit,
      })
    }
    const memory = createSpendLedger(Date.now, [])
    await calls(memory, { each, count: count / 4, parallel: 8 })
    const before = own()
    await calls(memory, { each, count, parallel: 8 })
    process.stdout.write(report(costs, (own() - before) / count))
  } finally {
    await connection.close()
    await server.stop()
  }
}

function report(costs: readonly Cost[], inMemory: number): string {
  const lines = costs.map(({ parallel, node, server, admit }) => {
    return `${String(parallel).padStart(8)} ${node.toFixed(1).padStart(10)} ${server.toFixed(1).padStart(12)}   ${admit.p50.toFixed(2)} / ${admit.p99.toFixed(2)}`
  })
  return [
    'calls at   node, µs   server, µs   admit, ms',
    '  a time     a call       a call   p50 / p99',
    ...lines,
    `the same in memory: ${inMemory.toFixed(1)} µs a call\n`,
  ].join('\n')
}

await main()
