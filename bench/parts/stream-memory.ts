import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sum } from '../load/percentiles.ts'
import { readUsage } from '../load/process-usage.ts'
import type { CutResult } from '../load/stream-loops.ts'
import type { RunOptions } from '../plan.ts'
import { askProbe } from '../run/ask-probe.ts'
import { startGateway } from '../run/gateway.ts'
import { createScene, FAMILIES, startUpstreams } from '../run/scene.ts'
import { STREAMING, streamed } from './streams.ts'

export interface StreamMemory {
  /** Streams that stall after their first content, and resident memory above idle for each. */
  open: number
  notOpen: number
  bytesEach: number
  /** Of many streams, half of them cut by the caller; behind a garbage collection. */
  growth: { streams: number; rssBytes: number; heapBytes: number }[]
  failed: number
  firstError: string | null
  /** In progress at the provider when all callers have their answer or have left. */
  leftRunning: number
}

const STEPS = [0.2, 0.6, 1]
const CONNECTIONS = 64

export async function measureStreamMemory(options: RunOptions): Promise<StreamMemory> {
  return { ...(await measureOpen(options)), ...(await measureGrowth(options)) }
}

async function measureOpen({ plan, build, progress }: RunOptions) {
  const { open: connections, calmMs } = plan.streamMemory
  await using scene = createScene()
  const [upstream = ''] = await startUpstreams(scene, ['10/Infinity'])
  const target = streamed((await startGateway(scene, { upstream, build, env: STREAMING })).target('openai'))
  await sleep(4 * calmMs)
  const idle = readUsage(target.pid ?? 0)?.rssBytes ?? 0
  progress(`memory: ${connections} open streams`)
  const how = { connections, settleMs: calmMs }
  const { open, rssBytes } = await scene.load({ kind: 'hold', ...target, ...how })
  return { open, notOpen: connections - open, bytesEach: (rssBytes - idle) / open }
}

async function measureGrowth({ plan, build, progress }: RunOptions) {
  await using scene = createScene()
  const [upstream = ''] = await startUpstreams(scene, ['5/5'])
  const report = join(scene.folder, 'report')
  const nodeFlags = ['--expose-gc', '--import', join(import.meta.dirname, 'memory-probe.ts')]
  const env = { ...STREAMING, BENCH_MEMORY_REPORT: report }
  const gateway = await startGateway(scene, { upstream, build, nodeFlags, env })
  const { pid } = gateway.running
  const growth: StreamMemory['growth'] = []
  const loads: CutResult[] = []
  for (const [index, share] of STEPS.entries()) {
    const streams = Math.round((share - (STEPS[index - 1] ?? 0)) * plan.streamMemory.streams)
    progress(`memory: ${streams} streams, half of them cut`)
    for (const family of FAMILIES) {
      const target = { ...streamed(gateway.target(family)), connections: CONNECTIONS }
      loads.push(await scene.load({ kind: 'cut', streams: streams / FAMILIES.length, ...target }))
    }
    await sleep(plan.streamMemory.calmMs)
    const heapBytes = await askProbe(pid, report)
    growth.push({ streams: share * plan.streamMemory.streams, heapBytes, rssBytes: readUsage(pid)?.rssBytes ?? 0 })
  }
  const leftRunning = Number(await (await fetch(`${upstream}/running`)).text())
  const firstError = loads.find((load) => load.firstError !== null)?.firstError ?? null
  return { growth, failed: sum(loads.map(({ failed }) => failed)), firstError, leftRunning }
}
