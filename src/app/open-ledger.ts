import type { LimitsState } from '../domain/gateway-status.ts'
import type { EachBook, EachLog } from '../limits/each/each-book.ts'
import type { RaisedBy } from '../limits/each/each-budgets.ts'
import { EachLedger } from '../limits/each/each-ledger.ts'
import { MemoryBook } from '../limits/each/memory-book.ts'
import { openElection } from '../limits/election.ts'
import type { LoggedScope } from '../limits/ledger.ts'
import type { SlotBook } from '../limits/slots/slot-book.ts'
import { SlotLedger } from '../limits/slots/slot-ledger.ts'
import { readPositions } from '../request-log/fold/position.ts'
import { type LeftCost, readLeftCosts } from '../request-log/left-costs.ts'
import { readLedger, readLoggedScopes, readScopesWithPast } from '../request-log/logged-scopes.ts'
import { createEachLog } from '../request-log/values/each-log.ts'
import { ensureInstallation } from '../store/control/installation-id.ts'
import { claimLimits, tryLimitsLock } from '../store/control/limits-lock.ts'
import { runningNodes } from '../store/control/nodes.ts'
import type { Log } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { ConfigError, type Settings } from './config.ts'
import type { Store } from './open-store.ts'

export interface LedgerParts {
  settings: Settings
  store: Store
  metrics: Metrics
  log: Log
  /** Unix milliseconds; never goes back. */
  clock(): number
  /** Where all threads count together. */
  book: SlotBook
  /** Resolves when all that is logged here so far can be read. */
  caughtUp(): Promise<void>
  /** What budgets are raised by now. */
  raisedBy: RaisedBy
}

export interface OpenedLedger {
  ledger: EachLedger
  /** Of single values; threads that serve ask this one. */
  each: EachBook
  limits(): LimitsState
  stop(): Promise<void>
}

/**
 * The start waits this long for the shared counters; connecting continues in the background. A load balancer sends calls
 * as soon as the port answers, and under a hard budget each is refused until then.
 */
const START_WAIT_MS = 10_000

const ANOTHER_ENFORCES =
  'another gateway on this database enforces the limits: limited calls are refused here. Set REDIS_URL on ' +
  'every gateway to share the counters'

/**
 * Where limits are counted: in this process, in that of one of several nodes, or in shared counters. What earlier
 * processes have spent is known when it resolves, although the database may not have it: only now is that moved there.
 */
export async function openLedger(parts: LedgerParts): Promise<OpenedLedger> {
  const { settings, store, clock } = parts
  const { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl } = settings
  const past = await store.past.read(clock())
  if (redisUrl !== undefined) {
    store.past.begin()
    return openShared(parts, redisUrl)
  }
  const first: ReadScopes = (now) => readScopesWithPast(store.db, now, past)
  const opened = databaseUrl !== undefined ? await openLone(parts, databaseUrl, first) : await openAlone(parts, first)
  store.past.begin()
  return opened
}

/** A value that has not been seen before is read only when the log has all that earlier processes have left. */
function eachLog({ store, caughtUp }: LedgerParts): EachLog {
  const log = createEachLog(store.reads, caughtUp)
  return { ...log, read: async (scopes, now) => store.past.settled().then(() => log.read(scopes, now)) }
}

type ReadScopes = (now: number) => Promise<LoggedScope[]>

async function openAlone(parts: LedgerParts, read: ReadScopes): Promise<OpenedLedger> {
  const { ledger, fill } = slotLedger(parts)
  await fill(read)
  const each = new MemoryBook(eachLog(parts), parts.clock)
  const { raisedBy } = parts
  return {
    ledger: new EachLedger(ledger, each, raisedBy),
    each,
    limits: () => ({ kind: 'memory' }),
    stop: () => each.stop(),
  }
}

function slotLedger({ clock, book, metrics }: LedgerParts) {
  const ledger = new SlotLedger(clock, book, () => metrics.limitsRefused.add())
  const fill = async (read: ReadScopes) => {
    const logged = await read(ledger.now())
    book.fill(ledger.now(), logged)
  }
  return { ledger, fill }
}

async function openShared(parts: LedgerParts, url: string): Promise<OpenedLedger> {
  const { settings, store, metrics, log, clock } = parts
  // Loaded on demand, like the PostgreSQL client.
  const { openCounters } = await import('../limits/counters/counters.ts')
  const { db, reads, requestLog, spool, node } = store
  const counters = openCounters({
    url,
    prefix: `{${settings.REDIS_PREFIX}}:`,
    installation: await ensureInstallation(db),
    node,
    policy: settings.LIMITS_WHEN_DOWN ?? null,
    leaseMs: settings.LEASE_SECONDS * 1000,
    requestLog: {
      caughtUp: () => requestLog.caughtUp(),
      reported: spool.reported,
      readTail: spool.tail,
      readLeft: async (of, now) => {
        // Read first: what is missing here has reached the database.
        const past = of === node ? store.past.left() : []
        const left = await readLeftCosts(reads, of, now)
        return [...left, ...without(past, left)]
      },
      positionOf: (of) => readPositions(db, of),
      readLedger: (now) => readLedger(reads, now),
      runningNodes: () => runningNodes(db),
    },
    eachLog: eachLog(parts),
    position: spool.lastSeq,
    events: {
      onUnchecked: () => metrics.limitsUnchecked.add(),
      onRefused: () => metrics.limitsRefused.add(),
      onWaited: (seconds) => metrics.counterSeconds.observe(seconds),
    },
    log,
    now: clock,
  })
  const isReady = await counters.ready(START_WAIT_MS).catch(async (error: Error) => {
    await counters.stop()
    throw new ConfigError(`REDIS_PREFIX: ${error.message}`)
  })
  if (!isReady) {
    log.warn(
      { ...counters.state() },
      'starting without the shared counters: LIMITS_WHEN_DOWN decides which calls are allowed',
    )
  }
  return {
    ledger: new EachLedger(counters.ledger, counters.each, parts.raisedBy),
    each: counters.each,
    limits: () => ({ kind: 'counters', ...counters.state() }),
    stop: () => counters.stop(),
  }
}

function without(left: readonly LeftCost[], known: readonly LeftCost[]): LeftCost[] {
  const ids = new Set(known.map(({ id }) => id))
  return left.filter(({ id }) => !ids.has(id))
}

/** Of several gateways one enforces. */
async function openLone(parts: LedgerParts, databaseUrl: string, first: ReadScopes): Promise<OpenedLedger> {
  const { store, log, book } = parts
  let isServing = false
  const { ledger, fill } = slotLedger(parts)
  await fill(first)
  const each = new MemoryBook(eachLog(parts), parts.clock)
  const election = await openElection({
    tryLock: (onLost) => tryLimitsLock(databaseUrl, onLost),
    claim: () => claimLimits(store.db, store.node),
    async refill() {
      if (!isServing) return fill(first)
      await parts.caughtUp()
      await fill((now) => readLoggedScopes(store.db, now))
      each.refill()
    },
    standby: book.standby,
    log,
  })
  isServing = true
  const { enforces } = election
  if (!enforces()) log.warn(ANOTHER_ENFORCES)
  return {
    ledger: new EachLedger(ledger, each, parts.raisedBy),
    each,
    limits: () => ({ kind: 'lone', enforces: enforces() }),
    async stop() {
      await each.stop()
      await election.stop()
    },
  }
}
