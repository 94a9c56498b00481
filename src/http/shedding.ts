import { GatewayError } from '../domain/errors.ts'
import { queueCalls } from './call-queue.ts'
import type { Admission } from './server.ts'

const TICK_MS = 20

interface SheddingMetrics {
  /** Seconds by which the event loop is late. */
  loopDelay: { observe(seconds: number): void }
  sheds: { add(): void }
}

/** Refuses calls before anything of them is read, or refusing would cost as much as serving. A patience of 0 refuses none. */
export function shedding(metrics: SheddingMetrics, patienceMs: number): Admission {
  watchDelay((lateMs) => metrics.loopDelay.observe(lateMs / 1000))
  if (patienceMs === 0) return (decide) => decide(null)
  const enter = queueCalls(patienceMs)
  const refusal = new GatewayError('overloaded', undefined, { retryAfterSeconds: 1 })
  return (decide) =>
    enter((isTaken) => {
      if (!isTaken) metrics.sheds.add()
      decide(isTaken ? null : refusal)
    })
}

/** How late a timer fires, measured as long as the process runs. */
function watchDelay(onTick: (lateMs: number) => void): void {
  let last = performance.now()
  setInterval(() => {
    const now = performance.now()
    onTick(Math.max(0, now - last - TICK_MS))
    last = now
  }, TICK_MS).unref()
}
