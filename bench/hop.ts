import { parseArgs } from 'node:util'
import { BODIES, type BodySize } from './bodies.ts'
import { label } from './label.ts'
import { median } from './median.ts'
import { usedByThread } from './process-usage.ts'
import { createScene, startBareProxy, startUpstream } from './scene.ts'
import { tableText } from './table.ts'
import { exchangedGateways, ratiosWithin, runTogether, type Share, togetherRows } from './together.ts'
import { takeTurn } from './turn.ts'

const HELP = `Usage: node bench/hop.ts [options]

CPU a call of the gateway, by thread, beside the bare proxies, all busy at the same time on one core. For work on the hot path.

  --seconds <number>     of one round (default 3)
  --rounds <number>      the median of their ratios counts (default 10)
  --body <size>          ${Object.keys(BODIES).join(', ')} (default 1k)
  --dist                 the built package instead of the sources
  --profile <folder>     the gateways write CPU profiles there (their figures are then worth less)
`

const WARMUP_SECONDS = 6
const TURN_MS = 180_000

function readOptions() {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '3' },
      rounds: { type: 'string', default: '10' },
      body: { type: 'string', default: '1k' },
      dist: { type: 'boolean', default: false },
      profile: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (!(values.body in BODIES)) throw new Error(`--body is one of ${Object.keys(BODIES).join(', ')}`)
  return { ...values, body: values.body as BodySize }
}

type Options = ReturnType<typeof readOptions>

async function measure({ seconds, rounds, body, dist, profile }: Options): Promise<Share[][]> {
  using _turn = await takeTurn(TURN_MS, () => say('another run is measuring: waiting for it'))
  await using scene = createScene()
  if (scene.pinning.missing !== null) say(`NOT pinned: ${scene.pinning.missing}`)
  const upstream = (await startUpstream(scene)).atOnce
  const nodeFlags = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]
  const bare = [await startBareProxy(scene, upstream, 'hop'), await startBareProxy(scene, upstream, 'copy')]
  const ours = await exchangedGateways(scene, { upstream, dist, nodeFlags }, body)
  const plan = { rounds: Number(rounds), seconds: Number(seconds), warmupSeconds: WARMUP_SECONDS }
  // Awaited here: the scene ends with this function.
  return await runTogether(scene, (round) => [...bare, ...ours(round)], plan, say, BODIES[body])
}

function report(rounds: readonly (readonly Share[])[]): string {
  const rows = togetherRows(rounds)
  const [, copy] = rows
  const lines = rows.map((row) => [
    label(row),
    row.cpuMicroseconds?.toFixed(1) ?? '–',
    row.servingMicroseconds?.toFixed(1) ?? '–',
    row.hopRatio?.toFixed(2) ?? '–',
    row.hopRatioSpan?.map((value) => value.toFixed(2)).join(' to ') ?? '–',
    median(ratiosWithin(row.eachRound, copy?.eachRound ?? []))?.toFixed(2) ?? '–',
    String(row.shed),
    String(row.errors),
  ])
  const head = ['', 'CPU µs', 'serving µs', '× hop', 'middle half', '× copy', 'shed', 'errors']
  const threads = rows.map((row) => {
    const shares = rounds.flat().filter((share) => label(share) === label(row))
    return `${label(row).padEnd(30)} ${threadText(shares)}\n`
  })
  return `\n${tableText([head, ...lines])}\nBy thread, µs a call:\n${threads.join('')}`
}

function threadText(shares: readonly Share[]): string {
  const each = shares.flatMap(({ load: { usage, requests } }) => {
    if (usage === null) return []
    return [new Map([...usedByThread(usage.before, usage.after)].map(([name, used]) => [name, used / requests]))]
  })
  const names = [...new Set(each.flatMap((threads) => [...threads.keys()]))]
  const figures = names.map((name) => [name, median(each.map((threads) => threads.get(name) ?? 0)) ?? 0] as const)
  const shown = figures.filter(([, used]) => used >= 0.5).sort(([, a], [, b]) => b - a)
  return shown.map(([name, used]) => `${name} ${used.toFixed(1)}`).join(' · ')
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

const options = readOptions()
say(options.help ? HELP : report(await measure(options)))
