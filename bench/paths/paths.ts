import { join } from 'node:path'
import { PACES } from '../load/events.ts'
import { STREAMING, streamed } from '../parts/streams.ts'
import { runTogether, type TogetherRow, togetherRows } from '../parts/together.ts'
import type { RunOptions } from '../plan.ts'
import { fixed, spread, tableText } from '../report/table.ts'
import { SOURCES, startGateway } from '../run/gateway.ts'
import { createScene, label, startUpstreams, type Target } from '../run/scene.ts'

/** To the caller and to the provider. */
const PATHS = ['raw/own', 'node:http/own', 'raw/undici', 'node:http/undici']

/** CPU of four gateways that differ in the code that speaks HTTP; `hopRatio` refers to today's. */
export interface PathRow extends TogetherRow {
  what: 'a stream' | 'a whole call'
}

const KINDS = [
  ['a stream', PACES.paced, 'openai'],
  ['a stream', PACES.paced, 'anthropic'],
  ['a whole call', '0', 'openai'],
] as const

export async function measurePaths({ plan, progress }: Pick<RunOptions, 'plan' | 'progress'>): Promise<PathRow[]> {
  const rows: PathRow[] = []
  for (const [what, kind, family] of KINDS) {
    await using scene = createScene()
    const [upstream = ''] = await startUpstreams(scene, [kind])
    const nodeFlags = ['--max-semi-space-size=16', '--import', join(import.meta.dirname, 'swap.ts')]
    const targets: Target[] = []
    for (const name of PATHS) {
      const options = { upstream, build: { ...SOURCES, name }, nodeFlags, env: { ...STREAMING, BENCH_PATH: name } }
      targets.push((await startGateway(scene, options)).target(family))
    }
    progress(`paths: ${what}, ${family}`)
    const lineUp = () => (what === 'a stream' ? targets.map(streamed) : targets)
    const reference = label({ name: PATHS[0] ?? '', family })
    const rounds = await runTogether(scene, lineUp, plan.paths, progress)
    rows.push(...togetherRows(rounds, reference).map((row) => ({ ...row, what })))
  }
  return rows
}

export function pathsText(rows: readonly PathRow[]): string {
  const lines = rows.map((row) => [
    label(row),
    row.what,
    fixed(row.cpuMicroseconds, 0),
    fixed(row.hopRatio, 3),
    spread(row.hopRatioSpread, 3),
    ...[row.requests, row.errors + row.shed, row.eachRound.length].map(String),
  ])
  const head = [
    'to the caller/to the provider',
    '',
    'CPU µs',
    '× raw/own',
    'middle half',
    'answers',
    'errors',
    'rounds',
  ]
  return `The HTTP path: all busy at the same time on one core\n\n${tableText([head, ...lines])}`
}
