import type { Kysely } from 'kysely'
import type { Access } from '../../domain/access.ts'
import { isUsable, type Key } from '../../domain/key.ts'
import { newId } from '../../domain/new-id.ts'
import { type Person, personName } from '../../domain/people/person.ts'
import type { Database, KeyRow, PersonRow } from '../engine/schema.ts'
import { keyFromRow } from './keys.ts'
import { personFromRow } from './people.ts'

/** Whose session it is: what they may do, they may do in it. */
export type Holder = { key: Key } | { person: Person }

export interface Session {
  id: string
  holder: Holder
  /** What it may do now: as its holder. */
  access: Access
  secretHash: string
  createdAt: number
  expiresAt: number
}

/** A session of a gateway key has no access at all. */
const NO_ACCESS: Access = { role: 'viewer', workspaces: [] }

/** Whether it and its holder are let in: both come from the same moment. */
export function isOpen({ holder, expiresAt }: Session, now: number): boolean {
  if (expiresAt <= now) return false
  return 'key' in holder ? holder.key.kind === 'admin' && isUsable(holder.key, now) : holder.person.disabledAt === null
}

export function actorOf(holder: Holder): { id: string; name: string } {
  if ('key' in holder) return { id: holder.key.id, name: holder.key.name }
  return { id: holder.person.id, name: personName(holder.person) }
}

/** Also clears away what has expired: nothing else does, and nothing else needs to. */
export async function createSession(
  db: Kysely<Database>,
  { holder, secretHash, expiresAt }: Pick<Session, 'holder' | 'secretHash' | 'expiresAt'>,
  now: number,
): Promise<Session> {
  await db.deleteFrom('sessions').where('expires_at', '<=', now).execute()
  await db.deleteFrom('person_sessions').where('expires_at', '<=', now).execute()
  const row = { id: newId(now), secret_hash: secretHash, created_at: now, expires_at: expiresAt }
  await ('key' in holder
    ? db.insertInto('sessions').values({ ...row, key_id: holder.key.id })
    : db.insertInto('person_sessions').values({ ...row, person_id: holder.person.id })
  ).execute()
  return { id: row.id, holder, access: accessOf(holder), secretHash, createdAt: now, expiresAt }
}

export async function findSession(db: Kysely<Database>, id: string): Promise<Session | null> {
  const ofKey = await withKeys(db).where('sessions.id', '=', id).executeTakeFirst()
  if (ofKey !== undefined) return keySession(ofKey)
  const ofPerson = await withPeople(db).where('person_sessions.id', '=', id).executeTakeFirst()
  return ofPerson === undefined ? null : personSession(ofPerson)
}

export interface SessionPage {
  /** The id that the page before ended with. */
  after: string | null
  limit: number
  now: number
  /** Only those of this key or person. */
  holderId?: string | undefined
}

/** Those that work now, newest first. */
export async function listSessions(db: Kysely<Database>, page: SessionPage): Promise<Session[]> {
  const both = [...(await listOfKeys(db, page)), ...(await listOfPeople(db, page))]
  return both.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, page.limit)
}

async function listOfKeys(db: Kysely<Database>, { after, limit, now, holderId }: SessionPage): Promise<Session[]> {
  let rows = withKeys(db)
    .where('sessions.expires_at', '>', now)
    .where((where) => where.or([where('keys.revoked_at', 'is', null), where('keys.revoked_at', '>', now)]))
    .where((where) => where.or([where('keys.expires_at', 'is', null), where('keys.expires_at', '>', now)]))
    .orderBy('sessions.id', 'desc')
    .limit(limit)
  if (holderId !== undefined) rows = rows.where('keys.id', '=', holderId)
  if (after !== null) rows = rows.where('sessions.id', '<', after)
  return (await rows.execute()).map(keySession)
}

async function listOfPeople(db: Kysely<Database>, { after, limit, now, holderId }: SessionPage): Promise<Session[]> {
  let rows = withPeople(db)
    .where('person_sessions.expires_at', '>', now)
    .where('people.disabled_at', 'is', null)
    .orderBy('person_sessions.id', 'desc')
    .limit(limit)
  if (holderId !== undefined) rows = rows.where('people.id', '=', holderId)
  if (after !== null) rows = rows.where('person_sessions.id', '<', after)
  return (await rows.execute()).map(personSession)
}

/** True when there was one. */
export async function deleteSession(db: Kysely<Database>, { id, holder }: Session): Promise<boolean> {
  const table = 'key' in holder ? 'sessions' : 'person_sessions'
  const result = await db.deleteFrom(table).where('id', '=', id).executeTakeFirst()
  return result.numDeletedRows === 1n
}

interface SessionColumns {
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

function withPeople(db: Kysely<Database>) {
  return db
    .selectFrom('person_sessions')
    .innerJoin('people', 'people.id', 'person_sessions.person_id')
    .selectAll('people')
    .select([
      'person_sessions.id as session_id',
      'person_sessions.secret_hash',
      'person_sessions.created_at as session_created_at',
      'person_sessions.expires_at as session_expires_at',
    ])
}

const keySession = (row: KeyRow & SessionColumns) => sessionOf({ key: keyFromRow(row) }, row)
const personSession = (row: PersonRow & SessionColumns) => sessionOf({ person: personFromRow(row) }, row)

function sessionOf(holder: Holder, row: SessionColumns): Session {
  return {
    id: row.session_id,
    holder,
    access: accessOf(holder),
    secretHash: row.secret_hash,
    createdAt: row.session_created_at,
    expiresAt: row.session_expires_at,
  }
}

function accessOf(holder: Holder): Access {
  return 'key' in holder ? (holder.key.access ?? NO_ACCESS) : holder.person.access
}
