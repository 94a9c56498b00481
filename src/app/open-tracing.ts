import type { Deps } from '../calls/deps.ts'
import type { IsKnown } from '../calls/models/known-models.ts'
import { hideEverywhere } from '../domain/provider.ts'
import { FAMILIES } from '../providers/families.ts'
import type { Log } from '../telemetry/log.ts'
import { NO_TRACING, type Tracing } from '../telemetry/tracing.ts'
import { exportPlan, type OtelVariables } from './telemetry-config.ts'
import { version } from './version.ts'

export interface OpenTracing {
  /** The gateway's id in the request log, and the thread if it is not the only one. */
  instance: string
  snapshot: Deps['snapshot']
  isKnown: IsKnown
  log: Log
}

/** Spans and metrics by the variables of OpenTelemetry; its packages are loaded only where something is to be sent. */
export async function openTracing(settings: OtelVariables, parts: OpenTracing): Promise<Tracing> {
  const { instance, snapshot, isKnown, log } = parts
  const identity = { 'service.name': 'switchyard', 'service.version': version(), 'service.instance.id': instance }
  const plan = exportPlan(settings, identity)
  if (plan === null) return NO_TRACING
  hideEverywhere([plan.traces, plan.metrics].flatMap((each) => Object.values(each?.headers ?? {})))
  const { createTracing } = await import('../telemetry/otel/create-tracing.ts')
  return createTracing(plan, {
    version: version(),
    conventionName(provider) {
      const family = snapshot().providers.get(provider)?.family
      return family === undefined ? provider : (FAMILIES.get(family)?.conventionName ?? family)
    },
    modelLabel: (provider, model) => (isKnown(provider, model) ? model : 'other'),
    log,
  })
}

/** For the log of the start: where it sends, without a login that an address may hold. */
export function tracingWords(settings: OtelVariables): { traces: string; metrics: string } | null {
  const plan = exportPlan(settings, {})
  const where = (receiver: { url: string } | null) => (receiver === null ? 'off' : shownAddress(receiver.url))
  return plan === null ? null : { traces: where(plan.traces), metrics: where(plan.metrics) }
}

function shownAddress(address: string): string {
  const { origin, pathname } = new URL(address)
  return origin + pathname
}
