import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { openBench } from '../../prove/bench.ts'
import { tableText } from '../report/table.ts'
import { growthOf } from './growth.ts'
import { type Sample, takeSample } from './sample.ts'
import { oneCall } from './traffic.ts'

const HELP = `npm run soak -- [options]
Calls of every kind for a long time, each with names that no other has; the curve of memory, handles, files and times.

  --minutes N      how long; 120
  --rate N         calls a second; 50
  --every N        seconds between two points of the curve; 60
  --heap N         MiB that V8 may use for old objects (--max-old-space-size); 128, for a limit of 256 MiB
  --seed N         repeats a run`

const ROOT = join(import.meta.dirname, '../..')
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '120' },
    rate: { type: 'string', default: '50' },
    every: { type: 'string', default: '60' },
    heap: { type: 'string', default: '128' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    help: { type: 'boolean', short: 'h' },
  },
})
if (values.help === true) {
  process.stdout.write(`${HELP}\n`)
  process.exit(0)
}
interface Soak {
  minutes: number
  rate: number
  every: number
  heap: number
  seed: number
}

function readNumber(name: keyof Soak): number {
  const value = Number(values[name])
  if (!(value > 0)) throw new Error(`--${name}: a number above 0, not '${values[name]}'`)
  return value
}

await soak({
  minutes: readNumber('minutes'),
  rate: readNumber('rate'),
  every: readNumber('every'),
  heap: readNumber('heap'),
  seed: readNumber('seed'),
})

async function soak({ minutes, rate, every, heap, seed }: Soak): Promise<void> {
  const probe = ['--import', pathToFileURL(join(import.meta.dirname, 'heap-probe.ts')).href]
  const program = [
    ...probe,
    `--max-old-space-size=${heap}`,
    '--max-semi-space-size=16',
    join(ROOT, 'dist/switchyard.js'),
  ]
  await using bench = await openBench({ program, seed, isQuick: false })
  const { gateway, folder, random } = bench
  const of = { pid: gateway.pid() ?? 0, dataDir: join(folder, 'data'), heapPath: join(folder, 'heap') }
  const key = await bench.newKey({ budgets: [{ each: 'session', usd: '1', per: 'total', mode: 'hard' }] })
  const samples: Sample[] = []
  const began = performance.now()
  const elapsed = () => (performance.now() - began) / 60_000
  let [times, number, failed, next]: [number[], number, number, number] = [[], 0, 0, every]
  const running = new Set<Promise<void>>()
  process.stdout.write(`${rate} calls a second for ${minutes} minutes, seed ${seed}\n`)
  while (elapsed() < minutes) {
    const due = Math.floor(elapsed() * 60 * rate)
    for (; number < due; number++) {
      const call = oneCall(bench, key, { name: `soak-${seed}-${number}`, random }).then(({ status, ms }) => {
        if (ms !== null) times.push(ms)
        if (status >= 500) failed++
        running.delete(call)
      })
      running.add(call)
    }
    if (elapsed() * 60 >= next) {
      const sample = takeSample(of, { minutes: elapsed(), times })
      samples.push(sample)
      process.stdout.write(`${tableText([Object.entries(sample).map(([name, value]) => `${name} ${value}`)])}\n`)
      times = []
      next += every
    }
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  await Promise.all(running)
  const result = { minutes, rate, heap, seed, calls: number, failed, growth: growthOf(samples), samples }
  mkdirSync(join(ROOT, 'bench/results'), { recursive: true })
  writeFileSync(join(ROOT, 'bench/results/soak.json'), `${JSON.stringify(result, null, 2)}\n`)
  const lines = result.growth.map(({ of: name, early, late }) => [name, String(early), String(late)])
  process.stdout.write(
    `\n${number} calls, ${failed} failed\n${tableText([['', 'second quarter', 'last'], ...lines])}\n`,
  )
  process.stdout.write('written: bench/results/soak.json\n')
}
