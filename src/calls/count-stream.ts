import type { CloseRecord } from '../request-log/record.ts'
import type { Metrics } from '../telemetry/metrics.ts'

/** Updates the stream metrics from a row and, for any call, the count of estimated usage. */
export function countStream(record: CloseRecord, [provider, model]: [string, string], metrics: Metrics): void {
  const { usage, usageSource, firstContentMs, ended } = record
  if (usageSource !== null && usageSource !== 'provider') metrics.estimatedUsage.add(1, [provider, model, usageSource])
  if (firstContentMs === null) return
  metrics.firstContent.observe(firstContentMs / 1000, [provider, model])
  if (ended !== null && ended !== 'finished') metrics.cutStreams.add(1, [provider, ended])
  const milliseconds = record.finishedAt - record.startedAt - firstContentMs
  if (ended !== 'finished' || usageSource !== 'provider' || usage === null || milliseconds <= 0) return
  metrics.streamRate.observe((usage.output * 1000) / milliseconds, [provider, model])
}
