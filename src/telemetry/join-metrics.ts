import { type Metric, Registry } from 'prom-client'

/** The figures of one thread, as they travel between threads. */
export interface ThreadMetrics {
  /** Its number, or `main`. */
  thread: string
  figures: MetricFigures[]
}

export interface MetricFigures {
  name: string
  help: string
  type: string
  aggregator: string
  values: { metricName?: string; labels: Readonly<Record<string, string | number>>; value: number }[]
}

/** They say something of one thread only: a sum would hide which. */
const PER_THREAD: ReadonlySet<string> = new Set(['switchyard_event_loop_delay_seconds', 'switchyard_connections'])

const JOINED: Readonly<Record<string, (a: number, b: number) => number>> = {
  sum: (a, b) => a + b,
  max: Math.max,
  min: Math.min,
}

/** The metrics of all threads as the text of one gateway. */
export function joinMetrics(threads: readonly ThreadMetrics[]): Promise<string> {
  const joined = new Map<string, MetricFigures>()
  for (const { thread, figures } of threads) {
    for (const metric of figures) {
      const mine = PER_THREAD.has(metric.name) ? withThread(metric, thread) : metric
      const known = joined.get(metric.name)
      if (known === undefined) joined.set(metric.name, { ...mine, values: [...mine.values] })
      else known.values = joinValues(known, mine)
    }
  }
  const registry = new Registry()
  // As Tally does: anything with a `get` can be exported.
  for (const metric of joined.values()) {
    registry.registerMetric({ name: metric.name, get: () => metric } as unknown as Metric)
  }
  return registry.metrics()
}

function withThread(metric: MetricFigures, thread: string): MetricFigures {
  const values = metric.values.map(({ labels, ...rest }) => ({ ...rest, labels: { ...labels, thread } }))
  return { ...metric, values }
}

function joinValues({ aggregator, values }: MetricFigures, more: MetricFigures): MetricFigures['values'] {
  const join = JOINED[aggregator] ?? ((first: number) => first)
  const keyOf = ({ metricName, labels }: MetricFigures['values'][number]) => JSON.stringify([metricName, labels])
  const byKey = new Map(values.map((value) => [keyOf(value), value]))
  for (const value of more.values) {
    const known = byKey.get(keyOf(value))
    byKey.set(keyOf(value), known === undefined ? value : { ...known, value: join(known.value, value.value) })
  }
  return [...byKey.values()]
}
