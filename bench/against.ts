import { PACES } from './load/events.ts'
import { median, type Spread, spreadOf, sum } from './load/percentiles.ts'
import { STREAMING, streamed } from './parts/streams.ts'
import { exchangedGateways, ratiosWithin, runTogether, type TogetherRow, togetherRows } from './parts/together.ts'
import type { RunOptions } from './plan.ts'
import { fixed, spread as spreadText, tableText } from './report/table.ts'
import { startBareProxy } from './run/contestants.ts'
import { type Build, OURS } from './run/gateway.ts'
import { createScene, FAMILIES, type Family, startUpstreams } from './run/scene.ts'

/** CPU per call of two builds under load at the same time, on one core. */
export interface Comparison {
  family: Family
  microseconds: { ours: number | null; other: number | null }
  /** Ours over the other: the median of the ratios within a round, and their spread. */
  ratio: number | null
  spread: Spread | null
  rounds: number
  /** Of both builds; a few hundred mean that the machine was too busy. */
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
    const both = [...of(OURS), ...of(OTHER)]
    const costs = (name: string) => of(name).flatMap(({ eachRound }) => eachRound)
    const ratios = ratiosWithin(costs(OURS), costs(OTHER))
    return {
      family,
      microseconds: { ours: median(costs(OURS)), other: median(costs(OTHER)) },
      ratio: median(ratios),
      spread: spreadOf(ratios),
      rounds: ratios.length,
      calls: sum(both.map(({ requests }) => requests)),
      errors: sum(both.map(({ errors, shed }) => errors + shed)),
    }
  })
}

export function againstText(rows: readonly Comparison[]): string {
  const lines = rows.map(({ family, microseconds, ratio, spread, rounds, calls, errors }) => [
    family,
    fixed(microseconds.ours, 1),
    fixed(microseconds.other, 1),
    fixed(ratio, 3),
    spreadText(spread, 3),
    String(rounds),
    String(calls),
    String(errors),
  ])
  const head = ['', 'this build, CPU µs/call', 'other build', 'ratio', 'middle half', 'rounds', 'calls', 'errors']
  return `Two builds, busy at the same time on one core\n\n${tableText([head, ...lines])}`
}
