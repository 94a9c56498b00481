import { GatewayError } from '../domain/errors.ts'
import type { Reply } from '../http/call.ts'
import { watchPressure } from '../http/pressure.ts'
import { errorReply } from '../http/respond.ts'
import type { Metrics } from '../telemetry/metrics.ts'

/** Turned away before anything is read or looked up, or it would cost as much as serving. */
export function shedding(metrics: Metrics, longTurnMs: number): () => Reply | null {
  const pressure = watchPressure(longTurnMs, (lateMs) => metrics.loopDelay.observe(lateMs / 1000))
  const refusal = errorReply(new GatewayError('overloaded', undefined, { retryAfterSeconds: 1 }))
  return () => {
    if (!pressure.turnsAway()) return null
    metrics.sheds.add()
    return refusal
  }
}
