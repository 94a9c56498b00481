import { type ContentKeeper, createContentKeeper } from '../content/keeper.ts'
import { targetOf } from '../request-log/open-spool.ts'
import type { Secrets } from '../store/engine/secrets.ts'
import type { Log } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { ThreadSettings } from './call-deps.ts'
import { shareOf } from './config.ts'

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
