import { GatewayError } from '../domain/errors.ts'
import type { Reply } from '../http/call.ts'
import { watchPressure } from '../http/pressure.ts'
import { errorReply } from '../http/respond.ts'
import type { Metrics } from '../telemetry/metrics.ts'

const TICK_MS = 20

/** Turned away before anything is read or looked up, or it would cost as much as serving. A patience of 0 turns none away. */
export function shedding(metrics: Metrics, patienceMs: number): () => Reply | null {
  watchDelay((lateMs) => metrics.loopDelay.observe(lateMs / 1000))
  if (patienceMs === 0) return () => null
  const isTaken = watchPressure(patienceMs)
  const refusal = errorReply(new GatewayError('overloaded', undefined, { retryAfterSeconds: 1 }))
  return () => {
    if (isTaken()) return null
    metrics.sheds.add()
    return refusal
  }
}

/** How late a timer comes, as long as the process lives. */
function watchDelay(onTick: (lateMs: number) => void): void {
  let last = performance.now()
  setInterval(() => {
    const now = performance.now()
    onTick(Math.max(0, now - last - TICK_MS))
    last = now
  }, TICK_MS).unref()
}
