import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { measureAdmission } from './admission.ts'
import { measureBodies } from './body-cost.ts'
import { measureRatios, writeBudget } from './budget.ts'
import { OURS } from './contestants.ts'
import { doubts } from './doubts.ts'
import { measureEventLoop } from './event-loop.ts'
import { growthText, measureGrowth } from './growth.ts'
import { measureLatency } from './latency.ts'
import { measureLatencyTogether } from './latency-together.ts'
import { measureMemory } from './memory.ts'
import { measureNodes, type NodesResult } from './nodes.ts'
import { nodesText } from './nodes-report.ts'
import { measureOverload } from './overload.ts'
import { installPeers, parsePeer } from './peers.ts'
import { findPinning } from './pinning.ts'
import { FULL, QUICK, type RunOptions } from './plan.ts'
import { reportText } from './report.ts'
import type { BenchResult } from './result.ts'
import { measureSaturation } from './saturation.ts'
import { measureStart } from './start-time.ts'
import { measureTogether } from './together.ts'
import { takeTurn } from './turn.ts'
import { writeDocs, writeNodesDocs } from './write-docs.ts'

const PARTS = [
  'admission',
  'start',
  'together',
  'saturation',
  'latency',
  'memory',
  'bodies',
  'event-loop',
  'overload',
] as const
type Part = (typeof PARTS)[number]
/** What there is room for in a minute; `--quick --only memory` has the others. */
const QUICK_PARTS: readonly Part[] = ['admission', 'start', 'together', 'saturation', 'latency', 'overload']

const RESULT = join(import.meta.dirname, 'results/latest.json')
const NODES_RESULT = join(import.meta.dirname, 'results/nodes.json')
const TURN_MS = 900_000

const HELP = `Usage: npm run bench [-- options]

The gateway with everything on (keys, limits, holds, durable log, metrics), beside bare proxies and the peers that npm
can install, in one run on this machine: what a call costs, what it adds, what it keeps. A quarter of an hour.

  --quick            about a minute: a glance, not a result; no memory, large bodies, event loop
  --dist             the built program instead of the sources; npm run bench says so itself
  --no-peers         without the peers
  --only <parts>     of ${PARTS.join(', ')}; nothing is written then
  --growth           instead: memory over two million calls, cost by number of keys, routes and rows (ten minutes)
  --nodes            instead: one embedded node, then one, two and four on PostgreSQL and Valkey (five minutes)
  --record-budget    instead: writes the ratios of bench/budget.json that bench/budget.test.ts holds
  --write-docs       fills README.md, docs/performance.md and the chart with the last result; measures nothing.
                     With --nodes: its table in docs/performance.md
  --peer "name=command@port"   one more peer; it listens on the port and forwards to $UPSTREAM_URL. May be repeated
  --help             print this text

The result is also written to bench/results/latest.json (--nodes: nodes.json). Needs Linux and two cores.
`

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      dist: { type: 'boolean', default: false },
      'no-peers': { type: 'boolean', default: false },
      growth: { type: 'boolean', default: false },
      nodes: { type: 'boolean', default: false },
      'record-budget': { type: 'boolean', default: false },
      'write-docs': { type: 'boolean', default: false },
      only: { type: 'string' },
      peer: { type: 'string', multiple: true, default: [] },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  if (values['write-docs']) {
    const written = values.nodes
      ? writeNodesDocs(read<NodesResult>(NODES_RESULT))
      : writeDocs(read<BenchResult>(RESULT))
    process.stdout.write(`written: ${written.join(', ')}\n`)
    return 0
  }
  using _turn = await takeTurn(TURN_MS, () => say('another run is measuring: waiting for it'))
  if (values['record-budget']) {
    writeBudget(await measureRatios({ rounds: 16, seconds: 3, warmupSeconds: 8 }))
    process.stdout.write(readFileSync(join(import.meta.dirname, 'budget.json'), 'utf8'))
    return 0
  }
  const plan = values.quick ? QUICK : FULL
  if (values.growth) {
    const options = { plan, peers: [], dist: values.dist, progress: say }
    process.stdout.write(growthText(await measureGrowth(options)))
    return 0
  }
  if (values.nodes) {
    const result = await measureNodes({ plan, peers: [], dist: values.dist, progress: say })
    write(NODES_RESULT, result)
    process.stdout.write(`\n${nodesText(result)}`)
    return 0
  }
  const problems: string[] = []
  const installed = values['no-peers'] ? [] : await installPeers((text) => problems.push(text))
  const peers = [...installed, ...values.peer.map(parsePeer)]
  const usual = values.quick ? QUICK_PARTS : PARTS
  const parts = values.only === undefined ? usual : readParts(values.only)
  const options = { plan, peers, dist: values.dist, progress: say }
  const result = await run(options, parts, problems)
  if (parts === usual) write(RESULT, result)
  process.stdout.write(`\n${reportText(result)}`)
  return 0
}

function readParts(list: string): Part[] {
  const parts = list.split(',')
  const unknown = parts.find((part) => !PARTS.includes(part as Part))
  if (unknown !== undefined) throw new BadArgument(`--only: there is no part '${unknown}'`)
  return parts as Part[]
}

class BadArgument extends Error {}

/** Everything is measured within one run, in slices that take turns: what else the machine does weighs on all alike. */
async function run(options: RunOptions, parts: readonly Part[], problems: string[]): Promise<BenchResult> {
  const { plan, dist } = options
  const startedAt = new Date().toISOString()
  const has = (part: Part) => parts.includes(part)
  const admission = has('admission') ? measureAdmission(plan.admissionCalls) : null
  const start = has('start') ? await measureStart(options) : null
  const together = has('together') ? await measureTogether(options) : []
  const saturation = has('saturation') ? await measureSaturation(options) : []
  const latency = has('latency') ? await measureLatency(options) : []
  const latencyTogether = has('latency') ? await measureLatencyTogether(options) : []
  const memory = has('memory') ? await measureMemory(options) : []
  const bodies = has('bodies') ? await measureBodies(options) : []
  const eventLoop = has('event-loop') ? await measureEventLoop(options) : []
  const ours = saturation.find(({ name, family }) => name === OURS && family === 'openai')
  const overload = has('overload') ? await measureOverload(options, ours?.requestsPerSecond ?? null) : null
  problems.push(...doubts({ saturation, latency }))
  return {
    startedAt,
    node: process.version,
    processor: cpus()[0]?.model ?? 'unknown processor',
    cores: cpus().length,
    notPinned: findPinning().missing,
    quick: plan === QUICK,
    dist,
    rounds: plan.rounds,
    sliceSeconds: plan.sliceSeconds,
    problems,
    start,
    together,
    saturation,
    latency,
    latencyTogether,
    memory,
    bodies,
    eventLoop,
    overload,
    admission,
  }
}

function say(text: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)}  ${text}\n`)
}

function write(path: string, result: unknown): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${JSON.stringify(result, null, 2)}\n`)
}

function read<Result>(path: string): Result {
  return JSON.parse(readFileSync(path, 'utf8')) as Result
}

function isParseError(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
}

try {
  process.exitCode = await main()
} catch (error) {
  const isUsage = error instanceof BadArgument || isParseError(error)
  process.stderr.write(`bench: ${isUsage ? error.message : error instanceof Error ? error.stack : error}\n`)
  process.exitCode = isUsage ? 2 : 1
}
