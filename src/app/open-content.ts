import type { Kysely } from 'kysely'
import { type ContentKeeper, createContentKeeper } from '../content/keeper.ts'
import { deleteExpiredContent } from '../content/stored.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import { isAway } from '../store/engine/database-away.ts'
import type { Database } from '../store/engine/schema.ts'
import type { Secrets } from '../store/engine/secrets.ts'
import { errorText } from '../store/engine/store-error.ts'
import type { Log } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { ThreadSettings } from './call-deps.ts'
import { shareOf } from './config.ts'
import { targetOf } from './open-spool.ts'

export interface ContentParts {
  settings: Pick<ThreadSettings, 'DATA_DIR' | 'DATABASE_URL' | 'SPOOL_SYNC'>
  store: { secrets: Pick<Secrets, 'contentKeys'> }
  /** Of how many threads this is one. */
  threads: number
  metrics: Metrics
  log: Log
}

/** What calls say may take so much memory until the database has it; beyond that it is dropped. */
const MOST_BYTES = 64 * 1024 * 1024

/** Of one thread that serves calls. Its worker starts with the first call whose workspace stores content. */
export function openContent({ settings, store, threads, metrics, log }: ContentParts): ContentKeeper {
  const [key] = store.secrets.contentKeys
  const target = targetOf(settings.DATA_DIR, settings.DATABASE_URL ?? null)
  return createContentKeeper({
    worker: key === undefined ? null : { target, synchronousFull: settings.SPOOL_SYNC === 'full', key },
    maxBytes: shareOf(MOST_BYTES, threads),
    onStored: (calls) => metrics.contentStored.add(calls),
    onDropped: (calls, reason) => metrics.contentDropped.add(calls, [reason]),
    onProblem: (error) => log.error({ err: error }, 'the worker that stores content died'),
  })
}

export interface RetentionParts {
  store: { db: Kysely<Database> }
  live: { current(): Pick<Snapshot, 'workspaces'> }
  now(): number
  log: Log
}

const EVERY_MS = 60_000
const PAUSE_MS = 50

export interface KeptRetention {
  sweep(): Promise<void>
  stop(): Promise<void>
}

/** Deletes content whose time is over, once a minute; every node does. */
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
