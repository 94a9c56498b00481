import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { againstText, measureAgainst, OTHER } from './against.ts'
import { bytesText, GATE, measureBytes, OPTIMIZED } from './bytes/bytes.ts'
import { nextRecord, readRecorded, writeRecorded } from './bytes/recorded.ts'
import { measureNodes, type NodesResult } from './nodes/nodes.ts'
import { nodesText } from './nodes/report.ts'
import { measureLatency } from './parts/latency.ts'
import { measureMemory } from './parts/memory.ts'
import { measureSaturation } from './parts/saturation.ts'
import { measureStart } from './parts/start-time.ts'
import { measureStreamMemory } from './parts/stream-memory.ts'
import { measureFirstContent, measureStreams } from './parts/streams.ts'
import { measureTogether } from './parts/together.ts'
import { installPortkey, installPythonPeers } from './peers/known.ts'
import { measurePeers, type PeersResult } from './peers/peers.ts'
import { peersText } from './peers/report.ts'
import { FULL, QUICK, type RunOptions } from './plan.ts'
import { reportText } from './report/report.ts'
import { writeDocs, writeNodesDocs, writePeersDocs } from './report/write-docs.ts'
import type { BenchResult } from './result.ts'
import { endOnSignal } from './run/end-on-signal.ts'
import { builtProgram, SOURCES } from './run/gateway.ts'
import { parsePeer } from './run/peers.ts'
import { pinSelf } from './run/pinning.ts'
import { takeTurn } from './run/turn.ts'
import { measureThreads, threadsText } from './threads.ts'

const STREAM_PARTS = ['streams', 'first-content', 'stream-memory'] as const
const PARTS = ['start', 'together', 'saturation', 'latency', 'memory', ...STREAM_PARTS] as const
type Part = (typeof PARTS)[number]
/** What fits into about a minute; `--quick --only memory` measures the others. */
const QUICK_PARTS: readonly Part[] = ['start', 'together', 'saturation', 'latency']

const RESULT = join(import.meta.dirname, 'results/latest.json')
const NODES_RESULT = join(import.meta.dirname, 'results/nodes.json')
const PEERS_RESULT = join(import.meta.dirname, 'results/peers.json')
const TURN_MS = 900_000

const HELP = `Usage: npm run bench [-- options]

Measures the gateway with everything on (keys, limits, holds, durable log, metrics) beside bare proxies and peers, in one
run on this machine. Half an hour.

  --quick            about a minute, for a first look; no memory or streams
  --dist             the built program instead of the sources; npm run bench sets it
  --no-peers         without the peers
  --only <parts>     some of ${PARTS.join(', ')}; writes no result
  --profile <folder> writes CPU profiles of the gateways; with --only together or streams
  --peer "name=command"   adds a peer that listens on $PORT and forwards to $PROVIDER_URL; repeatable
  --help             prints this text

Instead of these parts:
  --against <folder> CPU per call against the built program (dist/switchyard.js) of another checkout, and the ratio;
                     with --streams, CPU per stream
  --bytes            bytes allocated a call, as written and as optimized by V8 (--quick: only as written); with --against,
                     of that build as well; with --record, writes bench/bytes/recorded.json, which a test enforces (a figure
                     that has risen needs --because "the reason")
  --threads          CPU per call of two serving threads against one, both busy at the same time
  --nodes            what sharing limits and log costs; one embedded node, then one, two and four with PostgreSQL and Valkey
                     (ten minutes)
  --peers            CPU a call beside LiteLLM, TensorZero, Portkey and each --peer, on one core and on all; installs them
                     (15 minutes)
  --write-docs       writes the last result to README.md and docs/performance.md; with --nodes or --peers, that one

The result is also written to bench/results/latest.json, its tables to latest.txt (--nodes: nodes, --peers: peers). Needs Linux and two
cores. Queries and pages with millions of rows: node bench/rows/main.ts --help.
`

