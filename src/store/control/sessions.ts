import type { Kysely } from 'kysely'
import type { Access } from '../../domain/access.ts'
import type { Key } from '../../domain/key.ts'
import { newId } from '../../domain/new-id.ts'
import type { Database, KeyRow, SessionRow } from '../engine/schema.ts'
import { keyFromRow } from './keys.ts'

/** A session with the admin key it was opened with. */
export interface Session {
  id: string
  key: Key
  /** What it may do now: as its key. */
  access: Access
  secretHash: string
  createdAt: number
  expiresAt: number
}

/** One of a gateway key would be nobody's: it may do nothing. */
const NO_ACCESS: Access = { role: 'viewer', workspaces: [] }

/** Also clears away what has expired: nothing else does, and nothing else needs to. */
export async function createSession(
  db: Kysely<Database>,
  { key, secretHash, expiresAt }: { key: Key; secretHash: string; expiresAt: number },
  now: number,
): Promise<Session> {
  await db.deleteFrom('sessions').where('expires_at', '<=', now).execute()
  const row: SessionRow = {
    id: newId(now),
    key_id: key.id,
    secret_hash: secretHash,
    created_at: now,
    expires_at: expiresAt,
  }
  await db.insertInto('sessions').values(row).execute()
  return { id: row.id, key, access: key.access ?? NO_ACCESS, secretHash, createdAt: now, expiresAt }
}

/** Whether it and its key still hold, the caller decides: both come from the same moment. */
export async function findSession(db: Kysely<Database>, id: string): Promise<Session | null> {
  const row = await withKeys(db).where('sessions.id', '=', id).executeTakeFirst()
  return row === undefined ? null : sessionFromRow(row)
}

export interface SessionPage {
  /** The id that the page before ended with. */
  after: string | null
  limit: number
  now: number
  /** Only those that were opened with this key. */
  keyId?: string | undefined
}

/** Those that work now, newest first. */
export async function listSessions(
  db: Kysely<Database>,
  { after, limit, now, keyId }: SessionPage,
): Promise<Session[]> {
  let rows = withKeys(db)
    .where('sessions.expires_at', '>', now)
    .where((where) => where.or([where('keys.revoked_at', 'is', null), where('keys.revoked_at', '>', now)]))
    .where((where) => where.or([where('keys.expires_at', 'is', null), where('keys.expires_at', '>', now)]))
    .orderBy('sessions.id', 'desc')
    .limit(limit)
  if (keyId !== undefined) rows = rows.where('keys.id', '=', keyId)
  if (after !== null) rows = rows.where('sessions.id', '<', after)
  return (await rows.execute()).map(sessionFromRow)
}

/** True when there was one. */
export async function deleteSession(db: Kysely<Database>, id: string): Promise<boolean> {
  const result = await db.deleteFrom('sessions').where('id', '=', id).executeTakeFirst()
  return result.numDeletedRows === 1n
}

type JoinedRow = KeyRow & {
  session_id: string
  secret_hash: string
  session_created_at: number
  session_expires_at: number
}

function withKeys(db: Kysely<Database>) {
  return db
    .selectFrom('sessions')
    .innerJoin('keys', 'keys.id', 'sessions.key_id')
    .selectAll('keys')
    .select([
      'sessions.id as session_id',
      'sessions.secret_hash',
      'sessions.created_at as session_created_at',
      'sessions.expires_at as session_expires_at',
    ])
}

function sessionFromRow(row: JoinedRow): Session {
  const key = keyFromRow(row)
  return {
    id: row.session_id,
    key,
    access: key.access ?? NO_ACCESS,
    secretHash: row.secret_hash,
    createdAt: row.session_created_at,
    expiresAt: row.session_expires_at,
  }
}
