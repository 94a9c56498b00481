import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readUsage } from '../bench/load/process-usage.ts'

/** Prints what the built program takes, for the table in README.md: `npm run build && node scripts/footprint.ts`. */
const STARTS = 7
/** Long enough for workers that only the start needs to end, and for V8 to give pages back. */
const IDLE_MS = 25_000
const root = join(import.meta.dirname, '..')

interface Start {
  healthyMs: number
  cpuMs: number
}

/** As the image starts it. Resolves when /healthz has answered. */
async function start(folder: string) {
  const child = spawn(process.execPath, ['--max-semi-space-size=16', 'dist/switchyard.js', 'serve'], {
    cwd: root,
    env: { PATH: process.env['PATH'], PORT: '0', DATA_DIR: folder, LOG_LEVEL: 'error', MALLOC_ARENA_MAX: '2' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const begin = performance.now()
  let said = ''
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    said += chunk
    const url = /serves on (\S+)\n/.exec(said)?.[1]
    if (url !== undefined && (await fetch(`${url}/healthz`)).ok) break
  }
  const healthyMs = performance.now() - begin
  return { child, healthyMs, cpuMs: (readUsage(child.pid ?? 0)?.cpuMicroseconds ?? 0) / 1_000 }
}

async function end(child: Awaited<ReturnType<typeof start>>['child']): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

async function inNewFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-footprint-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function median(numbers: number[]): number {
  return Math.round(numbers.toSorted((one, other) => one - other)[numbers.length >> 1] ?? 0)
}

function packed(): { size: number; unpackedSize: number } {
  const output = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
  })
  return Object.values(JSON.parse(output.slice(output.search(/^[[{]/m))) as object)[0]
}

const first: Start[] = []
const again: Start[] = []
for (let round = 0; round < STARTS; round++) {
  await inNewFolder(async (folder) => {
    for (const starts of [first, again]) {
      const { child, ...figures } = await start(folder)
      starts.push(figures)
      await end(child)
    }
  })
}
const idleBytes = await inNewFolder(async (folder) => {
  const { child } = await start(folder)
  await sleep(IDLE_MS)
  const bytes = readUsage(child.pid ?? 0)?.rssBytes ?? 0
  await end(child)
  return bytes
})
const { size, unpackedSize } = packed()
const mega = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`
const startText = (starts: Start[]) =>
  `${median(starts.map(({ healthyMs }) => healthyMs))} ms, ${median(starts.map(({ cpuMs }) => cpuMs))} ms of CPU`
console.log(`| package, to download and on disk | ${mega(size)}, ${mega(unpackedSize)} |
| start until \`/healthz\` answers, empty data folder | ${startText(first)} |
| the same, with its data | ${startText(again)} |
| memory when idle (RSS) | ${Math.round(idleBytes / 1e6)} MB |`)
