import type { Kysely } from 'kysely'
import { contentExpiry } from '../domain/content/expiry.ts'
import type { ContentSettings } from '../domain/content/settings.ts'
import type { Database } from '../store/engine/schema.ts'
import type { ContentKey } from '../store/engine/secrets.ts'
import type { StoredContent } from './prepare.ts'
import { unseal } from './seal.ts'

export interface FoundContent {
  id: string
  workspace: string
  storedAt: number
  expiresAt: number
  keyId: string | null
  /** Null: it was dropped. */
  sealed: string | null
  dropped: string | null
}

/** How the workspaces of a gateway store content; null: not at all. */
export type SettingsOf = (workspace: string) => ContentSettings | null

/** Null: none is stored, or it has expired. */
export async function findContent(
  db: Kysely<Database>,
  id: string,
  { settingsOf, now }: { settingsOf: SettingsOf; now: number },
): Promise<FoundContent | null> {
  const row = await db.selectFrom('request_content').selectAll().where('id', '=', id).executeTakeFirst()
  if (row === undefined) return null
  const { workspace, stored_at: storedAt, key_id: keyId, sealed, dropped } = row
  const settings = settingsOf(workspace)
  const expiresAt = Math.min(row.expires_at, settings === null ? row.expires_at : contentExpiry(settings, storedAt))
  if (expiresAt <= now) return null
  return { id, workspace, storedAt, expiresAt, keyId, sealed, dropped }
}

/** Throws UnreadableContentError where no key opens it. */
export function openContent({ id, keyId, sealed }: FoundContent, keys: readonly ContentKey[]): StoredContent | null {
  return sealed === null ? null : (JSON.parse(unseal(sealed, keyId ?? '', keys, id)) as StoredContent)
}

/** False: there was none. */
export async function deleteContent(db: Kysely<Database>, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('request_content').where('id', '=', id).executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

export async function deleteContentOf(db: Kysely<Database>, workspace: string): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('request_content')
    .where('workspace', '=', workspace)
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

/** What the first key does not open: the others must stay until then. */
export async function contentOfOtherKeys(
  db: Kysely<Database>,
  keys: readonly ContentKey[],
): Promise<{ rows: number; until: number | null }> {
  const found = await db
    .selectFrom('request_content')
    .select((select) => [select.fn.countAll().as('rows'), select.fn.max('expires_at').as('until')])
    .where('key_id', '!=', keys[0]?.id ?? '')
    .executeTakeFirstOrThrow()
  const rows = Number(found.rows)
  return { rows, until: rows === 0 ? null : Number(found.until) }
}

export interface ContentRetention {
  now: number
  /** Those that store content: a shorter retention also counts for what was stored before. */
  workspaces: Iterable<readonly [name: string, settings: Pick<ContentSettings, 'retention_days'>]>
  /** Awaited between steps, so that others get their turn. */
  pause(): Promise<void>
  isStopped?(): boolean
  stepRows?: number
}

const STEP_ROWS = 200

/** Deletes what is too old, in small steps; how many rows. Any number of nodes may do so at once. */
export async function deleteExpiredContent(db: Kysely<Database>, options: ContentRetention): Promise<number> {
  const { now } = options
  let deleted = await inSteps(db, options, (rows) => rows.where('expires_at', '<=', now).orderBy('expires_at'))
  for (const [workspace, settings] of options.workspaces) {
    const before = now - contentExpiry(settings, 0)
    deleted += await inSteps(db, options, (rows) =>
      rows.where('workspace', '=', workspace).where('stored_at', '<=', before).orderBy('stored_at'),
    )
  }
  return deleted
}

function idsOf(db: Kysely<Database>) {
  return db.selectFrom('request_content').select('id')
}
type Ids = ReturnType<typeof idsOf>

async function inSteps(
  db: Kysely<Database>,
  { pause, isStopped = () => false, stepRows = STEP_ROWS }: ContentRetention,
  which: (ids: Ids) => Ids,
): Promise<number> {
  for (let total = 0; ; ) {
    const { numDeletedRows } = await db
      .deleteFrom('request_content')
      .where('id', 'in', which(idsOf(db)).limit(stepRows))
      .executeTakeFirstOrThrow()
    total += Number(numDeletedRows)
    if (numDeletedRows < BigInt(stepRows) || isStopped()) return total
    await pause()
  }
}
