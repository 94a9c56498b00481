import { setTimeout as sleep } from 'node:timers/promises'
import { type Connection, openConnection, outcomeOf } from './connection.ts'
import type { Window } from './core-watch.ts'
import { type Percentiles, Samples } from './percentiles.ts'
import { preciseNow } from './precise-timer.ts'
import { type ProcessUsage, readUsage } from './process-usage.ts'

export interface ClosedLoopOrder {
  url: string
  /** More of the same: connections go to all of them in turn. */
  others?: readonly string[]
  request: Buffer
  connections: number
  warmupSeconds: number
  seconds: number
  /** It does not end with fewer: on a starved machine seconds alone say little. */
  leastRequests?: number
  /** How long they are waited for. */
  extensionSeconds?: number
  /** Whose CPU time is measured over the same window; null for none. */
  pid: number | null
}

export interface ClosedLoopResult {
  requests: number
  /** Answered with 503 `overloaded`. */
  shed: number
  /** Any other answer than 200, and connections that broke. */
  errors: number
  /** The first failure in words; null when there was none. */
  firstError: string | null
  seconds: number
  latencyMs: Percentiles
  usage: { before: ProcessUsage; after: ProcessUsage } | null
  window: Window
  /** What the load itself cost. */
  loadMicrosecondsPerRequest: number
}

const LEAST_REQUESTS = 10
const LONGEST_EXTENSION_SECONDS = 20
const RECONNECT_MS = 20
const LOOK_MS = 50

/** Each connection sends its next request when the last one is answered: finds out how much a process can take. */
export async function runClosedLoop(order: ClosedLoopOrder): Promise<ClosedLoopResult> {
  const traffic = startTraffic(order)
  const { leastRequests: least = LEAST_REQUESTS, extensionSeconds: extension = LONGEST_EXTENSION_SECONDS } = order
  await sleep(order.warmupSeconds * 1000)
  traffic.reset()
  const before = order.pid === null ? null : readUsage(order.pid)
  const own = process.cpuUsage()
  const fromMs = preciseNow()
  await sleep(order.seconds * 1000)
  // A starved machine may not have answered once by then; a window without a request would measure nothing.
  await untilAnswered(traffic, least, extension)
  const toMs = preciseNow()
  const after = order.pid === null ? null : readUsage(order.pid)
  const { user, system } = process.cpuUsage(own)
  const measured = traffic.stop()
  return {
    ...measured,
    seconds: (toMs - fromMs) / 1000,
    window: { fromMs, toMs },
    usage: before === null || after === null ? null : { before, after },
    loadMicrosecondsPerRequest: (user + system) / Math.max(1, measured.requests),
  }
}

async function untilAnswered(traffic: { answered(): number }, least: number, seconds: number): Promise<void> {
  const until = performance.now() + seconds * 1000
  while (traffic.answered() < least && performance.now() < until) await sleep(LOOK_MS)
}

function startTraffic({ url, others = [], request, connections }: ClosedLoopOrder) {
  const addresses = [url, ...others].map((address) => new URL(address))
  const latencies = new Samples()
  const open = new Set<Connection>()
  let shed = 0
  let errors = 0
  let firstError: string | null = null
  let stopped = false
  const fail = (why: string) => {
    errors += 1
    firstError ??= why
  }

  function start(address: URL): void {
    let began = 0
    const connection = openConnection(address, {
      onAnswer(status, excerpt) {
        const now = performance.now()
        const outcome = outcomeOf(status, excerpt)
        if (outcome.kind === 'ok') latencies.add(now - began)
        else if (outcome.kind === 'shed') shed += 1
        else fail(outcome.why)
        began = now
        connection.send(request)
      },
      onBroken(reason) {
        open.delete(connection)
        fail(reason)
        if (!stopped) setTimeout(start, RECONNECT_MS, address)
      },
    })
    open.add(connection)
    began = performance.now()
    connection.send(request)
  }

  for (let count = 0; count < connections; count++) start(addresses[count % addresses.length] ?? new URL(url))
  return {
    answered: () => latencies.count,
    reset() {
      latencies.clear()
      shed = 0
      errors = 0
      firstError = null
    },
    stop() {
      stopped = true
      for (const connection of open) connection.close()
      return { requests: latencies.count, shed, errors, firstError, latencyMs: latencies.percentiles() }
    },
  }
}
