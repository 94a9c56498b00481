import { setTimeout as sleep } from 'node:timers/promises'
import { type ConnectionOptions, createConnections } from './connections.ts'
import { type Percentiles, percentilesOf } from './percentiles.ts'
import { type ProcessUsage, readUsage } from './process-usage.ts'

export interface ClosedLoopOptions extends ConnectionOptions {
  warmupSeconds: number
  seconds: number
  /** The process whose CPU time is measured over the same window. */
  pid: number | null
  /** Waits for the last answers, so that no call costs CPU without being counted. */
  drain?: boolean
}

export interface ClosedLoopResult {
  requests: number
  /** Answered with 503 `overloaded`. */
  shed: number
  /** Any other status than 200, and broken connections. */
  errors: number
  firstError: string | null
  seconds: number
  latencyMs: Percentiles
  /** CPU time used within the window, and memory at its end; null without a process or without `/proc`. */
  usage: ProcessUsage | null
}

/** On a starved machine the window is extended until it has this many answers, within a limit. */
const MINIMUM_REQUESTS = 10
const MAXIMUM_EXTENSION_MS = 20_000
const RETRY_MS = 20
const POLL_MS = 50
const STAGGER_MS = 200

/** Each connection sends its next request when the last one is answered: finds out how much a process can take. */
export async function runClosedLoop(options: ClosedLoopOptions): Promise<ClosedLoopResult> {
  const traffic = startTraffic(options)
  await sleep(options.warmupSeconds * 1000)
  traffic.reset()
  const usage = startUsage(options.pid)
  const began = performance.now()
  await sleep(options.seconds * 1000)
  const until = performance.now() + MAXIMUM_EXTENSION_MS
  while (traffic.answered() < MINIMUM_REQUESTS && performance.now() < until) await sleep(POLL_MS)
  if (options.drain === true) traffic.sendNoMore()
  while (options.drain === true && traffic.inFlight() > 0 && performance.now() < until) await sleep(POLL_MS)
  const seconds = (performance.now() - began) / 1000
  return { seconds, usage: usage(), ...traffic.stop() }
}

function startUsage(pid: number | null): () => ProcessUsage | null {
  const before = pid === null ? null : readUsage(pid)
  return () => {
    const after = pid === null ? null : readUsage(pid)
    if (before === null || after === null) return null
    return {
      cpuMicroseconds: after.cpuMicroseconds - before.cpuMicroseconds,
      servingMicroseconds: after.servingMicroseconds - before.servingMicroseconds,
      rssBytes: after.rssBytes,
    }
  }
}

function startTraffic(options: ClosedLoopOptions) {
  const connections = createConnections(options)
  let latencies: number[] = []
  let counts = { shed: 0, errors: 0, firstError: null as string | null }
  let stopped = false

  function call(): void {
    if (stopped) return
    const began = performance.now()
    connections.send((outcome) => {
      if (outcome.kind === 'ok') latencies.push(performance.now() - began)
      else if (outcome.kind === 'shed') counts.shed += 1
      else {
        counts.errors += 1
        counts.firstError ??= outcome.why
      }
      if (outcome.kind === 'failed') setTimeout(call, RETRY_MS)
      else call()
    })
  }

  // Not all at once: answers of equal length would then end at once as well, for as long as the load lasts.
  for (let count = 0; count < options.connections; count++) setTimeout(call, Math.random() * STAGGER_MS)
  return {
    answered: () => latencies.length,
    inFlight: connections.inFlight,
    sendNoMore() {
      stopped = true
    },
    reset() {
      latencies = []
      counts = { shed: 0, errors: 0, firstError: null }
    },
    stop() {
      stopped = true
      connections.close()
      return { requests: latencies.length, ...counts, latencyMs: percentilesOf(latencies) }
    },
  }
}
