import type { Kysely } from 'kysely'
import type { Database } from '../engine/schema.ts'
import type { Secrets } from '../engine/secrets.ts'
import { listChannels, resealedChannel } from './alert-channels.ts'
import { changeControlData } from './control-transaction.ts'
import { resealed, sealedIn } from './providers.ts'

export interface Rotation {
  reEncrypted: number
  alreadyCurrent: number
}

/**
 * Encrypts every stored secret with the first key of the ring, all or none: afterwards the other keys may go. One that
 * no key of the ring opens is a StoreError that names it.
 */
export async function rotateSecrets(db: Kysely<Database>, secrets: Secrets): Promise<Rotation> {
  return changeControlData(db, async (transaction) => {
    let stored = 0
    let reEncrypted = 0
    for (const row of await transaction.selectFrom('providers').selectAll().execute()) {
      stored += sealedIn(row).length
      const columns = resealed(row, secrets)
      const count = Object.keys(columns).length
      if (count === 0) continue
      reEncrypted += count
      await transaction.updateTable('providers').set(columns).where('name', '=', row.name).execute()
    }
    for (const row of await listChannels(transaction)) {
      if (row.secret_encrypted !== null) stored += 1
      const sealed = resealedChannel(row, secrets)
      if (sealed === null) continue
      reEncrypted += 1
      await transaction
        .updateTable('alert_channels')
        .set({ secret_encrypted: sealed })
        .where('id', '=', row.id)
        .execute()
    }
    return { reEncrypted, alreadyCurrent: stored - reEncrypted }
  })
}
