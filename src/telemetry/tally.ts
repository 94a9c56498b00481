import type { Metric, Registry } from 'prom-client'

/**
 * Counters and histograms that cost a call almost nothing: the cell of a set of labels is found by one lookup per
 * label. prom-client validates, sorts and hashes an object of labels each time, which is many times slower. It still
 * exports them: they implement its protocol.
 */
export interface TallyOptions {
  name: string
  help: string
  labels?: readonly string[]
  /** None: it is read by other ways. */
  registry?: Registry
}

interface Exposed {
  name: string
  help: string
  type: 'counter' | 'gauge' | 'histogram'
  values: { metricName?: string; labels: Record<string, string | number>; value: number }[]
  aggregator: 'sum'
}

export interface Series<Value> {
  labels: Record<string, string>
  value: Value
}

abstract class Labelled<Value> {
  readonly name: string
  readonly help: string
  readonly #labels: readonly string[]
  readonly #tree: Tree<Series<Value>> = new Map()
  readonly #series: Series<Value>[] = []

  constructor({ name, help, labels = [], registry }: TallyOptions) {
    this.name = name
    this.help = help
    this.#labels = labels
    registry?.registerMetric(this as unknown as Metric)
  }

  protected abstract nothing(): Value
  abstract get(): Exposed

  protected at(values: readonly string[]): Series<Value> {
    let found: Tree<Series<Value>> | Series<Value> | undefined = this.#tree
    for (const value of values) found = (found as Tree<Series<Value>> | undefined)?.get(value)
    // The leaf of a series without labels hangs on an empty name.
    if (values.length === 0) found = this.#tree.get('')
    return (found as Series<Value> | undefined) ?? this.#begin(values)
  }

  protected all(): Series<Value>[] {
    // As prom-client does: without labels there is always a figure, be it 0.
    if (this.#labels.length === 0) this.at([])
    return this.#series
  }

  #begin(values: readonly string[]): Series<Value> {
    const labels = Object.fromEntries(this.#labels.map((label, place) => [label, values[place] ?? '']))
    const series = { labels, value: this.nothing() }
    this.#series.push(series)
    let branch = this.#tree
    for (const value of values.slice(0, -1)) {
      const next = (branch.get(value) ?? new Map()) as Tree<Series<Value>>
      branch.set(value, next)
      branch = next
    }
    branch.set(values.at(-1) ?? '', series)
    return series
  }
}

/** One level for each label; the last holds the series. */
type Tree<Leaf> = Map<string, Tree<Leaf> | Leaf>

const NO_LABELS: readonly string[] = []

/** What only grows, or with `gauge` also shrinks. */
export class Tally extends Labelled<number> {
  readonly #type: 'counter' | 'gauge'

  constructor(options: TallyOptions, type: 'counter' | 'gauge' = 'counter') {
    super(options)
    this.#type = type
  }

  protected nothing(): number {
    return 0
  }

  /** Values in the order of the labels. */
  add(amount = 1, labels = NO_LABELS): void {
    this.at(labels).value += amount
  }

  /** Of one without labels. */
  get value(): number {
    return this.at(NO_LABELS).value
  }

  get(): Exposed {
    return { name: this.name, help: this.help, type: this.#type, values: this.all(), aggregator: 'sum' }
  }
}

export interface Spread {
  /** By bucket, not yet added up; the last is for what exceeds every bound. */
  counts: Float64Array
  sum: number
}

/** How many fell under which bound. */
export class Distribution extends Labelled<Spread> {
  readonly #bounds: readonly number[]

  constructor(options: TallyOptions & { bounds: readonly number[] }) {
    super(options)
    this.#bounds = options.bounds
  }

  protected nothing(): Spread {
    return { counts: new Float64Array(this.#bounds.length + 1), sum: 0 }
  }

  observe(amount: number, labels = NO_LABELS): void {
    const { value } = this.at(labels)
    let bucket = 0
    while (amount > (this.#bounds[bucket] ?? Number.POSITIVE_INFINITY)) bucket += 1
    value.counts[bucket] = (value.counts[bucket] ?? 0) + 1
    value.sum += amount
  }

  get series(): readonly Series<Spread>[] {
    return this.all()
  }

  get(): Exposed {
    const values = this.all().flatMap((series) => this.#lines(series))
    return { name: this.name, help: this.help, type: 'histogram', values, aggregator: 'sum' }
  }

  #lines({ labels, value }: Series<Spread>): Exposed['values'] {
    const lines: Exposed['values'] = []
    let count = 0
    for (const [bucket, here] of value.counts.entries()) {
      count += here
      lines.push({
        metricName: `${this.name}_bucket`,
        labels: { le: this.#bounds[bucket] ?? '+Inf', ...labels },
        value: count,
      })
    }
    lines.push({ metricName: `${this.name}_sum`, labels, value: value.sum })
    lines.push({ metricName: `${this.name}_count`, labels, value: count })
    return lines
  }
}
