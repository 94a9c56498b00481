import type { Kysely } from 'kysely'
import type { Severity } from '../../domain/alerts/alert.ts'
import type { AlertChannel, ChannelKind } from '../../domain/alerts/channel.ts'
import type { AlertChannelRow, Database } from '../engine/schema.ts'
import type { Secrets } from '../engine/secrets.ts'

/** Throws a StoreError that names the channel when its secret cannot be decrypted. */
export function channelFromRow(row: AlertChannelRow, secrets: Secrets): AlertChannel {
  return {
    id: row.id,
    name: row.name,
    kind: row.kind as ChannelKind,
    isEnabled: row.enabled === 1,
    minSeverity: row.min_severity as Severity,
    options: JSON.parse(row.options),
    secret: row.secret_encrypted === null ? null : secrets.decrypt(row.secret_encrypted, secretContext(row.id)),
    createdAt: row.created_at,
  }
}

export async function listChannels(db: Kysely<Database>): Promise<AlertChannelRow[]> {
  return db.selectFrom('alert_channels').selectAll().orderBy('name').execute()
}

export async function findChannel(db: Kysely<Database>, id: string): Promise<AlertChannelRow | null> {
  return (await db.selectFrom('alert_channels').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
}

/** Writes the whole channel, new or not. */
export async function putChannel(
  db: Kysely<Database>,
  secrets: Secrets,
  channel: AlertChannel,
  now: number,
): Promise<void> {
  const content = {
    name: channel.name,
    kind: channel.kind,
    options: JSON.stringify(channel.options),
    secret_encrypted: channel.secret === null ? null : secrets.encrypt(channel.secret, secretContext(channel.id)),
    min_severity: channel.minSeverity,
    enabled: channel.isEnabled ? 1 : 0,
    updated_at: now,
  }
  await db
    .insertInto('alert_channels')
    .values({ id: channel.id, created_at: channel.createdAt, ...content })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(content))
    .execute()
}

/** What waits for it goes with it. */
export async function deleteChannel(db: Kysely<Database>, id: string): Promise<void> {
  await db.deleteFrom('alert_deliveries').where('channel_id', '=', id).execute()
  await db.deleteFrom('alert_channels').where('id', '=', id).execute()
}

/** The row's secret, re-encrypted; null when the current key encrypted it, or there is none. */
export function resealedChannel(row: AlertChannelRow, secrets: Secrets): string | null {
  const { secret_encrypted: sealed, id } = row
  if (sealed === null || secrets.isCurrent(sealed)) return null
  return secrets.encrypt(secrets.decrypt(sealed, secretContext(id)), secretContext(id))
}

/** Binds a secret to its place, so that a ciphertext copied to another row does not open there. */
function secretContext(id: string): string {
  return `secret of the alert channel "${id}"`
}
