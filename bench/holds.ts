import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Hold } from './loop-probe.ts'
import { type BenchGateway, type GatewayOptions, type Scene, startGateway } from './scene.ts'

/** A gateway whose event loop is watched. */
export interface WatchedGateway extends BenchGateway {
  /** The longest holds since the last time this was asked, the longest first. */
  holds(): Promise<Hold[]>
}

const ANSWER_WITHIN_MS = 5_000

export async function startWatchedGateway(scene: Scene, options: GatewayOptions): Promise<WatchedGateway> {
  const path = join(scene.folder, 'holds.json')
  const probe = join(import.meta.dirname, 'loop-probe.ts')
  const gateway = await startGateway(scene, {
    ...options,
    nodeFlags: ['--import', probe, ...(options.nodeFlags ?? [])],
    env: { BENCH_HOLDS: path, ...options.env },
  })
  return {
    ...gateway,
    async holds() {
      rmSync(path, { force: true })
      process.kill(gateway.running.pid, 'SIGUSR2')
      for (let waited = 0; !existsSync(path); waited += 20) {
        if (waited > ANSWER_WITHIN_MS) throw new Error('the watched gateway does not tell its holds')
        await sleep(20)
      }
      return JSON.parse(readFileSync(path, 'utf8')) as Hold[]
    },
  }
}