async function main(): Promise<string> {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      dist: { type: 'boolean', default: false },
      'no-peers': { type: 'boolean', default: false },
      bytes: { type: 'boolean', default: false },
      record: { type: 'boolean', default: false },
      because: { type: 'string' },
      nodes: { type: 'boolean', default: false },
      threads: { type: 'boolean', default: false },
      peers: { type: 'boolean', default: false },
      streams: { type: 'boolean', default: false },
      'write-docs': { type: 'boolean', default: false },
      against: { type: 'string' },
      only: { type: 'string' },
      profile: { type: 'string' },
      peer: { type: 'string', multiple: true, default: [] },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return HELP
  if (values['write-docs'] && values.nodes) return writeNodesDocs(read<NodesResult>(NODES_RESULT))
  if (values['write-docs'] && values.peers) return writePeersDocs(read<PeersResult>(PEERS_RESULT))
  if (values['write-docs']) return writeDocs(read<BenchResult>(RESULT))
  const problems: string[] = []
  const chosen = values.only === undefined ? null : readParts(values.only)
  if (values.bytes) return values.record ? recordBytes(values.because) : compareBytes(values.against, values.quick)
  using _turn = await takeTurn(TURN_MS, () => say('another run is measuring: waiting for it'))
  const options: RunOptions = {
    plan: values.quick ? QUICK : FULL,
    peers: [],
    build: values.dist ? builtProgram() : SOURCES,
    ...(values.profile === undefined ? {} : { profile: values.profile }),
    progress: say,
  }
  if (values.against !== undefined)
    return againstText(await measureAgainst(options, builtProgram(OTHER, values.against), values.streams))
  if (values.threads) return threadsText(await measureThreads(options))
  if (values.nodes) {
    const result = await measureNodes(options)
    const text = nodesText(result)
    write(NODES_RESULT, result, text)
    return text
  }
  const problem = (text: string) => problems.push(text)
  const installed = values['no-peers'] ? [] : await installPortkey(problem)
  const peers = [...installed, ...values.peer.map(parsePeer)]
  if (values.peers) {
    const python = values['no-peers'] ? [] : installPythonPeers(problem)
    const result = await measurePeers({ ...options, peers: [...python, ...peers] }, problems)
    const text = `\n${peersText(result)}`
    write(PEERS_RESULT, result, text)
    return text
  }
  const result = await run({ ...options, peers }, chosen ?? (values.quick ? QUICK_PARTS : PARTS), problems)
  const text = `\n${reportText(result)}`
  if (chosen === null) write(RESULT, result, text)
  return text
}

async function recordBytes(because: string | undefined): Promise<string> {
  const figures = await measureBytes(builtProgram(), GATE)
  writeRecorded(nextRecord(figures, readRecorded(), because))
  return bytesText([{ name: 'measured', figures }])
}

async function compareBytes(other: string | undefined, isQuick: boolean): Promise<string> {
  const columns: Parameters<typeof bytesText>[0][number][] = []
  const modes = isQuick ? { 'as written': GATE } : { 'as written': GATE, optimized: OPTIMIZED }
  for (const [how, mode] of Object.entries(modes))
    for (const build of [builtProgram(), ...(other === undefined ? [] : [builtProgram(OTHER, other)])]) {
      say(`bytes: ${build.name}, ${how}`)
      columns.push({ name: `${build.name}, ${how}`, figures: await measureBytes(build, mode) })
    }
  return bytesText(columns)
}

function readParts(list: string): Part[] {
  const parts = list.split(',')
  const unknown = parts.find((part) => !PARTS.includes(part as Part))
  if (unknown !== undefined) throw new Error(`--only: unknown part '${unknown}'; use ${PARTS.join(', ')}`)
  return parts as Part[]
}

async function run(options: RunOptions, parts: readonly Part[], problems: string[]): Promise<BenchResult> {
  const startedAt = new Date().toISOString()
  const has = (part: Part) => parts.includes(part)
  const start = has('start') ? await measureStart(options) : null
  const together = has('together') ? await measureTogether(options) : []
  const saturation = has('saturation') ? await measureSaturation(options) : []
  const latency = has('latency') ? await measureLatency(options) : []
  const memory = has('memory') ? await measureMemory(options) : []
  const streams = has('streams') ? await measureStreams(options) : []
  const firstContent = has('first-content') ? await measureFirstContent(options) : []
  const streamMemory = has('stream-memory') ? await measureStreamMemory(options) : null
  const ofStreams = { streams, firstContent, streamMemory }
  const measured = {
    ...ofStreams,
    start,
    together,
    saturation,
    latency,
    memory,
  }
  const processor = cpus()[0]?.model ?? 'unknown processor'
  const machine = { node: process.version, processor, notPinned: pinSelf().missing }
  return { startedAt, ...machine, quick: options.plan === QUICK, problems, ...measured }
}

function say(text: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)}  ${text}\n`)
}

/** As JSON, and its tables beside it. */
function write(path: string, result: unknown, tables: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${JSON.stringify(result, null, 2)}\n`)
  writeFileSync(path.replace(/json$/, 'txt'), tables)
}

function read<Result>(path: string): Result {
  return JSON.parse(readFileSync(path, 'utf8')) as Result
}

endOnSignal()
process.stdout.write(await main())
