import { Pool } from 'undici'
import { type ProcessUsage, readUsage } from './process-usage.ts'

/** What main.ts hands over, as one JSON argument. */
export interface LoadOrder {
  url: string
  path: string
  headers: Record<string, string>
  body: string
  connections: number
  warmupSeconds: number
  seconds: number
  /** Whose CPU time is measured over the same window; null for none. */
  pid: number | null
}

/** What comes back, as one line of JSON. */
export interface LoadResult {
  requests: number
  /** Answers other than 200, and calls that broke. */
  errors: number
  seconds: number
  latencyMs: { p50: number; p99: number; max: number }
  usage: { before: ProcessUsage; after: ProcessUsage } | null
}

const LEAST_REQUESTS = 10
const LONGEST_EXTENSION_SECONDS = 20

/** A closed loop: each connection sends its next request when the last one is answered. */
async function runLoad(order: LoadOrder): Promise<LoadResult> {
  const pool = new Pool(order.url, { connections: order.connections, pipelining: 1 })
  const request = { method: 'POST', path: order.path, headers: order.headers, body: order.body } as const
  let latencies: number[] = []
  let errors = 0
  let stopped = false
  const loop = async () => {
    while (!stopped) {
      const began = performance.now()
      try {
        const { statusCode, body } = await pool.request(request)
        await body.arrayBuffer()
        if (statusCode !== 200) errors += 1
      } catch {
        errors += 1
      }
      latencies.push(performance.now() - began)
    }
  }
  const loops = Array.from({ length: order.connections }, loop)
  await seconds(order.warmupSeconds)
  latencies = []
  errors = 0
  const before = order.pid === null ? null : readUsage(order.pid)
  const began = performance.now()
  await seconds(order.seconds)
  // A starved machine may not have answered once by then; a window without a request would measure nothing.
  for (let extra = 0; latencies.length < LEAST_REQUESTS && extra < LONGEST_EXTENSION_SECONDS; extra++) await seconds(1)
  const elapsed = (performance.now() - began) / 1000
  const after = order.pid === null ? null : readUsage(order.pid)
  const measured = latencies
  const failed = errors
  // What ends from here on lies outside the window.
  latencies = []
  stopped = true
  await Promise.all(loops)
  await pool.close()
  return {
    requests: measured.length - failed,
    errors: failed,
    seconds: elapsed,
    latencyMs: percentiles(Float64Array.from(measured).sort()),
    usage: before === null || after === null ? null : { before, after },
  }
}

function seconds(count: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, count * 1000))
}

function percentiles(sorted: Float64Array): LoadResult['latencyMs'] {
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99), max: at(1) }
}

process.stdout.write(`${JSON.stringify(await runLoad(JSON.parse(process.argv[2] ?? '') as LoadOrder))}\n`)
