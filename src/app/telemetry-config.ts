import { z } from 'zod'
import type { ExportPlan, Receiver, Sampling } from '../telemetry/otel/export-plan.ts'

const address = z
  .string()
  .refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''), 'an http:// or https:// address')
const PAIRS = 'name=value pairs, comma-separated, values percent-encoded'
const pairs = z
  .string()
  .default('')
  .transform((text, context) => {
    const read = readPairs(text)
    if (read === null) context.addIssue(PAIRS)
    return read ?? z.NEVER
  })
const milliseconds = (most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `milliseconds from 1 to ${most}`)
    .transform(Number)
    .refine((value) => value >= 1 && value <= most, `milliseconds from 1 to ${most}`)
const count = z
  .string()
  .regex(/^[1-9]\d{0,5}$/, 'a whole number from 1 to 999999')
  .transform(Number)
const SAMPLERS = ['always_on', 'always_off', 'traceidratio'] as const

/** The usual variables of OpenTelemetry, as far as they mean something here. */
export const OTEL_VARIABLES = {
  OTEL_SDK_DISABLED: z.enum(['true', 'false']).default('false'),
  OTEL_TRACES_EXPORTER: z.enum(['otlp', 'none']).optional(),
  OTEL_METRICS_EXPORTER: z.enum(['otlp', 'none', 'prometheus']).optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: address.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: address.optional(),
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: address.optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: z.enum(['http/protobuf'], 'http/protobuf: nothing else is spoken').optional(),
  OTEL_EXPORTER_OTLP_HEADERS: pairs,
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: pairs,
  OTEL_EXPORTER_OTLP_METRICS_HEADERS: pairs,
  OTEL_EXPORTER_OTLP_TIMEOUT: milliseconds(600_000).default(10_000),
  OTEL_EXPORTER_OTLP_COMPRESSION: z.enum(['none', 'gzip']).default('none'),
  OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: z.enum(['cumulative', 'delta']).default('cumulative'),
  OTEL_SERVICE_NAME: z.string().optional(),
  OTEL_RESOURCE_ATTRIBUTES: pairs,
  OTEL_TRACES_SAMPLER: z
    .enum([...SAMPLERS, 'parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'])
    .default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0(\.\d+)?|1(\.0+)?)$/, 'a number from 0 to 1')
    .transform(Number)
    .default(1),
  OTEL_PROPAGATORS: z
    .string()
    .default('tracecontext')
    .transform((list) => list.split(',').some((name) => name.trim() === 'tracecontext')),
  OTEL_BSP_SCHEDULE_DELAY: milliseconds(600_000).default(5_000),
  OTEL_BSP_MAX_QUEUE_SIZE: count.default(2_048),
  // Written in one turn of the event loop: 512, as OpenTelemetry has it, would take 13 ms of it (decision 0041).
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: count.default(128),
  OTEL_METRIC_EXPORT_INTERVAL: milliseconds(86_400_000).default(60_000),
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: z
    .enum(['true', 'false', 'SPAN_ONLY', 'NO_CONTENT'])
    .default('false'),
} as const

const Variables = z.object(OTEL_VARIABLES)
export type OtelVariables = z.infer<typeof Variables>

const DEFAULT_ENDPOINT = 'http://localhost:4318'

/** `identity`: of this process, where the environment does not say it. Null: nothing is to be sent. */
export function exportPlan(variables: OtelVariables, identity: Readonly<Record<string, string>>): ExportPlan | null {
  if (variables.OTEL_SDK_DISABLED === 'true') return null
  const traces = receiver(variables, 'TRACES')
  const metrics = receiver(variables, 'METRICS')
  if (traces === null && metrics === null) return null
  const { OTEL_SERVICE_NAME: name, OTEL_RESOURCE_ATTRIBUTES: resource } = variables
  return {
    traces,
    metrics: metrics && {
      ...metrics,
      intervalMs: variables.OTEL_METRIC_EXPORT_INTERVAL,
      isDelta: variables.OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE === 'delta',
    },
    sampler: sampling(variables),
    hasContent: ['true', 'SPAN_ONLY'].includes(variables.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT),
    propagates: variables.OTEL_PROPAGATORS,
    resource: { ...identity, ...resource, ...(name === undefined ? {} : { 'service.name': name }) },
    queue: {
      spans: variables.OTEL_BSP_MAX_QUEUE_SIZE,
      batch: variables.OTEL_BSP_MAX_EXPORT_BATCH_SIZE,
      delayMs: variables.OTEL_BSP_SCHEDULE_DELAY,
    },
  }
}

/** Null: nothing of this kind is sent. An address switches spans on; metrics need their own, as `/metrics` has them all. */
function receiver(variables: OtelVariables, signal: 'TRACES' | 'METRICS'): Receiver | null {
  const exporter = variables[`OTEL_${signal}_EXPORTER`]
  const own = variables[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`]
  const base = variables.OTEL_EXPORTER_OTLP_ENDPOINT
  const address = own ?? (signal === 'TRACES' ? base : undefined)
  const isOn = exporter === undefined ? address !== undefined : exporter === 'otlp'
  if (!isOn) return null
  return {
    url: own ?? `${(base ?? DEFAULT_ENDPOINT).replace(/\/$/, '')}/v1/${signal.toLowerCase()}`,
    headers: { ...variables.OTEL_EXPORTER_OTLP_HEADERS, ...variables[`OTEL_EXPORTER_OTLP_${signal}_HEADERS`] },
    timeoutMs: variables.OTEL_EXPORTER_OTLP_TIMEOUT,
    isCompressed: variables.OTEL_EXPORTER_OTLP_COMPRESSION === 'gzip',
  }
}

function sampling({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: given }: OtelVariables): Sampling {
  const ratio = name.endsWith('always_on') ? 1 : name.endsWith('always_off') ? 0 : given
  return { isParentBased: name.startsWith('parentbased_'), ratio }
}

function readPairs(text: string): Record<string, string> | null {
  const read: Record<string, string> = {}
  for (const pair of text.split(',').filter((part) => part.trim() !== '')) {
    const [, name, value] = /^\s*([^=\s]+)\s*=(.*)$/.exec(pair) ?? []
    if (name === undefined || value === undefined) return null
    try {
      read[name] = decodeURIComponent(value.trim())
    } catch {
      return null
    }
  }
  return read
}
