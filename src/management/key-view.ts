import type { Kysely } from 'kysely'
import type { z } from 'zod'
import { GatewayError } from '../domain/errors.ts'
import type { Limits } from '../domain/limits.ts'
import { exactUsd } from '../domain/pricing/price.ts'
import { keyUsage } from '../request-log/search/key-usage.ts'
import type { Database, KeyRow, KeyValueRow } from '../store/engine/schema.ts'
import { timestamp, timestampOrNull } from './contract/fields.ts'
import type { KeyNote } from './contract/keys.ts'
import { openingView } from './opening-spend.ts'

/** What every kind of key shows. */
export function identityOf(row: KeyRow) {
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    created_at: timestamp(row.created_at),
    expires_at: timestampOrNull(row.expires_at),
    revoked_at: timestampOrNull(row.revoked_at),
  }
}

/** What people set of a gateway key: what its version and the audit log are about. */
export function settingsOf(row: KeyRow) {
  return {
    ...identityOf(row),
    paused_at: timestampOrNull(row.paused_at),
    workspace: String(row.workspace),
    allowed_models: row.allowed_models === null ? null : (JSON.parse(row.allowed_models) as string[]),
    limits: row.limits === null ? null : (JSON.parse(row.limits) as Limits),
    opening_spend: openingView(row.opening),
    note: row.note === null ? null : (JSON.parse(row.note) as z.infer<typeof KeyNote>),
    managed_by: row.managed_by === 'config' ? ('config' as const) : null,
  }
}

/** Settings and use so far of these keys, read at once. */
export async function keyViewer(db: Kysely<Database>, rows: readonly KeyRow[]) {
  const ids = rows.map(({ id }) => id)
  const usage = await keyUsage(db, ids)
  return (row: KeyRow) => {
    const { lastUsedAt, spent } = usage(row.id)
    return { ...settingsOf(row), last_used_at: timestampOrNull(lastUsedAt), spent_usd: exactUsd(spent) }
  }
}

export async function toKeyView(db: Kysely<Database>, row: KeyRow) {
  return (await keyViewer(db, [row]))(row)
}

export function valueView(value: KeyValueRow) {
  return {
    id: value.id,
    prefix: value.prefix,
    created_at: timestamp(value.created_at),
    last_used_at: timestampOrNull(value.last_used_at),
    ends_at: timestampOrNull(value.ends_at),
  }
}

export function checkOwner(row: KeyRow): void {
  if (row.managed_by !== 'config') return
  throw new GatewayError(
    'managed_by_config',
    `The key '${row.name}' is managed by the configuration file. Change it in switchyard.yaml.`,
  )
}

/** In milliseconds. A key that is born dead is a mistake; to end one now there is revoke. */
export function expiry(expiresAt: string | null | undefined, now: number, field = 'expires_at'): number | null {
  if (expiresAt === null || expiresAt === undefined) return null
  const at = Date.parse(expiresAt)
  if (at > now) return at
  throw new GatewayError(
    'invalid_request',
    `${field}: must be in the future${field === 'expires_at' ? '; to end a key now, revoke it' : ''}`,
  )
}
