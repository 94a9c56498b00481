import type { Kysely } from 'kysely'
import type { Snapshot } from '../domain/snapshot.ts'
import { isAway } from '../store/engine/database-away.ts'
import type { Database } from '../store/engine/schema.ts'
import { errorText, type StoreLog } from '../store/engine/store-error.ts'
import { deleteExpiredContent } from './stored.ts'

export interface RetentionParts {
  store: { db: Kysely<Database> }
  live: { current(): Pick<Snapshot, 'workspaces'> }
  now(): number
  log: Pick<StoreLog, 'warn'>
}

const EVERY_MS = 60_000
const PAUSE_MS = 50

export interface KeptRetention {
  sweep(): Promise<void>
  stop(): Promise<void>
}

/** Deletes expired content once a minute, on every node. */
export function keepContentRetention({ store, live, now, log }: RetentionParts): KeptRetention {
  let isStopped = false
  let running: Promise<void> = Promise.resolve()
  const pause = () => new Promise<void>((resolve) => setTimeout(resolve, PAUSE_MS))
  async function sweep(): Promise<void> {
    const workspaces = [...live.current().workspaces].flatMap(([name, { content }]) =>
      content === null ? [] : [[name, content] as const],
    )
    try {
      await deleteExpiredContent(store.db, { now: now(), workspaces, pause, isStopped: () => isStopped })
    } catch (error) {
      if (!isAway(error)) log.warn({ error: errorText(error) }, 'old content could not be deleted')
    }
  }
  const timer = setInterval(() => {
    running = running.then(sweep)
  }, EVERY_MS).unref()
  return {
    sweep,
    async stop() {
      isStopped = true
      clearInterval(timer)
      await running
    },
  }
}
