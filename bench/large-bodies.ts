import { BodyBytes } from '../src/bodies/body-bytes.ts'
import { createLargeBodies, LARGE_BYTES } from '../src/bodies/bodies.ts'
import { OpenBodies } from '../src/bodies/open-bodies.ts'
import type { Destination } from '../src/bodies/protocol.ts'
import { NO_BOUNDS } from '../src/domain/output-limit.ts'
import { UNKNOWN_TRAITS } from '../src/domain/provider.ts'
import { CONTENTS } from './large-contents.ts'

/**
 * What bodies of megabytes cost, by content: first each step on one thread, which is how long it would hold the event
 * loop; then the same through the worker, with the CPU that is left of it for the serving thread: the most in one turn, and
 * all. Of several rounds the least counts. `node bench/large-bodies.ts [bytes,bytes…]`
 */
const SIZES = (process.argv[2] ?? `${LARGE_BYTES},1000000,10000000`).split(',').map(Number)
const CHUNK_BYTES = 65_536

const destinations: Destination[] = ['openai', 'anthropic'].map((family, position) => {
  return { position, family, model: 'upstream', traits: UNKNOWN_TRAITS, baseUrl: null, bounds: NO_BOUNDS }
})

const bodies = createLargeBodies((error) => process.stderr.write(`the worker died: ${error}\n`))

for (const bytes of SIZES) {
  print(`${bytes} bytes`, 'open', 'translate', 'write', 'write other', 'here at once', 'here in all')
  for (const [name, make] of Object.entries(CONTENTS)) {
    const body = Buffer.from(make(bytes))
    const rounds = Math.max(3, Math.min(20, Math.floor(5_000_000 / bytes)))
    const steps = smallest(Array.from({ length: rounds }, () => onOneThread(body)))
    const worker: number[][] = []
    for (let round = 0; round < rounds; round += 1) worker.push(await throughTheWorker(body))
    print(name, ...[...steps, ...smallest(worker)].map((ms) => `${ms.toFixed(2)} ms`))
  }
}
process.exit()

function onOneThread(body: Buffer): number[] {
  const here = new OpenBodies()
  const bytes = new BodyBytes([new Uint8Array(body).buffer])
  const openMs = timeOf(() => here.open(1, bytes, false))
  let usable: boolean[] = []
  const translateMs = timeOf(() => {
    usable = here.translate(1, destinations).translations.map(({ kind }) => kind === 'wire')
  })
  const writeMs = destinations.map(({ position }) => {
    if (usable[position] !== true) return 0
    // What was dropped by the write before is made again, and that is not what is measured.
    here.translate(1, destinations)
    return timeOf(() => here.write(1, position))
  })
  return [openMs, translateMs, ...writeMs]
}

/** The CPU of this thread while a large body is received, translated and written: the most between two turns, and all. */
async function throughTheWorker(body: Buffer): Promise<number[]> {
  const chunks: Buffer[] = []
  for (let begin = 0; begin < body.length; begin += CHUNK_BYTES) {
    chunks.push(Buffer.from(new Uint8Array(body.subarray(begin, begin + CHUNK_BYTES)).buffer))
  }
  const watch = watchTurns()
  const request = await bodies.open(chunks, false)
  const [first] = await request.translate(destinations)
  if (first?.kind === 'wire') await request.write(0)
  request.release()
  return watch.end()
}

function watchTurns(): { end(): number[] } {
  const began = cpuMs()
  let last = began
  let most = 0
  let ended = false
  const turn = () => {
    const now = cpuMs()
    most = Math.max(most, now - last)
    last = now
    if (!ended) setTimeout(turn, 1)
  }
  turn()
  return {
    end() {
      ended = true
      turn()
      return [most, cpuMs() - began]
    },
  }
}

function timeOf(work: () => unknown): number {
  const began = performance.now()
  work()
  return performance.now() - began
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Of several rounds the least of each column: what the work takes when nothing is in its way. */
function smallest(rounds: readonly number[][]): number[] {
  return (rounds[0] ?? []).map((_, column) => Math.min(...rounds.map((round) => round[column] ?? 0)))
}

function print(name: string, ...columns: string[]): void {
  process.stdout.write(`${name.padEnd(20)} ${columns.map((column) => column.padStart(12)).join(' ')}\n`)
}
