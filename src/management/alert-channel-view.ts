import type { Severity } from '../domain/alerts/alert.ts'
import type { ChannelKind, ChannelOptions } from '../domain/alerts/channel.ts'
import type { AlertChannelRow } from '../store/engine/schema.ts'
import { timestamp } from './contract/fields.ts'

/** What follows the host is often a secret that identifies the sender. */
function shownAddress(url: string): string {
  const { origin, pathname, search } = new URL(url)
  return pathname === '/' && search === '' ? origin : `${origin}/…`
}

/** Without its secret, for the audit log too. */
export function channelSettings(row: AlertChannelRow) {
  const { url, host, port, tls, username, from, to } = JSON.parse(row.options) as ChannelOptions
  return {
    id: row.id,
    name: row.name,
    kind: row.kind as ChannelKind,
    enabled: row.enabled === 1,
    min_severity: row.min_severity as Severity,
    url: url === undefined ? null : shownAddress(url),
    host: host ?? null,
    port: port ?? null,
    tls: tls ?? null,
    username: username ?? null,
    from: from ?? null,
    to: to ?? null,
    has_secret: row.secret_encrypted !== null,
    created_at: timestamp(row.created_at),
  }
}
