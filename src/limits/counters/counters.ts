import type { LimitsWhenDown } from '../policy.ts'
import type { SpendLedger } from '../spend-ledger.ts'
import { Bookings, type CountedCall } from './bookings.ts'
import { openConnection } from './connection.ts'
import { trueEnd } from './holds.ts'
import { type CountersLog, LeaseKeeper } from './lease-keeper.ts'
import { type CountersEvents, CountersLedger } from './ledger.ts'
import type { RequestLogView } from './request-log.ts'
import type { Unbooked } from './unbooked.ts'

export interface CountersOptions {
  url: string
  /** Prefix of all keys of this installation; it must contain a hash tag. */
  prefix: string
  node: string
  policy: LimitsWhenDown
  leaseMs: number
  requestLog: RequestLogView
  unbooked: Unbooked
  events: CountersEvents
  log: CountersLog
  /** For tests. */
  mostDeferred?: number
  /** Unix milliseconds. */
  now(): number
}

export interface Counters {
  ledger: SpendLedger
  /** False: not ready within this time; connecting continues in the background. */
  ready(withinMs: number): Promise<boolean>
  state(): CountersState
  /** Books what can be booked now and returns the lease. */
  stop(): Promise<void>
}

export interface CountersState {
  up: boolean
  /** Why not. */
  problem: string | null
  /** Finished calls that are not booked yet. */
  deferred: number
}

/** After this time without an answer, calls continue without the counters. */
const WAIT_MS = 2_000
/** How long an answer under a hard budget waits for its booking. */
const SETTLE_WAIT_MS = 10_000
/** Bounds the memory. Beyond this number calls are booked from the log, which has all of them. */
const MOST_DEFERRED = 100_000
const STOP_WAIT_MS = 2_000

/** The shared counters, as seen by one node. */
export function openCounters(options: CountersOptions): Counters {
  const { url, prefix, node, policy, events, log, unbooked } = options
  const running = new Map<string, CountedCall>()
  let wasUp = true
  const leases = new LeaseKeeper({
    ...options,
    connection: () => connection,
    running,
    onUsable: () => void bookings.drain(),
  })
  const connection = openConnection({
    url,
    prefix,
    waitMs: WAIT_MS,
    onUp() {
      wasUp = true
      leases.onUp()
    },
    onDown(problem) {
      leases.onDown()
      if (wasUp)
        log.warn({ problem, limits_when_down: policy ?? 'refuse hard budgets' }, 'the shared counters are unavailable')
      wasUp = false
    },
  })
  const parts = {
    connection,
    node,
    running,
    isUsable: () => leases.isUsable(),
    onLost: () => leases.onLost(),
    onSequence: (sequence: number) => leases.onSequence(sequence),
    onOverflow: () => leases.onOverflow(),
    unbooked,
    now: () => leases.now(),
    clock: () => '',
    async isLogged(call: { id: string; startedAt: number }) {
      await options.requestLog.caughtUp()
      return trueEnd((await options.requestLog.readEnds([call])).get(call.id)) !== null
    },
  }
  const bookings = new Bookings({ ...parts, most: options.mostDeferred ?? MOST_DEFERRED })
  return {
    ledger: new CountersLedger({ ...parts, bookings, policy, events, settleWaitMs: SETTLE_WAIT_MS }),
    ready: (withinMs) => inTime(leases.ready, withinMs),
    state: () => ({ up: leases.isUsable(), problem: problemOf(), deferred: bookings.deferred }),
    async stop() {
      const deadline = performance.now() + STOP_WAIT_MS
      while (running.size > 0 && leases.isUsable() && performance.now() < deadline) {
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
      // It may still wait for a database that is down.
      await inTime(leases.stop(), STOP_WAIT_MS)
      await connection.close()
    },
  }

  function problemOf(): string | null {
    if (leases.isUsable()) return null
    return connection.problem() ?? leases.problem ?? 'the counters are being rebuilt from the request log'
  }
}

async function inTime(work: Promise<unknown>, ms: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => late.resolve(false), ms)
  try {
    return await Promise.race([work.then(() => true), late.promise])
  } finally {
    clearTimeout(timer)
  }
}
