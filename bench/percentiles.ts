/** Exact, of every call there was: no buckets, no estimate. */
export interface Percentiles {
  p50: number
  p90: number
  p99: number
  p999: number
  max: number
}

/** A list of numbers that grows without boxing any. */
export class Samples {
  #values = new Float64Array(16_384)
  #count = 0

  add(value: number): void {
    if (this.#count === this.#values.length) {
      const larger = new Float64Array(this.#count * 2)
      larger.set(this.#values)
      this.#values = larger
    }
    this.#values[this.#count] = value
    this.#count += 1
  }

  get count(): number {
    return this.#count
  }

  clear(): void {
    this.#count = 0
  }

  values(): Float64Array {
    return this.#values.slice(0, this.#count)
  }

  percentiles(): Percentiles {
    return percentilesOf(this.values())
  }
}

/** The smallest value that at least the given share does not exceed. */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
}

export function percentilesOf(values: Float64Array): Percentiles {
  const sorted = values.toSorted()
  const at = (share: number) => percentile(sorted, share)
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99), p999: at(0.999), max: at(1) }
}
