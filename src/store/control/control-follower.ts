import { setTimeout as sleep } from 'node:timers/promises'
import { CONTROL_CHANNEL } from '../engine/control-version.ts'
import { awayText } from '../engine/database-away.ts'
import { openSession, type PostgresSession } from '../engine/postgres-session.ts'
import type { StoreLog } from '../engine/store-error.ts'

/** How far this node is behind the control data of the database. */
export interface ControlState {
  /** Unix milliseconds: up to then it knew of every change. Null: it still does. */
  behindSince: number | null
  /** Why. */
  lastError: string | null
}

export interface Follower {
  state(): ControlState
  stop(): void
}

export interface FollowOptions {
  url: string
  log: StoreLog
  /** The version is asked for this often: a server that is down is noticed by it, and a notification that got lost. */
  everyMs: number
  /** Tests switch off one of the two ways in which a change is learnt of. */
  listens?: boolean
  polls?: boolean
  /** The version that calls are served with. */
  version(): number
  reload(): Promise<void>
}

/** Gateways that share a PostgreSQL notify each other of changes; a lost notification is noticed within this time. */
export const FOLLOW_MS = 500
const FIRST_BACKOFF_MS = 100
/** Short: a node must know of a revoked key soon after the database is back. */
const LONGEST_BACKOFF_MS = 1_000

/**
 * Learns of changes by other nodes, on its own connection: at once by notification, and by polling the version in case
 * one is lost (a pooler in between does not pass notifications on). While the database is down, calls are served with
 * the last snapshot.
 */
export function followControl(options: FollowOptions): Follower {
  const { url, log, everyMs, listens = true, polls = true, version, reload } = options
  const stopping = new AbortController()
  const state: ControlState = { behindSince: null, lastError: null }
  let knownAt = Date.now()
  let session: PostgresSession | null = null
  let notified: number | null = null
  let wakeUp = () => {}

  function succeeded(): void {
    if (state.behindSince !== null) log.info({}, 'changes by other nodes are followed again')
    knownAt = Date.now()
    state.behindSince = null
    state.lastError = null
  }

  function failed(error: unknown): void {
    if (stopping.signal.aborted) return
    const text = awayText(error)
    if (state.behindSince === null) log.warn({ error: text }, 'changes by other nodes cannot be followed at the moment')
    state.behindSince ??= knownAt
    state.lastError = text
  }

  async function follow(present: PostgresSession): Promise<void> {
    if (listens) await present.query(`listen ${CONTROL_CHANNEL}`)
    // Changes made while not listening.
    let newest = await readVersion(present)
    while (!stopping.signal.aborted) {
      if (newest !== version()) await reload()
      succeeded()
      if (notified === null) await Promise.race([pause(everyMs), new Promise<void>((resolve) => (wakeUp = resolve))])
      // Taken before the version is read: a notification during the read may be newer than its answer.
      const heard = notified
      notified = null
      const answered = await readVersion(present)
      newest = polls ? answered : (heard ?? newest)
    }
  }

  async function run(): Promise<void> {
    let backoffMs = FIRST_BACKOFF_MS
    while (!stopping.signal.aborted) {
      try {
        session = await openSession({
          url,
          onBroken: () => wakeUp(),
          onNotification(payload) {
            notified = Number(payload)
            wakeUp()
          },
        })
        backoffMs = FIRST_BACKOFF_MS
        await follow(session)
      } catch (error) {
        failed(error)
      }
      await session?.close()
      await sleep(backoffMs, undefined, { signal: stopping.signal }).catch(() => {})
      backoffMs = Math.min(2 * backoffMs, LONGEST_BACKOFF_MS)
    }
  }

  void run()
  return {
    state: () => state,
    stop() {
      stopping.abort()
      wakeUp()
    },
  }
}

function pause(ms: number): Promise<void> {
  return sleep(ms, undefined, { ref: false })
}

async function readVersion(session: PostgresSession): Promise<number> {
  const [row] = await session.query(`select value from settings where name = 'control'`)
  return Number(row?.['value'])
}
