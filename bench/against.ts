import { PACES } from './load/events.ts'
import { median, type Spread, spreadOf, sum } from './load/percentiles.ts'
import { STREAMING, streamed } from './parts/streams.ts'
import { exchangedGateways, ratiosWithin, runTogether, type TogetherRow, togetherRows } from './parts/together.ts'
import type { RunOptions } from './plan.ts'
import { fixed, spread as spreadText, tableText } from './report/table.ts'
import { startBareProxy } from './run/contestants.ts'
import { type Build, OURS } from './run/gateway.ts'
import { createScene, FAMILIES, startUpstreams } from './run/scene.ts'

/** CPU per call of two programs under load at the same time. */
export interface Comparison {
  /** Of the row. */
  name: string
  microseconds: { one: number | null; other: number | null }
  /** The one over the other: the median of the ratios within a round, and their spread. */
  ratio: number | null
  spread: Spread | null
  rounds: number
  /** Of both; a few hundred mean that the machine was too busy. */
  calls: number
  errors: number
}

export const OTHER = 'the other build'

/** The bare proxy takes part as well, so that the core is shared as in `together`. `isStream`: streams of 100 events. */
export async function measureAgainst(
  { plan, build, progress }: RunOptions,
  other: Build,
  isStream = false,
): Promise<Comparison[]> {
  const rows: TogetherRow[] = []
  for (let start = 0; start < plan.against.starts; start++) {
    progress(`against: fresh processes, ${start + 1} of ${plan.against.starts}`)
    await using scene = createScene()
    const [upstream = ''] = await startUpstreams(scene, [isStream ? PACES.paced : '0'])
    const bare = await startBareProxy(scene, upstream, isStream ? 'pipe' : 'hop')
    // With five busy processes on one core, latency is high by design; shed calls would not be measured.
    const env = STREAMING
    const ours = await exchangedGateways(scene, { upstream, build, env })
    const others = await exchangedGateways(scene, { upstream, build: other, env })
    const lineUp = (round: number) => {
      const targets = [bare, ...ours(round), ...others(round)]
      return isStream ? targets.map(streamed) : targets
    }
    rows.push(...togetherRows(await runTogether(scene, lineUp, plan.against, progress)))
  }
  return FAMILIES.map((family) => {
    const of = (name: string) => rows.filter((row) => row.name === name && row.family === family)
    return compare(family, of(OURS), of(OTHER))
  })
}

/** The rows of one program and of another, in the same rounds. */
export function compare(name: string, one: readonly TogetherRow[], other: readonly TogetherRow[]): Comparison {
  const costs = (rows: readonly TogetherRow[]) => rows.flatMap(({ eachRound }) => eachRound)
  const ratios = ratiosWithin(costs(one), costs(other))
  const both = [...one, ...other]
  return {
    name,
    microseconds: { one: median(costs(one)), other: median(costs(other)) },
    ratio: median(ratios),
    spread: spreadOf(ratios),
    rounds: ratios.length,
    calls: sum(both.map(({ requests }) => requests)),
    errors: sum(both.map(({ errors, shed }) => errors + shed)),
  }
}

export function againstText(rows: readonly Comparison[]): string {
  return comparisonText('Two builds, busy at the same time on one core', ['this build', 'other build'], rows)
}

export function comparisonText(title: string, [one, other]: [string, string], rows: readonly Comparison[]): string {
  const lines = rows.map(({ name, microseconds, ratio, spread, rounds, calls, errors }) => [
    name,
    fixed(microseconds.one, 1),
    fixed(microseconds.other, 1),
    fixed(ratio, 3),
    spreadText(spread, 3),
    ...[rounds, calls, errors].map(String),
  ])
  const head = ['', `${one}, CPU µs/call`, other, 'ratio', 'middle half', 'rounds', 'calls', 'errors']
  return `${title}\n\n${tableText([head, ...lines])}`
}
