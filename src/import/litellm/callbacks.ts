import { isJsonObject } from '../../domain/request/call-request.ts'
import { isGiven } from './draft-row.ts'
import { approximate, exact, manual, type Notes, unsupported, type Verdict } from './notes.ts'
import type { SourceSection } from './source.ts'

const OTLP = approximate('OTLP variables', 'traces are sent by OpenTelemetry, see docs/tracing.md')

const CALLBACKS: Readonly<Record<string, Verdict>> = {
  prometheus: manual('metrics are at /metrics under other names: change the dashboards, see docs/metrics.md'),
  langfuse: manual(
    'set OTEL_EXPORTER_OTLP_ENDPOINT to LANGFUSE_HOST and /api/public/otel, and Basic auth of its two keys; answers of streams are not sent',
  ),
  slack: approximate('alert channel', 'the rules for alerts differ, see docs/alerts.md'),
  ...Object.fromEntries(
    ['otel', 'arize', 'arize_phoenix', 'phoenix', 'logfire', 'langfuse_otel', 'opik', 'braintrust', 'traceloop']
      .concat('weave_otel')
      .map((name) => [name, OTLP]),
  ),
}

function verdictOn(name: unknown): Verdict {
  const known = CALLBACKS[String(name)]
  if (known !== undefined) return known
  if (String(name).includes('.'))
    return unsupported('own code cannot be called; see the guardrail hook in docs/guardrails.md')
  return unsupported(`${String(name)} has no counterpart; the log can be exported`)
}

const RANK = ['exact', 'approximate', 'manual', 'unsupported']
const LISTS = ['success_callback', 'failure_callback', 'callbacks', 'service_callbacks', 'service_callback']

/** One finding for a list: its worst member decides, and all are named. */
export function noteCallbacks(litellm: SourceSection, { notes }: { notes: Notes }): void {
  for (const key of LISTS) {
    const list = litellm.values[key]
    if (!isGiven(list)) continue
    const verdicts = (Array.isArray(list) ? list : [list]).map((name) => ({ name, verdict: verdictOn(name) }))
    const [worst] = verdicts.toSorted((a, b) => RANK.indexOf(b.verdict.status) - RANK.indexOf(a.verdict.status))
    if (worst === undefined) notes.add(litellm, key, exact(null, 'empty'))
    else {
      const message = verdicts.map(({ name, verdict }) => `${String(name)}: ${verdict.message}`).join('; ')
      notes.add(litellm, key, { ...worst.verdict, message })
    }
  }
  const settings = litellm.values['callback_settings']
  if (!isJsonObject(settings)) return
  const content = approximate(
    null,
    'prompts and answers are not sent unless you switch it on, see docs/tracing.md',
    'tighter',
  )
  for (const [name, value] of Object.entries(settings)) {
    const isContent = isJsonObject(value) && 'message_logging' in value
    notes.add(litellm, `callback_settings.${name}`, isContent ? content : unsupported('has no counterpart'))
  }
}
