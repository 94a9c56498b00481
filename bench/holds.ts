import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Hold } from './loop-probe.ts'
import {
  type BenchGateway,
  type GatewayOptions,
  type Scene,
  startBareProxy,
  startGateway,
  type Target,
} from './scene.ts'

/** Tells the longest holds of an event loop since the last time this was asked, the longest first. */
export type TellHolds = () => Promise<Hold[]>

/** A gateway whose event loop is watched. */
export interface WatchedGateway extends BenchGateway {
  holds: TellHolds
}

const ANSWER_WITHIN_MS = 5_000
const PROBE = join(import.meta.dirname, 'loop-probe.ts')

export async function startWatchedGateway(scene: Scene, options: GatewayOptions): Promise<WatchedGateway> {
  const path = join(scene.folder, 'holds.json')
  const gateway = await startGateway(scene, {
    ...options,
    nodeFlags: ['--import', PROBE, ...(options.nodeFlags ?? [])],
    env: { BENCH_HOLDS: path, ...options.env },
  })
  return { ...gateway, holds: tellHolds(gateway.running.pid, path) }
}

/** What the same calls do to the event loop of a process that has nothing else to do. */
export async function startWatchedProxy(scene: Scene, upstream: string): Promise<{ target: Target; holds: TellHolds }> {
  const path = join(scene.folder, 'holds-bare.json')
  const watching = { nodeFlags: ['--import', PROBE], env: { BENCH_HOLDS: path } }
  const target = await startBareProxy(scene, upstream, 'hop', watching)
  return { target, holds: tellHolds(target.pid ?? 0, path) }
}

function tellHolds(pid: number, path: string): TellHolds {
  return async () => {
    rmSync(path, { force: true })
    process.kill(pid, 'SIGUSR2')
    for (let waited = 0; !existsSync(path); waited += 20) {
      if (waited > ANSWER_WITHIN_MS) throw new Error('the watched process does not tell its holds')
      await sleep(20)
    }
    return JSON.parse(readFileSync(path, 'utf8')) as Hold[]
  }
}
