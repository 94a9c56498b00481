import type { Kysely, Transaction } from 'kysely'
import type { Snapshot } from '../domain/snapshot.ts'
import { changeControlData, controlVersion } from './control-transaction.ts'
import type { StoreLog } from './ledger.ts'
import type { Database } from './schema.ts'
import type { Secrets } from './secrets.ts'
import { loadSnapshot } from './snapshot.ts'
import { errorText } from './store-error.ts'

/** The control data that calls are served with, kept in step with the database. */
export interface LiveSnapshot {
  current(): Snapshot
  /** Makes a change in one transaction; when it resolves, the next call is served with it. */
  change<T>(change: (transaction: Transaction<Database>) => Promise<T>): Promise<T>
  /** Follows changes that other processes make; returns how to stop. */
  follow(everyMs: number, log: StoreLog): () => void
}

export async function openLiveSnapshot(db: Kysely<Database>, secrets: Secrets): Promise<LiveSnapshot> {
  let version = await controlVersion(db)
  let snapshot = await loadSnapshot(db, secrets)
  let reloading: Promise<void> = Promise.resolve()

  /** One after the other, each reading what is there when its turn comes: an older state never replaces a newer. */
  function reload(): Promise<void> {
    const next = reloading
      .catch(() => {})
      .then(async () => {
        const read = await controlVersion(db)
        snapshot = await loadSnapshot(db, secrets)
        version = read
      })
    reloading = next
    return next
  }

  return {
    current: () => snapshot,
    async change(change) {
      const result = await changeControlData(db, change)
      await reload()
      return result
    },
    follow(everyMs, log) {
      let failing = false
      const timer = setInterval(async () => {
        try {
          if ((await controlVersion(db)) !== version) await reload()
          failing = false
        } catch (error) {
          if (!failing) log.warn({ error: errorText(error) }, 'changes made elsewhere cannot be seen at the moment')
          failing = true
        }
      }, everyMs).unref()
      return () => clearInterval(timer)
    },
  }
}
