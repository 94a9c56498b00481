import { type Attributes, type HrTime, ValueType } from '@opentelemetry/api'
import { hrTime, type InstrumentationScope } from '@opentelemetry/core'
import { emptyResource } from '@opentelemetry/resources'
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  type HistogramMetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics'
import { ATTR_ERROR_TYPE } from '@opentelemetry/semantic-conventions'
import {
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_PROVIDER_NAME,
  ATTR_GEN_AI_REQUEST_MODEL,
  ATTR_GEN_AI_TOKEN_TYPE,
  METRIC_GEN_AI_CLIENT_OPERATION_DURATION,
  METRIC_GEN_AI_CLIENT_OPERATION_TIME_TO_FIRST_CHUNK,
  METRIC_GEN_AI_CLIENT_TOKEN_USAGE,
} from '@opentelemetry/semantic-conventions/incubating'
import { promptTokens } from '../../domain/pricing/usage.ts'
import { Distribution, type Series, type Spread } from '../tally.ts'
import type { TracedCall } from '../tracing.ts'
import type { ConventionName } from './attributes.ts'

/** As the conventions advise. */
const SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
const FIRST_CHUNK_SECONDS = [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
const TOKENS = [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864]

const SERVED = [ATTR_GEN_AI_OPERATION_NAME, 'switchyard.provider', ATTR_GEN_AI_REQUEST_MODEL, 'switchyard.route']

export interface CallMetrics extends MetricProducer {
  count(row: TracedCall, operation: string): void
}

export interface MetricParts {
  scope: InstrumentationScope
  /** Since the time before, instead of since the start. */
  isDelta: boolean
  conventionName: ConventionName
  /** Bounded: callers may send anything. */
  modelLabel(provider: string, model: string): string
}

/**
 * The figures of all calls that reached a provider, sampled or not. They are kept as those of `/metrics` are, because the
 * instruments of OpenTelemetry take 15 µs a call for these four; it gets the sums when it collects.
 */
export function callMetrics({ scope, isDelta, conventionName, modelLabel }: MetricParts): CallMetrics {
  const distribution = (name: string, help: string, unit: string, bounds: number[], label: string) => {
    const figures = new Distribution({ name, help, labels: [...SERVED, label], bounds })
    return { figures, unit, bounds, collect: collector(isDelta) }
  }
  const duration = distribution(
    METRIC_GEN_AI_CLIENT_OPERATION_DURATION,
    'GenAI operation duration.',
    's',
    SECONDS,
    ATTR_ERROR_TYPE,
  )
  const firstChunk = distribution(
    METRIC_GEN_AI_CLIENT_OPERATION_TIME_TO_FIRST_CHUNK,
    'Time to receive the first chunk.',
    's',
    FIRST_CHUNK_SECONDS,
    ATTR_ERROR_TYPE,
  )
  const tokens = distribution(
    METRIC_GEN_AI_CLIENT_TOKEN_USAGE,
    'Input and output tokens used.',
    '{token}',
    TOKENS,
    ATTR_GEN_AI_TOKEN_TYPE,
  )
  const attributesOf = (labels: Readonly<Record<string, string>>): Attributes => {
    const { [ATTR_ERROR_TYPE]: error, ...others } = labels
    const name = conventionName(labels['switchyard.provider'] ?? '')
    return { ...others, [ATTR_GEN_AI_PROVIDER_NAME]: name, ...(error ? { [ATTR_ERROR_TYPE]: error } : {}) }
  }
  return {
    count({ provider, model: asked, route, code, usage, firstContentMs, startedAt, finishedAt, cache }, operation) {
      // A stored answer names the provider that gave it once, to another call.
      if (provider === null || cache === 'hit') return
      const model = modelLabel(provider, asked ?? '')
      const by = route ?? '(direct)'
      duration.figures.observe((finishedAt - startedAt) / 1000, [operation, provider, model, by, code ?? ''])
      if (firstContentMs !== null) {
        firstChunk.figures.observe(firstContentMs / 1000, [operation, provider, model, by, ''])
      }
      if (usage === null) return
      tokens.figures.observe(promptTokens(usage), [operation, provider, model, by, 'input'])
      tokens.figures.observe(usage.output, [operation, provider, model, by, 'output'])
    },
    async collect() {
      const metrics: HistogramMetricData[] = [duration, firstChunk, tokens]
        .map(({ figures, unit, bounds, collect }) => ({
          descriptor: { name: figures.name, description: figures.help, unit, valueType: ValueType.DOUBLE },
          aggregationTemporality: isDelta ? AggregationTemporality.DELTA : AggregationTemporality.CUMULATIVE,
          dataPointType: DataPointType.HISTOGRAM as const,
          dataPoints: collect(figures.series).map(({ labels, value: { counts, sum }, ...times }) => ({
            ...times,
            attributes: attributesOf(labels),
            value: { buckets: { boundaries: bounds, counts: [...counts] }, sum, count: total(counts) },
          })),
        }))
        .filter(({ dataPoints }) => dataPoints.length > 0)
      const scopeMetrics = metrics.length === 0 ? [] : [{ scope, metrics }]
      return { resourceMetrics: { resource: emptyResource(), scopeMetrics }, errors: [] }
    },
  }
}

type Collected = Series<Spread> & Pick<DataPoint<Histogram>, 'startTime' | 'endTime'>

/** With `isDelta` what has come since it was asked before; series without anything new are left out. */
function collector(isDelta: boolean): (all: readonly Series<Spread>[]) => Collected[] {
  const seen = new Map<Series<Spread>, Spread>()
  let startTime: HrTime = hrTime()
  return (all) => {
    const endTime = hrTime()
    const collected = all.map((series) => {
      const { labels, value } = series
      const before = seen.get(series)
      if (isDelta) seen.set(series, { counts: value.counts.slice(), sum: value.sum })
      return { labels, value: before === undefined ? value : difference(value, before), startTime, endTime }
    })
    if (!isDelta) return collected
    startTime = endTime
    return collected.filter(({ value }) => total(value.counts) > 0)
  }
}

function difference(now: Spread, before: Spread): Spread {
  return { counts: now.counts.map((count, bucket) => count - (before.counts[bucket] ?? 0)), sum: now.sum - before.sum }
}

function total(counts: Float64Array): number {
  return counts.reduce((sum, count) => sum + count, 0)
}
