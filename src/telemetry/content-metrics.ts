import type { Registry } from 'prom-client'
import { Tally } from './tally.ts'

export interface ContentMetrics {
  contentStored: Tally
  /** By reason. */
  contentDropped: Tally
  /** By phase and outcome. */
  guardrailChecks: Tally
  /** By signal and verdict. */
  loopCalls: Tally
}

export function contentMetrics(registry: Registry): ContentMetrics {
  return {
    contentStored: new Tally({
      name: 'switchyard_content_stored_total',
      help: 'Requests whose content was stored, encrypted.',
      registry,
    }),
    contentDropped: new Tally({
      name: 'switchyard_content_dropped_total',
      help: 'Requests whose content was to be stored and was not, by reason: queue_full, no_key or failed.',
      labels: ['reason'],
      registry,
    }),
    guardrailChecks: new Tally({
      name: 'switchyard_guardrail_checks_total',
      help: 'What guardrails were asked, by phase (before or after) and outcome: allow, block or failed.',
      labels: ['phase', 'outcome'],
      registry,
    }),
    loopCalls: new Tally({
      name: 'switchyard_loop_calls_total',
      help: 'Calls of sessions that look like a loop, by signal and verdict: pass, slow or stop.',
      labels: ['signal', 'verdict'],
      registry,
    }),
  }
}
