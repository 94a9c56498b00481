import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildDashboard } from '../scripts/build-dashboard.ts'
import { buildServer } from '../scripts/build-server.ts'
import { watchRss } from './memory.ts'
import { FULL } from './plan.ts'
import { readUsage } from './process-usage.ts'
import { bearer, createScene, GATEWAY_KEY, type Scene, startGateway, startUpstream } from './scene.ts'
import { measureStart } from './start-time.ts'
import { tableText } from './table.ts'

/** What a gateway takes before it does any work: time to its first answer, and memory. */
export interface Footprint {
  firstAnswerMs: number
  idle: { rssBytes: number; pssBytes: number; parts: Map<string, number>; threads: string[] }
  inFlightRssBytes: number
}

const IN_FLIGHT = 1_000
/** V8 keeps the pages that it has freed for eight seconds, and the start's worker ends after one. */
const SETTLE_MS = 12_000
const STARTS = 3

/** `dist`: what `npm start` runs; else the sources. */
export async function measureFootprint(dist: boolean): Promise<Footprint> {
  const plan = { ...FULL, starts: STARTS }
  const { milliseconds } = await measureStart({ plan, peers: [], dist, progress: () => {} })
  await using scene = createScene()
  const { atOnce, after2s } = await startUpstream(scene)
  const idle = await measureIdle(scene, atOnce, dist)
  return { firstAnswerMs: milliseconds, idle, inFlightRssBytes: await measureInFlight(scene, after2s, dist) }
}

async function measureIdle(scene: Scene, upstream: string, dist: boolean): Promise<Footprint['idle']> {
  const gateway = await startGateway(scene, { upstream, dist, env: { GATEWAY_KEY }, withKeys: false })
  const { url, path, model, pid } = gateway.target('openai')
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] })
  await (await fetch(url + path, { method: 'POST', headers: bearer(GATEWAY_KEY), body })).text()
  await sleep(SETTLE_MS)
  const usage = readUsage(pid ?? 0)
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  const idle = {
    rssBytes: usage?.rssBytes ?? 0,
    pssBytes: Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1]) * 1024,
    parts: partsOf(pid ?? 0),
    threads: usage?.threads.map(({ name }) => name) ?? [],
  }
  await gateway.running.stop()
  return idle
}

async function measureInFlight(scene: Scene, upstream: string, dist: boolean): Promise<number> {
  const gateway = await startGateway(scene, { upstream, dist })
  const target = gateway.target('openai')
  const watch = watchRss(target.pid ?? 0)
  const order = {
    kind: 'closed',
    ...target,
    bodyBytes: 0,
    connections: IN_FLIGHT,
    warmupSeconds: 0,
    seconds: 6,
  } as const
  const { errors } = await scene.load(order)
  const most = watch.stop()
  await gateway.running.stop()
  if (errors > 0) throw new Error(`${errors} calls failed`)
  return most
}

/** Resident memory by what it is for, as far as the map of a process tells. */
function partsOf(pid: number): Map<string, number> {
  const parts = new Map<string, number>()
  let part = ''
  for (const line of readFileSync(`/proc/${pid}/smaps`, 'utf8').split('\n')) {
    const area = /^([0-9a-f]+)-([0-9a-f]+) \S+ \S+ \S+ \S+ *(.*)$/.exec(line)
    if (area !== null)
      part = partOf(Number.parseInt(area[1] ?? '', 16), Number.parseInt(area[2] ?? '', 16), area[3] ?? '')
    const resident = Number(/^Rss:\s+(\d+) kB/.exec(line)?.[1] ?? 0)
    parts.set(part, (parts.get(part) ?? 0) + resident * 1024)
  }
  return parts
}

function partOf(from: number, to: number, name: string): string {
  if (name.startsWith('/')) return 'program and libraries'
  // The C library keeps a heap, and an arena at every 64 MB that threads allocate from.
  if (name === '[heap]' || from % (64 * 2 ** 20) === 0) return 'C heap'
  return to - from <= 2 ** 18 ? 'JavaScript heaps' : 'the rest'
}

/** All of it, as the README's reader does it: npm, the look whether anything has to be built, the gateway. */
async function measureNpmStart(): Promise<number> {
  await using scene = createScene()
  const { atOnce } = await startUpstream(scene)
  const began = performance.now()
  const child = spawn('npm', ['start'], {
    cwd: join(import.meta.dirname, '..'),
    env: {
      ...process.env,
      PORT: '0',
      DATA_DIR: mkdtempSync(join(scene.folder, 'data-')),
      GATEWAY_KEY,
      OPENAI_API_KEY: 'sk-bench-openai',
      OPENAI_BASE_URL: `${atOnce}/v1`,
    },
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let printed = ''
  for await (const chunk of child.stdout) {
    printed += chunk
    const url = /serves on (http:\S+)/.exec(printed)?.[1]
    if (url === undefined) continue
    const body = JSON.stringify({ model: 'gpt-5.4-mini', messages: [{ role: 'user', content: 'Hello' }] })
    const answer = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers: bearer(GATEWAY_KEY), body })
    await answer.text()
    break
  }
  const took = performance.now() - began
  // npm does not hand every signal on, so the whole group is told.
  process.kill(-(child.pid ?? 0), 'SIGTERM')
  await new Promise((resolve) => child.once('exit', resolve))
  return took
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`

if (import.meta.main) {
  await buildServer({ force: false })
  await buildDashboard({ force: false })
  const built = await measureFootprint(true)
  const sources = await measureFootprint(false)
  const line = (what: string, figure: (footprint: Footprint) => string) => [what, figure(built), figure(sources)]
  const parts = [...new Set([...built.idle.parts.keys(), ...sources.idle.parts.keys()])]
  process.stdout.write(
    tableText([
      ['', 'built', 'TypeScript'],
      line('first answer, warm disk', ({ firstAnswerMs }) => `${firstAnswerMs.toFixed(0)} ms`),
      ['first answer by npm start, empty data folder', `${(await measureNpmStart()).toFixed(0)} ms`, '–'],
      line('RSS idle', ({ idle }) => megabytes(idle.rssBytes)),
      ...parts.map((part) => line(`  ${part}`, ({ idle }) => megabytes(idle.parts.get(part) ?? 0))),
      line('PSS idle', ({ idle }) => megabytes(idle.pssBytes)),
      line(`RSS with ${IN_FLIGHT} calls in flight`, ({ inFlightRssBytes }) => megabytes(inFlightRssBytes)),
      line('threads', ({ idle }) => String(idle.threads.length)),
    ]),
  )
  process.stdout.write(`\nthreads of the built one: ${built.idle.threads.join(', ')}\n`)
}
