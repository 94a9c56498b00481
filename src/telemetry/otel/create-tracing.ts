import { ROOT_CONTEXT } from '@opentelemetry/api'
import type { InstrumentationScope } from '@opentelemetry/core'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { type Resource, resourceFromAttributes } from '@opentelemetry/resources'
import { MeterProvider, type MetricProducer, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import {
  BatchSpanProcessor,
  type ReadableSpan,
  SamplingDecision,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace'
import type { Log } from '../log.ts'
import type { Tracing } from '../tracing.ts'
import type { ConventionName } from './attributes.ts'
import { beginTrace } from './begin-trace.ts'
import { callMetrics } from './call-metrics.ts'
import { logComplaints } from './complaints.ts'
import type { ExportPlan, Receiver } from './export-plan.ts'
import { NewIds, sampleBound } from './new-ids.ts'
import type { SpanSource } from './trace-parts.ts'

/** A receiver that is down delays a stop by no more. */
const CLOSE_MS = 3_000

export interface TracingParts {
  version: string
  conventionName: ConventionName
  modelLabel(provider: string, model: string): string
  log: Log
}

type Closing = () => Promise<void>

/** OpenTelemetry's own packages. Loaded only where something is to be sent: nothing else imports this file. */
export function createTracing(plan: ExportPlan, { version, conventionName, modelLabel, log }: TracingParts): Tracing {
  logComplaints(log)
  const resource = resourceFromAttributes({ ...plan.resource })
  const scope = { name: 'switchyard', version }
  const isDelta = plan.metrics?.isDelta === true
  const metrics = plan.metrics && callMetrics({ scope, isDelta, conventionName, modelLabel })
  const closings: Closing[] = []
  const spans = plan.traces && openSpans(plan.traces, plan, { resource, scope }, closings)
  if (plan.metrics !== null && metrics !== null) openMetrics(plan.metrics, metrics, resource, closings)
  const parts = { spans, propagates: plan.propagates, metrics, conventionName, hasContent: plan.hasContent }
  return {
    begin: (call, endpoint) => beginTrace(call, endpoint, parts),
    async close() {
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, CLOSE_MS)
      await Promise.race([promise, Promise.allSettled(closings.map((close) => close()))])
      clearTimeout(timer)
    },
  }
}

/** The tracer of the SDK is left out: it makes a span object for every call, sampled or not. */
function openSpans(
  receiver: Receiver,
  { sampler: { isParentBased, ratio }, queue }: ExportPlan,
  origin: { resource: Resource; scope: InstrumentationScope },
  closings: Closing[],
): SpanSource {
  const processor = new BatchSpanProcessor({
    exporter: new OTLPTraceExporter(exporterOptions(receiver)),
    maxQueueSize: queue.spans,
    maxExportBatchSize: Math.min(queue.batch, queue.spans),
    scheduledDelayMillis: queue.delayMs,
  })
  const waiting: ReadableSpan[] = []
  // A full batch is written at once: not while the answer of a call waits.
  const handOver = () => {
    for (const span of waiting.splice(0)) processor.onEnd(span)
  }
  closings.push(() => {
    handOver()
    return processor.shutdown()
  })
  const bound = sampleBound(ratio)
  const byId = new TraceIdRatioBasedSampler(ratio)
  return {
    ...origin,
    ids: new NewIds(),
    sampler: {
      isParentBased,
      samplesNew: ({ folded }) => folded < bound,
      samples: (traceId) => byId.shouldSample(ROOT_CONTEXT, traceId).decision === SamplingDecision.RECORD_AND_SAMPLED,
    },
    finish(span) {
      if (waiting.push(span) === 1) setImmediate(handOver)
    },
  }
}

function openMetrics(
  receiver: NonNullable<ExportPlan['metrics']>,
  producer: MetricProducer,
  resource: Resource,
  closings: Closing[],
): void {
  const exporter = new OTLPMetricExporter(exporterOptions(receiver))
  const options = { exporter, exportIntervalMillis: receiver.intervalMs, metricProducers: [producer] }
  const provider = new MeterProvider({ resource, readers: [new PeriodicExportingMetricReader(options)] })
  closings.push(() => provider.shutdown())
}

type ExporterOptions = NonNullable<ConstructorParameters<typeof OTLPTraceExporter>[0]>

function exporterOptions({ url, headers, timeoutMs, isCompressed }: Receiver): ExporterOptions {
  const compression = (isCompressed ? 'gzip' : 'none') as NonNullable<ExporterOptions['compression']>
  return { url, headers: { ...headers }, timeoutMillis: timeoutMs, compression }
}
