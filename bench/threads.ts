import { median, type Spread, spreadOf, sum } from './load/percentiles.ts'
import { type LineUp, ratiosWithin, runTogether, togetherRows } from './parts/together.ts'
import type { RunOptions } from './plan.ts'
import { fixed, spread as spreadText, tableText } from './report/table.ts'
import { startGateway } from './run/gateway.ts'
import { UNPINNED } from './run/pinning.ts'
import { createScene, startUpstream } from './run/scene.ts'

/** CPU per call of two serving threads and of one, under load at the same time on all cores. */
export interface ThreadsResult {
  microseconds: { one: number | null; two: number | null }
  ratio: number | null
  spread: Spread | null
  rounds: number
  calls: number
  errors: number
}

/** As many connections to each thread: with fewer a turn of the event loop has fewer calls and costs more. */
const CONNECTIONS = 32

export async function measureThreads({ plan, build, progress }: RunOptions): Promise<ThreadsResult> {
  await using scene = createScene(UNPINNED)
  const upstream = (await startUpstream(scene)).immediate
  const start = async (name: string, threads: number) => {
    // On shared cores latency is high by design; shed calls would not be measured.
    const env = { SERVING_THREADS: String(threads), OVERLOAD_MS: '0' }
    const gateway = await startGateway(scene, { upstream, build: { ...build, name }, env })
    return { ...gateway.target('openai'), connections: threads * CONNECTIONS }
  }
  const both = [await start('one thread', 1), await start('two threads', 2)]
  const lineUp: LineUp = () => both
  const [one, two] = togetherRows(await runTogether(scene, lineUp, plan.against, progress))
  const ratios = ratiosWithin(two?.eachRound ?? [], one?.eachRound ?? [])
  const rows = [one, two].filter((row) => row !== undefined)
  return {
    microseconds: { one: median(one?.eachRound ?? []), two: median(two?.eachRound ?? []) },
    ratio: median(ratios),
    spread: spreadOf(ratios),
    rounds: ratios.length,
    calls: sum(rows.map(({ requests }) => requests)),
    errors: sum(rows.map(({ errors, shed }) => errors + shed)),
  }
}

export function threadsText({ microseconds, ratio, spread, rounds, calls, errors }: ThreadsResult): string {
  const head = ['two threads, CPU µs/call', 'one thread', 'ratio', 'middle half', 'rounds', 'calls', 'errors']
  const line = [fixed(microseconds.two, 1), fixed(microseconds.one, 1), fixed(ratio, 3), spreadText(spread, 3)]
  const table = tableText([head, [...line, String(rounds), String(calls), String(errors)]])
  return `Two serving threads and one, busy at the same time on all cores\n\n${table}`
}
