import { randomUUID } from 'node:crypto'
import type { EachBook, EachLog } from '../each/each-book.ts'
import { ServerBook } from '../each/server-book.ts'
import type { LimitsWhenDown } from '../policy.ts'
import type { SpendLedger } from '../spend-ledger.ts'
import { openConnection } from './connection.ts'
import { Leases } from './leases.ts'
import { type CountersEvents, CountersLedger } from './ledger.ts'
import { type CountersLog, Membership } from './membership.ts'
import { Reports } from './reports.ts'
import type { RequestLogView } from './request-log.ts'
import { Syncs } from './syncs.ts'

export interface CountersOptions {
  url: string
  /** Prefix of all keys of this installation; it must contain a hash tag. */
  prefix: string
  /** The id of the database. */
  installation: string
  node: string
  policy: LimitsWhenDown
  leaseMs: number
  /** A call waits no longer than this for the counters, and no call once they have been away for longer. */
  waitMs?: number
  requestLog: RequestLogView
  /** What it says of single values. */
  eachLog: EachLog
  /** The newest record of this node's spool. */
  position(): number
  events: CountersEvents
  log: CountersLog
  /** Unix milliseconds. */
  now(): number
}

export interface Counters {
  ledger: SpendLedger
  /** Of single values. */
  each: EachBook
  /**
   * False: not ready within this time; connecting continues in the background. Rejects with an AnothersCountersError
   * where another installation has the prefix.
   */
  ready(withinMs: number): Promise<boolean>
  state(): CountersState
  /** Reports what can be reported now and gives back what is leased. */
  stop(): Promise<void>
}

export interface CountersState {
  up: boolean
  /** Why not. */
  problem: string | null
}

const WAIT_MS = 2_000
const STOP_WAIT_MS = 2_000

/** The shared counters, as seen by one node. */
export function openCounters(options: CountersOptions): Counters {
  const { url, prefix, node, policy, events, log, requestLog, leaseMs, waitMs = WAIT_MS } = options
  let wasUp = true
  const leases = new Leases(options.position())
  const reports = new Reports(leases)
  const membership = new Membership({ ...options, connection: () => connection, reports, syncs: () => syncs })
  const shared = { node, leases, now: () => membership.now(), clock: () => '' }
  const syncs: Syncs = new Syncs({
    ...shared,
    reports,
    connection: () => connection,
    waitMs,
    onAnswer: (answer) => membership.onAnswer(answer),
    onLost: (isBehind) => membership.onLost(isBehind),
    onReported: (position) => requestLog.reported(position),
  })
  const connection = openConnection({
    url,
    prefix,
    waitMs,
    onUp() {
      wasUp = true
      membership.onUp()
    },
    onDown(problem) {
      membership.onDown()
      if (wasUp) {
        const whenDown = policy ?? 'refuse hard budgets'
        log.warn({ problem, limits_when_down: whenDown }, 'the shared counters are unavailable')
      }
      wasUp = false
    },
  })
  const isUsable = () => membership.isUsable()
  const each = new ServerBook({
    ...{ connection, node, owner: randomUUID(), log: options.eachLog, policy, waitMs },
    generation: () => (isUsable() ? membership.generation : 0),
    position: options.position,
    now: () => membership.now(),
  })
  return {
    ledger: new CountersLedger({ ...shared, connection, syncs, policy, events, isUsable, silentMs: leaseMs }),
    each,
    ready: (withinMs) => inTime(membership.ready, withinMs),
    state: () => ({ up: isUsable(), problem: problemOf() }),
    async stop() {
      await inTime(each.stop(), STOP_WAIT_MS)
      // It may still wait for a database that is down.
      await inTime(membership.stop(), STOP_WAIT_MS)
      await connection.close()
    },
  }

  function problemOf(): string | null {
    if (isUsable()) return null
    return connection.problem() ?? membership.problem ?? 'the counters are being rebuilt from the request log'
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
