import { parseArgs } from 'node:util'
import { BODIES, type BodySize } from './bodies.ts'
import { COPY, HOP } from './contestants.ts'
import { type CoreWatch, watchCore } from './core-watch.ts'
import { median } from './median.ts'
import { calmest, type Paced } from './pace.ts'
import { usedByThread } from './process-usage.ts'
import { inRounds } from './rounds.ts'
import {
  createScene,
  FAMILIES,
  type Family,
  type Scene,
  startBareProxy,
  startGateway,
  startUpstream,
  type Target,
} from './scene.ts'
import { tableText } from './table.ts'
import { takeTurn } from './turn.ts'

const HELP = `Usage: node bench/hop.ts [options]

CPU a call of the gateway, by thread, beside the bare proxies; slices take turns. For work on the hot path.

  --seconds <number>     of one slice (default 0.3)
  --rounds <number>      slices of each target; the median of the quarter in which the core was fastest counts (default 24)
  --family <name>        openai, anthropic or both (default both)
  --body <size>          ${Object.keys(BODIES).join(', ')} (default 1k)
  --connections <number> default 32, fewer for large bodies
  --dist                 the built package instead of the sources
  --profile <folder>     the gateway writes CPU profiles there (its figures are then worth less)
`

const WARMUP_SECONDS = 3
const TURN_MS = 180_000

/** One target under load for a few seconds, a call. */
interface HopSlice extends Paced {
  name: string
  perSecond: number
  all: number
  serving: number
  threads: Map<string, number>
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '0.3' },
      rounds: { type: 'string', default: '24' },
      family: { type: 'string', default: 'both' },
      body: { type: 'string', default: '1k' },
      connections: { type: 'string' },
      dist: { type: 'boolean', default: false },
      profile: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  const { family, body } = values
  if (family !== 'both' && !FAMILIES.includes(family as Family)) throw new Error(`no such family: ${family}`)
  if (!(body in BODIES)) throw new Error(`--body is one of ${Object.keys(BODIES).join(', ')}`)
  return {
    ...values,
    size: body as BodySize,
    body: BODIES[body as BodySize],
    families: family === 'both' ? FAMILIES : [family as Family],
  }
}

type Options = ReturnType<typeof readOptions>

async function measure(options: Options): Promise<HopSlice[]> {
  using _turn = await takeTurn(TURN_MS, () => process.stdout.write('another run is measuring: waiting for it\n'))
  await using scene = createScene()
  if (scene.pinning.missing !== null) process.stdout.write(`NOT pinned: ${scene.pinning.missing}\n`)
  const upstream = (await startUpstream(scene)).atOnce
  const nodeFlags = options.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${options.profile}`]
  const hop = await startBareProxy(scene, upstream, 'hop')
  const copy = await startBareProxy(scene, upstream, 'copy')
  const gateway = await startGateway(scene, { upstream, dist: options.dist, nodeFlags })
  const targets = [hop, copy, ...options.families.map((family) => gateway.target(family, options.size))]
  const slices: HopSlice[] = []
  const core = watchCore(scene, 'measured')
  // A young process is still being compiled; what it costs then says nothing about what it costs later.
  for (const target of targets) await runSlice(scene, core, target, { ...options, warmupSeconds: WARMUP_SECONDS })
  await inRounds({ rounds: Number(options.rounds), targets, isClose: () => true }, async (target, round) => {
    const slice = await runSlice(scene, core, target, { ...options, warmupSeconds: 0.2 })
    slices.push(slice)
    const pace = `core at ${(slice.paceMs * 1000).toFixed(1)} µs`
    process.stdout.write(`round ${round}  ${slice.name.padEnd(20)} ${slice.all.toFixed(0)} µs  ${pace}\n`)
  })
  return slices
}

async function runSlice(
  scene: Scene,
  core: CoreWatch,
  target: Target,
  options: Options & { warmupSeconds: number },
): Promise<HopSlice> {
  const load = await scene.load({
    kind: 'closed',
    ...target,
    bodyBytes: options.body.bytes,
    connections: Number(options.connections ?? options.body.connections),
    warmupSeconds: options.warmupSeconds,
    seconds: Number(options.seconds),
  })
  if (load.errors > 0) throw new Error(`${target.name}: ${load.errors} calls failed: ${load.firstError}`)
  if (load.shed > 0)
    process.stdout.write(`${target.name}: ${load.shed} calls were turned away, the machine is crowded\n`)
  const { usage, requests } = load
  if (usage === null) throw new Error('this system does not tell the CPU time of a process: Linux is needed')
  const { before, after } = usage
  return {
    name: target.name === 'Switchyard' ? `gateway, ${target.family}` : target.name,
    paceMs: await core.paceMs(load.window),
    perSecond: requests / load.seconds,
    all: (after.cpuMicroseconds - before.cpuMicroseconds) / requests,
    serving: (after.mainThreadMicroseconds - before.mainThreadMicroseconds) / requests,
    threads: new Map([...usedByThread(before, after)].map(([name, used]) => [name, used / requests])),
  }
}

/** The median of every column over the slices in which the core was fastest. */
function report(slices: readonly HopSlice[]): string {
  const names = [...new Set(slices.map(({ name }) => name))].sort()
  const of = (name: string) => calmest(slices.filter((slice) => slice.name === name))
  const middle = (values: number[], digits = 0) => (median(values) ?? 0).toFixed(digits)
  const cpu = (name: string) => median(of(name).map(({ all }) => all)) ?? Number.NaN
  const against = (name: string, reference: string) => (cpu(name) / cpu(reference)).toFixed(2)
  const lines = names.map((name) => [
    name,
    middle(of(name).map(({ perSecond }) => perSecond)),
    middle(of(name).map(({ all }) => all)),
    middle(of(name).map(({ serving }) => serving)),
    against(name, HOP),
    against(name, COPY),
  ])
  const threads = names.map((name) => `${name.padEnd(20)} ${threadText(of(name))}\n`)
  const head = ['', 'requests/s', 'CPU µs', 'serving µs', '× hop', '× copy']
  return `\n${tableText([head, ...lines])}\nBy thread, µs a call:\n${threads.join('')}`
}

function threadText(slices: readonly HopSlice[]): string {
  const names = [...new Set(slices.flatMap(({ threads }) => [...threads.keys()]))]
  const figures = names.map((name) => [name, median(slices.map(({ threads }) => threads.get(name) ?? 0)) ?? 0] as const)
  const shown = figures.filter(([, used]) => used >= 0.5).sort(([, a], [, b]) => b - a)
  return shown.map(([name, used]) => `${name} ${used.toFixed(1)}`).join(' · ')
}

const options = readOptions()
if (options.help) process.stdout.write(HELP)
else process.stdout.write(report(await measure(options)))
