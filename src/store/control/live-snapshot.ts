import type { Kysely, Transaction } from 'kysely'
import type { Snapshot } from '../../domain/snapshot.ts'
import { DatabaseAwayError } from '../engine/database-away.ts'
import type { Database } from '../engine/schema.ts'
import type { Secrets } from '../engine/secrets.ts'
import { type ControlState, type Follower, type FollowOptions, followControl } from './control-follower.ts'
import { changeControlData, controlVersion } from './control-transaction.ts'
import { loadSnapshot } from './snapshot.ts'

/** The control data that calls are served with, kept in step with the database. */
export interface LiveSnapshot {
  current(): Snapshot
  /** Makes a change in one transaction; when it resolves, the next call is served with it. */
  change<T>(change: (transaction: Transaction<Database>) => Promise<T>): Promise<T>
  /** Follows changes that other processes make, until it is stopped. */
  follow(options: Omit<FollowOptions, 'version' | 'reload'>): void
  /** Called at once with every new snapshot; a change has been made only when that has resolved. */
  tell(listener: (snapshot: Snapshot) => Promise<void>): void
  stop(): void
  /** How far it is behind what other processes have changed; an embedded one is never. */
  state(): ControlState
  /** What is asked of the database; rejects soon when that is known to be away, however long the question would hang. */
  orAway<T>(work: Promise<T>): Promise<T>
}

const IN_STEP: ControlState = { behindSince: null, lastError: null }
const LOOK_MS = 1_000
const [SHORTEST_WAIT_MS, LONGEST_WAIT_MS] = [1_000, 86_400_000]

export async function openLiveSnapshot(db: Kysely<Database>, secrets: Secrets): Promise<LiveSnapshot> {
  let version = await controlVersion(db)
  let snapshot = await loadSnapshot(db, secrets)
  let reloading: Promise<void> = Promise.resolve()
  let follower: Follower | null = null
  let openings: NodeJS.Timeout | undefined
  let tell = async (_snapshot: Snapshot): Promise<void> => {}

  /** One after the other, each reading what is there when its turn comes: an older state never replaces a newer. */
  function reload(): Promise<void> {
    const next = reloading
      .catch(() => {})
      .then(async () => {
        const read = await controlVersion(db)
        snapshot = await loadSnapshot(db, secrets)
        awaitOpenings()
        const passedOn = tell(snapshot)
        version = read
        await passedOn
      })
    reloading = next
    return next
  }

  /** Limits follow the clock where an opening spend or a correction ends with its period. */
  function awaitOpenings(): void {
    clearTimeout(openings)
    const { openingsEnd, correctionsEnd } = snapshot
    const end = Math.min(openingsEnd ?? Number.POSITIVE_INFINITY, correctionsEnd ?? Number.POSITIVE_INFINITY)
    if (end === Number.POSITIVE_INFINITY) return
    const wait = Math.min(Math.max(SHORTEST_WAIT_MS, end - Date.now()), LONGEST_WAIT_MS)
    openings = setTimeout(() => void reload().catch(() => awaitOpenings()), wait).unref()
  }
  awaitOpenings()

  const state = () => follower?.state() ?? IN_STEP
  return {
    current: () => snapshot,
    state,
    orAway: (work) => orAway(work, state),
    async change(change) {
      const result = await changeControlData(db, change)
      await reload()
      return result
    },
    follow(options) {
      follower = followControl({ ...options, version: () => version, reload })
    },
    tell(listener) {
      tell = listener
    },
    stop() {
      clearTimeout(openings)
      follower?.stop()
    },
  }
}

async function orAway<T>(work: Promise<T>, state: () => ControlState): Promise<T> {
  const { promise: away, reject } = Promise.withResolvers<never>()
  const look = setInterval(() => {
    const { behindSince, lastError } = state()
    if (behindSince !== null) reject(new DatabaseAwayError(lastError ?? 'the database does not answer'))
  }, LOOK_MS).unref()
  try {
    return await Promise.race([work, away])
  } finally {
    clearInterval(look)
  }
}
