import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { measurePace, warmUpPace } from './pace.ts'
import type { Core } from './pinning.ts'
import { preciseNow } from './precise-timer.ts'
import type { Scene } from './scene.ts'

/** Unix milliseconds: from when to when something was measured. */
export interface Window {
  fromMs: number
  toMs: number
}

export interface CoreWatch {
  /** How fast the core was within these moments, on the average of looks; see pace.ts. */
  paceMs(window: Window): Promise<number>
}

/** A process of its own on that core, which takes about half a hundredth of it from everybody alike. */
export function watchCore(scene: Scene, core: Core): CoreWatch {
  const { command, args } = scene.pinning.on(core, [join(import.meta.dirname, 'core-watch.ts')])
  const watching = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  scene.defer(() => watching.disconnect())
  return {
    async paceMs(window) {
      watching.send(window)
      const [paceMs] = (await once(watching, 'message')) as [number]
      return paceMs
    },
  }
}

const EVERY_MS = 4
/** Nobody asks for what is longer ago. */
const KEPT_MS = 30_000

function watch(send: (paceMs: number) => void): void {
  let seen: { atMs: number; paceMs: number }[] = []
  warmUpPace()
  setInterval(() => seen.push({ atMs: preciseNow(), paceMs: measurePace() }), EVERY_MS)
  process.on('message', ({ fromMs, toMs }: Window) => {
    const within = seen.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs)
    send(within.reduce((sum, { paceMs }) => sum + paceMs, 0) / Math.max(1, within.length))
    seen = seen.filter(({ atMs }) => atMs > toMs - KEPT_MS)
  })
  process.on('disconnect', () => process.exit())
}

if (import.meta.main) watch((paceMs) => process.send?.(paceMs))
