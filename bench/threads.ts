import { type Comparison, compare, comparisonText } from './against.ts'
import { type LineUp, runTogether, togetherRows } from './parts/together.ts'
import type { RunOptions } from './plan.ts'
import { startGateway } from './run/gateway.ts'
import { UNPINNED } from './run/pinning.ts'
import { createScene, startUpstream } from './run/scene.ts'

/** As many connections to each thread: with fewer a turn of the event loop has fewer calls and costs more. */
const CONNECTIONS = 32

export async function measureThreads({ plan, build, progress }: RunOptions): Promise<Comparison> {
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
  return compare('', two === undefined ? [] : [two], one === undefined ? [] : [one])
}

export function threadsText(result: Comparison): string {
  const title = 'Two serving threads and one, busy at the same time on all cores'
  return comparisonText(title, ['two threads', 'one thread'], [result])
}
