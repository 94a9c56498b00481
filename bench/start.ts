import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { closeLine, joinLines, openLine } from '../src/request-log/spool/record-lines.ts'
import { SpoolWriter } from '../src/request-log/spool/writer.ts'
import { closeRecord } from '../test/test-store.ts'
import { requestBody } from './load/bodies.ts'
import { readUsage } from './load/process-usage.ts'
import type { RunOptions } from './plan.ts'
import { fixed, tableText } from './report/table.ts'
import { startGateway } from './run/gateway.ts'
import { UNPINNED } from './run/pinning.ts'
import { bearer, CHAT_PATH, createScene, startUpstream } from './run/scene.ts'

/** A start on a spool that the database does not have yet, up to the first answered call and until it is folded. */
interface Start {
  calls: number
  /** Of the process, all threads. */
  served: { seconds: number; cpuSeconds: number }
  folded: { seconds: number; cpuSeconds: number }
}

const CALLS = [0, 100_000, 1_000_000]
/** A busy gateway writes several calls in a turn of its event loop. */
const CALLS_A_WRITE = 4
const KEY = 'gw_live_bench000000000000000000000000000'
const FOLDED_WITHIN_MS = 600_000

export async function measureStarts({ build, progress }: RunOptions): Promise<string> {
  const starts: Start[] = []
  for (const calls of CALLS) {
    progress(`a start with ${calls} calls in the spool`)
    starts.push(await measureStart(calls, build))
  }
  const head = ['calls in the spool', 'first answer, s', 'CPU s', 'all in the database, s', 'CPU s']
  const lines = starts.map(({ calls, served, folded }) => [
    String(calls),
    ...[served.seconds, served.cpuSeconds, folded.seconds, folded.cpuSeconds].map((value) => fixed(value, 1)),
  ])
  return `A start after a long outage of the database: SQLite, limits and a hard budget\n\n${tableText([head, ...lines])}`
}

async function measureStart(calls: number, build: RunOptions['build']): Promise<Start> {
  await using scene = createScene(UNPINNED)
  const upstream = (await startUpstream(scene)).immediate
  const dataDir = join(scene.folder, 'data')
  mkdirSync(dataDir)
  fillSpool(join(dataDir, 'spool'), calls)
  const env = { GATEWAY_KEY: KEY, SPOOL_MAX_ROWS: String(4 * (calls + 1_000_000)), OVERLOAD_MS: '0' }
  const begun = performance.now()
  const { running } = await startGateway(scene, { upstream, build, dataDir, env, withKeys: false })
  const usedUntilNow = () => ({
    seconds: (performance.now() - begun) / 1_000,
    cpuSeconds: (readUsage(running.pid)?.cpuMicroseconds ?? 0) / 1e6,
  })
  const answer = await fetch(running.ready + CHAT_PATH, {
    method: 'POST',
    headers: { ...bearer(KEY), 'content-type': 'application/json' },
    body: requestBody('bench-openai'),
  })
  if (answer.status !== 200) throw new Error(`the first call was answered ${answer.status} ${await answer.text()}`)
  await answer.arrayBuffer()
  const served = usedUntilNow()
  while ((await lagRows(running.ready)) > 0) {
    if (performance.now() - begun > FOLDED_WITHIN_MS) throw new Error('the spool is not folded after ten minutes')
    await sleep(200)
  }
  return { calls, served, folded: usedUntilNow() }
}

function fillSpool(folder: string, calls: number): void {
  const writer = new SpoolWriter(folder, { synchronousFull: false })
  const first = Date.now() - 60 * 60_000
  for (let at = 0; at < calls; at += CALLS_A_WRITE) {
    const lines = Array.from({ length: CALLS_A_WRITE }, (_, index) => {
      const startedAt = first + Math.floor((at + index) / 1_000)
      const id = `chatcmpl_${String(at + index).padStart(26, '0')}`
      const record = closeRecord(id, { keyId: `key-${at % 100}`, startedAt, finishedAt: startedAt + 500 })
      return [openLine(record), closeLine(record)]
    }).flat()
    writer.append(lines.length, joinLines(lines))
  }
  writer.close()
}

async function lagRows(url: string): Promise<number> {
  const ready = (await (await fetch(`${url}/readyz`)).json()) as { log: { lag_rows: number } }
  return ready.log.lag_rows
}
